/** Findings of verify in one log: everything its reader reports, and events that had no effect. */
import { logGap } from "../../events/log.gap.ts";
import { HASH_LENGTH } from "../../log/envelope.ts";
import { linesIn } from "../../log/lines_in.ts";
import { MAX_PROBLEMS } from "../../log/scan_stats.ts";
import { lineOfByte } from "../core/first_difference.ts";
import type { EntityOnDisk } from "../entity/entity_on_disk.ts";
import type { Finding } from "../core/finding.ts";
import { note } from "../core/finding.ts";

const LF = 0x0a;
const HASH_KEY = '"hash":"';
const BOM = Buffer.from("\uFEFF");

/** `file`: the log's path relative to the root. */
/** `read.events`: those of `log.gap` at least. */
export function logFindings(file: string, read: EntityOnDisk): Finding[] {
  const { bytes, report, noEffect } = read;
  const isPassedOver = passedOver(read);
  const findings: Finding[] = report.problems.map(({ code, line, byte, message }) => {
    const finding = { code, file, line, byte, message };
    return code === "OP_INCOMPLETE" && isPassedOver(byte) ? note(finding) : finding;
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
  const shown = noEffect.slice(0, MAX_PROBLEMS);
  const more = report.moreProblems + noEffect.length - shown.length;
  if (more > 0) at("PROBLEMS_MORE", -1, `Expected at most ${MAX_PROBLEMS} problems of a kind, found ${more} more.`);
  if (report.crlf > 0)
    at(
      "LINE_CRLF",
      bytes.indexOf("\r\n"),
      `Expected lines that end in LF, found ${report.crlf} that end in CR LF; this is the first.`,
    );
  if (report.bom) at("LINE_BOM", firstMark(bytes), "Expected a line without a byte order mark, found one.");
  const places = placesOf(bytes, new Set(shown.map(({ hash }) => hash)));
  for (const { hash, type, reason } of shown)
    findings.push({
      code: "EVENT_WITHOUT_EFFECT",
      file,
      line: places.get(hash)?.line ?? null,
      byte: places.get(hash)?.byte ?? null,
      message: `The event ${hash} (${type}) has no effect: ${reason}.`,
    });
  return findings;
}

/**
 * Returns whether changes went on beside an op that lacks events, and none of them waits for it, or its missing events
 * were declared lost. Then there is nothing left to do about it.
 */
function passedOver({ bytes, report, events }: EntityOnDisk): (at: number) => boolean {
  const heads = new Set<unknown>(report.heads);
  const declared = new Set<unknown>();
  for (const { type, payload } of events) {
    const list = type === logGap.type ? payload["void"] : null;
    for (const hash of Array.isArray(list) ? list : []) declared.add(hash);
  }
  return (at) => {
    const [line] = linesIn(bytes.subarray(at, endOfLine(bytes, at)));
    if (!line?.event || report.held > 0) return false;
    const { op, prev } = line.event;
    return op.n === 1 ? prev.some((hash) => !heads.has(hash)) : declared.has(prev[0]);
  };
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

/** Where lines stand that have one of these hashes for their own; without those that are written in some other way. */
function placesOf(bytes: Buffer, wanted: ReadonlySet<string>): Map<string, { line: number; byte: number }> {
  const places = new Map<string, { line: number; byte: number }>();
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(HASH_KEY); at >= 0 && places.size < wanted.size; at = bytes.indexOf(HASH_KEY, at + 1)) {
    const hash = bytes.toString("latin1", at + HASH_KEY.length, at + HASH_KEY.length + HASH_LENGTH);
    if (!wanted.has(hash) || places.has(hash)) continue;
    for (let end = endOfLine(bytes, start); end <= at; end = endOfLine(bytes, start)) {
      start = end;
      line++;
    }
    places.set(hash, { line, byte: start });
  }
  return places;
}
