import type { Finding } from "../../../engine/repair/verify.ts";
import type { Wording } from "../../../message.ts";
import type { Remediable } from "../../../remedy.ts";
import { counted } from "../../../state/counted.ts";
import { withCommands } from "../everyday_command.ts";
import { textRows } from "./layout.ts";
import { messageText } from "./reply_text.ts";
import type { Look } from "./look.ts";

type Words = Pick<Look, "commands" | "program">;

/** One line each: where, what kind, what about it, and what to do. */
export function findingsText(findings: readonly Finding[], words: Words, wide?: number): string {
  return textRows(
    findings.map((finding) => {
      const { code, file, line, byte, info } = finding;
      const where = `${file}${line === null ? "" : `:${line}`}${byte === null ? "" : ` (byte ${byte})`}`;
      return [info ? `note ${code}` : code, where, foundText(finding, words, wide)];
    }),
    wide,
  );
}

/** Says what was found, then what to do about it in the words of the command line. */
export function foundText(found: Wording & Remediable, words: Words, wide?: number): string {
  const message = messageText(found, wide);
  return found.recovery === undefined ? message : `${message} ${withCommands(words, found)}`;
}

/** Whether any of them is a fault and not just good to know. */
export function hasFaults(findings: readonly Finding[]): boolean {
  return findings.some((finding) => !finding.info);
}

/** Says that a command left faults; undefined where it left none. */
export function leftText(findings: readonly Finding[]): string | undefined {
  const faults = findings.filter((finding) => !finding.info);
  if (faults.length === 0) return undefined;
  const codes = [...new Set(faults.map(({ code }) => code))];
  return `Still not in order: ${counted(faults.length, "finding")} (${codes.join(", ")}).`;
}
