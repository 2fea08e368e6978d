import type { Finding } from "../../../engine/repair/verify.ts";
import { textRows } from "./layout.ts";

/** One line each: where, what kind, what about it. */
export function findingsText(findings: readonly Finding[], wide?: number): string {
  return textRows(
    findings.map(({ code, file, line, byte, message, info }) => {
      const where = `${file}${line === null ? "" : `:${line}`}${byte === null ? "" : ` (byte ${byte})`}`;
      return [info ? `note ${code}` : code, where, message];
    }),
    wide,
  );
}

/** Whether any of them is a fault and not just good to know. */
export function hasFaults(findings: readonly Finding[]): boolean {
  return findings.some((finding) => !finding.info);
}
