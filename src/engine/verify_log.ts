/** What verify finds in one log: everything its reader reports, and events that had no effect. */
import { logGap } from "../events/log.gap.ts";
import { linesIn } from "../log/lines_in.ts";
import { lineOfByte } from "./first_difference.ts";
import type { EntityOnDisk } from "./entity_on_disk.ts";
import type { Finding } from "./finding.ts";
import { note } from "./finding.ts";

const LF = 0x0a;
const BOM = Buffer.from("\uFEFF");

/** `file`: the log's path relative to the root. */
/** `read.events`: those of `log.gap` at least. */
export function logFindings(file: string, read: EntityOnDisk): Finding[] {
  const { bytes, report, noEffect } = read;
  const findings: Finding[] = report.problems.map(({ code, line, byte, message }) => {
    const finding = { code, file, line, byte, message };
    return code === "OP_INCOMPLETE" && isPassedOver(read, byte) ? note(finding) : finding;
  });
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

/**
 * Whether changes went on beside an op that lacks events, and none of them waits for it, or what it lacks was declared
 * lost: then there is nothing left to do about it.
 */
function isPassedOver({ bytes, report, events }: EntityOnDisk, at: number): boolean {
  const [line] = linesIn(bytes.subarray(at, endOfLine(bytes, at)));
  if (!line?.event || report.held > 0) return false;
  const { op, prev } = line.event;
  if (op.n === 1) return prev.some((hash) => !report.heads.includes(hash));
  return events.some(({ type, payload }) => type === logGap.type && isIn(payload["void"], prev[0]));
}

function isIn(list: unknown, hash: unknown): boolean {
  return Array.isArray(list) && list.includes(hash);
}

function endOfLine(bytes: Buffer, at: number): number {
  const lf = bytes.indexOf(LF, at);
  return lf < 0 ? bytes.length : lf + 1;
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
