/** What verify finds in one log: everything its reader reports, and events that had no effect. */
import { lineOfByte } from "./first_difference.ts";
import type { EntityOnDisk } from "./entity_on_disk.ts";
import type { Finding } from "./finding.ts";

const LF = 0x0a;
const BOM = Buffer.from("\uFEFF");

/** `file`: the log's path relative to the root. */
export function logFindings(file: string, { bytes, report, noEffect }: EntityOnDisk): Finding[] {
  const findings: Finding[] = report.problems.map(({ code, line, byte, message }) => ({
    code,
    file,
    line,
    byte,
    message,
  }));
  const at = (code: string, byte: number, message: string): void => {
    findings.push({
      code,
      file,
      line: byte < 0 ? null : lineOfByte(bytes, byte),
      byte: byte < 0 ? null : byte,
      message,
    });
  };
  if (report.moreProblems > 0)
    at("PROBLEMS_MORE", -1, `Expected at most ${report.problems.length} problems, found ${report.moreProblems} more.`);
  if (report.crlf > 0)
    at(
      "LINE_CRLF",
      bytes.indexOf("\r\n"),
      `Expected lines that end in LF, found ${report.crlf} that end in CR LF; this is the first.`,
    );
  if (report.bom) at("LINE_BOM", firstMark(bytes), "Expected a line without a byte order mark, found one.");
  for (const { hash, type, reason } of noEffect)
    at("EVENT_WITHOUT_EFFECT", lineStart(bytes, hash), `The event ${hash} (${type}) has no effect: ${reason}.`);
  return findings;
}

/** A mark is one only where a line begins: inside a text it is a character like any other. */
function firstMark(bytes: Buffer): number {
  for (let at = bytes.indexOf(BOM); at >= 0; at = bytes.indexOf(BOM, at + 1)) {
    if (at === 0 || bytes[at - 1] === LF) return at;
  }
  return -1;
}

/** Offset of the line that has this hash for its own, -1 when it is written in some other way. */
function lineStart(bytes: Buffer, hash: string): number {
  const at = bytes.indexOf(`"hash":"${hash}"`);
  return at < 0 ? -1 : bytes.lastIndexOf(LF, at) + 1;
}
