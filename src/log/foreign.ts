import { aboveLimit, MAX_FOREIGN } from "./limits.ts";
import type { Event, ForeignLine, Json, Op } from "./types.ts";

/** The state of the foreign lines, as plain JSON. */
export interface SavedForeign {
  waiting: ForeignLine[];
  adopted: string[];
  expected: string[];
}

/** The lines of other programs in one log, and which op gave each its place (LOG-17, LOG-18). */
export class ForeignLines {
  /** Seen and not adopted. */
  readonly #waiting: Map<string, ForeignLine>;
  readonly #adopted: Set<string>;
  /** Named by an op before the line was seen. */
  readonly #expected: Set<string>;
  /** Those not adopted in their order; null once they are others. */
  #inOrder: ForeignLine[] | null = null;
  /** True once a line came after the op that adopts it: only a reading of the whole log can place it. */
  late = false;

  constructor({ waiting, adopted, expected }: SavedForeign = { waiting: [], adopted: [], expected: [] }) {
    this.#waiting = new Map(waiting.map((line) => [line.hash, line]));
    this.#adopted = new Set(adopted);
    this.#expected = new Set(expected);
  }

  save(): SavedForeign {
    return { waiting: [...this.#waiting.values()], adopted: [...this.#adopted], expected: [...this.#expected] };
  }

  get adopted(): number {
    return this.#adopted.size;
  }

  /** Takes a line in; false when it was there before. */
  add(line: ForeignLine): boolean {
    if (this.#waiting.has(line.hash) || this.#adopted.has(line.hash)) return false;
    if (this.#waiting.size >= MAX_FOREIGN)
      throw aboveLimit("lines of other programs that wait for a place", MAX_FOREIGN);
    this.#waiting.set(line.hash, line);
    this.#inOrder = null;
    this.late ||= this.#expected.has(line.hash);
    return true;
  }

  /** Hands the op the lines it adopts: those present that no op before it, in replay order, has adopted. */
  adopt(op: Op): void {
    const { events } = op;
    for (let i = 0; i < events.length; i++) {
      const { type, payload } = events[i] as Event;
      if (type !== "foreign.adopted" || !Array.isArray(payload["hashes"])) continue;
      const lines = payload["hashes"].flatMap((hash) => this.#place(hash) ?? []);
      if (lines.length > 0) (op.foreign ??= new Map()).set(i, lines);
    }
  }

  #place(hash: Json): ForeignLine | undefined {
    if (typeof hash !== "string") return undefined;
    const line = this.#waiting.get(hash);
    if (line === undefined) {
      this.#expected.add(hash);
      return undefined;
    }
    this.#waiting.delete(hash);
    this.#inOrder = null;
    this.#adopted.add(hash);
    return line;
  }

  /** Those not adopted, by (ts, hash). */
  unadopted(): ForeignLine[] {
    return (this.#inOrder ??= [...this.#waiting.values()].sort((a, b) =>
      a.ts === b.ts ? (a.hash < b.hash ? -1 : 1) : a.ts < b.ts ? -1 : 1,
    ));
  }
}
