import type { Finding } from "../../../engine/repair/verify.ts";
import { counted } from "../../../state/counted.ts";
import { textRows } from "./layout.ts";
import { localTimes } from "./times.ts";

/** One line each: where, what kind, what about it. */
export function findingsText(findings: readonly Finding[], wide?: number): string {
  return textRows(
    findings.map(({ code, file, line, byte, message, info }) => {
      const where = `${file}${line === null ? "" : `:${line}`}${byte === null ? "" : ` (byte ${byte})`}`;
      return [info ? `note ${code}` : code, where, localTimes(message, wide)];
    }),
    wide,
  );
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
