/** Lines that one version of a log has and another has not. A log mostly grows at its end, so the common beginning is passed over. */
import { MAX_LINES_DIFFERENT } from "./limits.ts";

const LF = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Without LF, the last one first; undefined when they differ in more lines than are compared. */
export function linesOnlyIn(one: Buffer, other: Buffer = NOTHING): Buffer[] | undefined {
  const start = commonStart(one, other);
  const [rest, theirs] = [one.subarray(start), other.subarray(start)];
  if (rest.length === 0) return [];
  const known = new Set<string>();
  let count = 0;
  for (const line of linesFromTheEnd(theirs)) {
    if (++count > MAX_LINES_DIFFERENT) return undefined;
    known.add(line.toString("latin1"));
  }
  // Lines in the common beginning of both are in both.
  const only: Buffer[] = [];
  count = 0;
  for (const line of linesFromTheEnd(rest)) {
    if (++count > MAX_LINES_DIFFERENT) return undefined;
    if (!known.has(line.toString("latin1"))) only.push(line);
  }
  return only;
}

/** Where the first line begins that differs. */
function commonStart(one: Buffer, other: Buffer): number {
  const length = Math.min(one.length, other.length);
  const step = 64 * 1024;
  let at = 0;
  while (at < length && one.compare(other, at, Math.min(at + step, length), at, Math.min(at + step, length)) === 0)
    at += step;
  const end = Math.min(at + step, length);
  while (at < end && one[at] === other[at]) at++;
  at = Math.min(at, length);
  // Both have ended, or both have an LF there: the line before is whole.
  if (at === one.length && at === other.length) return at;
  if (at > 0 && one[at - 1] === LF) return at;
  return at === 0 ? 0 : one.lastIndexOf(LF, at - 1) + 1;
}

/** Empty lines say nothing. */
function* linesFromTheEnd(bytes: Buffer): Generator<Buffer> {
  for (let end = bytes.length; end > 0;) {
    const start = bytes.lastIndexOf(LF, end - 1) + 1;
    if (end > start) yield bytes.subarray(start, end);
    end = start - 1;
  }
}
