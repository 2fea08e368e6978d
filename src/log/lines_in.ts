import { readLine } from "./line.ts";
import { scan } from "./scan.ts";
import { bytesSource } from "./source.ts";
import type { Event } from "./types.ts";

/** A line that says something: an event, or a line of another program. */
export interface LineIn {
  /** The line's name: the hash of an event; of any other line the digest of its text (LOG-17). */
  id: string;
  /** Undefined for a line that is not ours, or not of this format. */
  event: Event | undefined;
  /** Without LF. */
  bytes: Buffer;
}

/** Returns the lines of these bytes that a log could miss; each hash is proven by the line's own bytes. */
export function linesIn(bytes: Buffer): LineIn[] {
  const lines: LineIn[] = [];
  scan(bytesSource(bytes), { offset: 0, line: 1 }, (view) => {
    const line = readLine(view);
    const from = view.offset + (view.bom ? 3 : 0);
    const add = (id: string, event?: Event): void => {
      lines.push({ id, event, bytes: bytes.subarray(from, from + view.end - view.start) });
    };
    if (line.kind === "own") add(line.event.hash, line.event);
    else if (line.kind === "foreign") add(line.foreign.hash);
    else if (line.kind === "newer") add(line.hash);
    return true;
  });
  return lines;
}

/** These lines as a log has them. */
export function asLog(lines: readonly { bytes: Buffer }[]): Buffer {
  return Buffer.concat(lines.flatMap(({ bytes }) => [bytes, Buffer.from("\n")]));
}
