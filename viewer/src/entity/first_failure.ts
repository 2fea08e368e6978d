/** The line of captured output that says what failed, as a reader would look for it first. */
import { ansiPieces } from "../parts/ansi.ts";

/** Words and signs of test runners, compilers and runtimes. */
const SAYS_FAILURE =
  /\b(?:error|errors|exception|fail|fails|failed|failure|fatal|panic|panicked|traceback|not ok)\b|\w(?:Error|Exception)\b|[✕✖✗✘×]/i;
/** Sums that count none. */
const NONE = /\b(?:0|no) (?:\w+ )?(?:error|fail)\w*/gi;

/** The last line that is not empty where none speaks of a failure; undefined for no output. */
export function firstFailure(output: string): string | undefined {
  const plain = ansiPieces(output)
    .map(({ text }) => text)
    .join("");
  const lines = plain.split(/\r?\n/).map((line) => line.trim());
  return lines.find((line) => SAYS_FAILURE.test(line.replace(NONE, ""))) ?? lines.findLast((line) => line !== "");
}
