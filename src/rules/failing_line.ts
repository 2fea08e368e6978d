/** The line of an output that first tells of a failure (PROOF-39). */
import { oneLine } from "./phrase.ts";

const TELLS =
  /\b(?:fail(?:ed|s|ure|ures)?|errors?|[a-z]*error|not ok|assert[a-z]*|[a-z]*exception|panic(?:ked)?|fatal|traceback)\b|[\u2716\u2717\u2718\u00D7\u274C]/i;
/** A summary may count none: `0 failed`, `# fail 0`. */
const COUNTS_NONE = /\b0 (?:fail|error)|\b(?:fail(?:ed|ures?)?|errors?)[:=]? +0\b/i;
const COLOURS = /\u001B\[[0-9;]*[A-Za-z]/g; // oxlint-disable-line no-control-regex
const MOST = 160;

/** Of all outputs the first line that tells of a failure, else the last line that says anything; undefined where nothing was printed. */
export function failingLine(outputs: readonly string[]): string | undefined {
  const lines = outputs.flatMap((text) => text.replaceAll(COLOURS, "").split(/\r?\n/));
  const filled = lines.filter((line) => line.trim() !== "");
  const line = filled.find((one) => TELLS.test(one) && !COUNTS_NONE.test(one)) ?? filled.at(-1);
  return line === undefined ? undefined : oneLine(line, MOST).trim();
}
