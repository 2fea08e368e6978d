import { readLine } from "./line.ts";
import { scan } from "./scan.ts";
import type { ByteSource } from "./source.ts";
import type { Event } from "./types.ts";

/** Read at once while no line asks for more: a usual line has a few hundred bytes. */
const WINDOW = 16 * 1024;

/**
 * Returns the events of the ops that begin at these offsets, as a reading of the log told them. Null when one of them
 * is not there in one piece. Costs what is read, not the log, and checks no hash: who knows the offsets has done that.
 */
export function readOpsAt(source: ByteSource, offsets: readonly number[]): Event[][] | null {
  const held = new Held(source);
  const ops: Event[][] = [];
  for (const offset of offsets) {
    const op = opAt(held.from(offset), offset) ?? opAt(source, offset);
    if (op === null) return null;
    ops.push(op);
  }
  return ops;
}

function opAt(source: ByteSource, offset: number): Event[] | null {
  const events: Event[] = [];
  let whole = false;
  scan(source, { offset, line: 1 }, (view) => {
    if (!view.ended) return false;
    const line = readLine(view, { checkHash: false });
    // A merge may have put other lines between those of an op.
    if (line.kind !== "own") return line.kind === "blank" && events.length === 0;
    const { event } = line;
    const [first] = events;
    const isNext = first ? event.op.id === first.op.id && event.op.n === events.length + 1 : event.op.n === 1;
    if (!isNext) return false;
    events.push(event);
    whole = event.op.n === event.op.of;
    return !whole;
  });
  return whole ? events : null;
}

/**
 * The bytes that were read last, for reads that begin inside of them: the ops at the end of a log stand side by side.
 */
class Held {
  readonly #source: ByteSource;
  #begin = 0;
  #bytes = Buffer.alloc(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The source as if it ended `WINDOW` bytes behind `offset`, or a little before that. */
  from(offset: number): ByteSource {
    const end = Math.min(offset + WINDOW, this.#source.size());
    if (offset < this.#begin || end > this.#begin + this.#bytes.length) {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(4 * WINDOW, this.#source.size() - offset)));
      this.#begin = offset;
      this.#bytes = bytes.subarray(0, this.#source.read(bytes, offset));
    }
    return {
      size: () => Math.min(end, this.#begin + this.#bytes.length),
      read: (into, position) => {
        const part = this.#bytes.subarray(position - this.#begin, position - this.#begin + into.length);
        into.set(part);
        return part.length;
      },
    };
  }
}
