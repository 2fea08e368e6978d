/** Bytes that claim to be lines of a log, from a file of unknown origin: they count as far as lines in a log would. */
import { linesIn } from "./lines_in.ts";
import type { Event } from "./types.ts";

const LF = 0x0a;

/**
 * The events of these bytes, if every line is an event of ours whose hash holds and the last one ends in LF; else null. Blank
 * lines are passed over: a write after a torn line begins with one.
 */
export function wholeLines(bytes: Buffer): Event[] | null {
  if (bytes.length === 0 || bytes.at(-1) !== LF) return null;
  // Reading a line uses its bytes up.
  const copy = Buffer.from(bytes);
  const lines = linesIn(copy);
  const events = lines.flatMap(({ event }) => (event ? [event] : []));
  const length = lines.reduce((sum, line) => sum + line.bytes.length + 1, 0);
  const blanks = bytes.length - length;
  const isWhole =
    events.length === lines.length && events.length > 0 && (blanks === 0 || (blanks === 1 && bytes[0] === LF));
  return isWhole ? events : null;
}
