/**
 * Puts the lines of a repaired log in the order of replay. Replay order of old ops never changes when more are merged
 * in. So the result only adds lines to what each side had, and two clones that know the same lines have the same bytes.
 *
 * That is not for looks. `merge=union` loses lines when two clones merged each other with their own lines first. At the
 * next merge both are bases, and their union holds the lines twice. Each side seems to have removed one of the two
 * copies, and git removes both, without a conflict.
 */
import { isKnownType } from "../../events/index.ts";
import { sha256 } from "../../log/canonical.ts";
import { Replay } from "../../log/replay.ts";
import { bytesSource } from "../../log/source.ts";

interface Line {
  bytes: Buffer;
  /** The sort keys: depth, time, identity. */
  seq: number;
  ts: string;
  id: string;
}

const LF = 0x0a;

/** Ops in replay order with the foreign lines each places before it; then what has no effect; then foreign lines without a place, by time. */
export function inReplayOrder(bytes: Buffer): Buffer {
  const order: string[] = [];
  const replay = new Replay(
    {
      reset: () => {
        order.length = 0;
      },
      op: ({ events, foreign }) => {
        for (const [i, event] of events.entries()) {
          for (const line of foreign?.get(i) ?? []) order.push(line.hash);
          order.push(event.hash);
        }
      },
    },
    { isKnownType },
  );
  replay.load(bytesSource(bytes));
  const { linear, foreign } = replay.report;
  if (linear && foreign.length === 0) return bytes;

  const lines = linesOf(bytes);
  const last = foreign.map((line) => line.hash);
  const placed = new Set([...order, ...last]);
  const idle = [...lines.values()].filter((line) => !placed.has(line.id)).toSorted(byDepth);
  const sorted = [...order, ...idle.map((line) => line.id), ...last]
    .map((id) => lines.get(id))
    .filter((line) => line !== undefined);
  return Buffer.concat(sorted.map((line) => line.bytes));
}

/** By identity: an event's hash, of any other line the digest that foreign lines go by (LOG-17). */
function linesOf(bytes: Buffer): Map<string, Line> {
  const lines = new Map<string, Line>();
  for (let start = 0; start < bytes.length;) {
    const lf = bytes.indexOf(LF, start);
    const end = lf < 0 ? bytes.length : lf;
    const text = bytes.toString("utf8", start, end);
    const { hash, seq, ts } = JSON.parse(text) as { hash?: unknown; seq?: unknown; ts?: unknown };
    const id = typeof hash === "string" ? hash : sha256(text.trim());
    lines.set(id, {
      bytes: bytes.subarray(start, end + 1),
      seq: typeof seq === "number" ? seq : 0,
      ts: typeof ts === "string" ? ts : "",
      id,
    });
    start = end + 1;
  }
  return lines;
}

function byDepth(a: Line, b: Line): number {
  return a.seq - b.seq || (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : a.id < b.id ? -1 : 1);
}
