import type { Finding } from "../../engine/repair/verify.ts";
import { columns } from "./layout.ts";

/** One line each: where, what kind, what about it. */
export function findingsText(findings: readonly Finding[]): string {
  return columns(
    findings.map(({ code, file, line, byte, message, info }) => {
      const where = `${file}${line === null ? "" : `:${line}`}${byte === null ? "" : ` (byte ${byte})`}`;
      return [info ? `note ${code}` : code, where, message];
    }),
  );
}

/** Whether any of them is a fault and not just good to know. */
export function hasFaults(findings: readonly Finding[]): boolean {
  return findings.some((finding) => !finding.info);
}
