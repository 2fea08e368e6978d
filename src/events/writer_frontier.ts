import type { Ancestry } from "../log/ancestry.ts";

/**
 * Ops that wrote one thing and that no later writer of it has seen, oldest first. Of one chain that is one op at most.
 * So a new writer is held against the chains that it has seen something of, or against the ops here, whichever are
 * fewer.
 */
export class WriterFrontier<T extends { index: number }> {
  readonly #byChain = new Map<number, T>();
  /** Nothing here is at or below this floor. */
  #floor = -1;
  /** The list that the last writer knew: one that knows no more has seen nothing more. */
  #list = -1;

  get size(): number {
    return this.#byChain.size;
  }

  values(): Iterable<T> {
    return this.#byChain.values();
  }

  /** Takes out those that this op, later than all of them, has seen. */
  see(op: number, ancestry: Ancestry, seen: (writer: T) => void = ignore): void {
    const known = this.#byChain;
    const takeOut = (chain: number, writer: T): void => {
      known.delete(chain);
      seen(writer);
    };
    const floor = ancestry.floorOf(op);
    if (floor > this.#floor) {
      // The op may be its own floor, and come in here next.
      this.#floor = Math.min(floor, op - 1);
      for (const [chain, writer] of known) {
        if (writer.index > floor) break;
        takeOut(chain, writer);
      }
    }
    const upTo = (chain: number, last: number): void => {
      const writer = known.get(chain);
      if (writer && writer.index <= last) takeOut(chain, writer);
    };
    upTo(ancestry.chainOf(op), op);
    const list = ancestry.listOf(op);
    const count = ancestry.countSeen(op);
    if (count === 0 || known.size === 0 || list === this.#list) return;
    this.#list = list;
    if (count <= known.size) return ancestry.eachSeen(op, upTo);
    for (const [chain, writer] of known) if (ancestry.isAncestor(writer.index, op)) takeOut(chain, writer);
  }

  /** Takes in the op that `see` was asked for last. */
  add(writer: T, ancestry: Ancestry): void {
    this.#byChain.set(ancestry.chainOf(writer.index), writer);
  }
}

const ignore = (): void => undefined;
