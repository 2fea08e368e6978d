/** The additions to one list of steps or nodes, in a log with branches, and whether a merge moved the paths in it (EVENT-7). */
import type { Ancestry } from "../log/ancestry.ts";
import { WriterFrontier } from "./writer_frontier.ts";

interface Addition {
  index: number;
}

export class Additions {
  /** Each addition with its op, in the order of the list. */
  readonly #all: { index: number; id: string }[] = [];
  /** Additions that no other addition has seen. */
  readonly #last = new WriterFrontier<Addition>();
  #moved = false;
  /** An addition that the last worker had not seen: one that has not seen it either has not seen all. */
  #unseen: number | undefined;

  /** Takes an op that works in the list, and adds these to it or nothing; true while the paths are moved. */
  take(index: number, ids: readonly string[], ancestry: Ancestry): boolean {
    if (ids.length > 0) {
      for (const id of ids) this.#all.push({ index, id });
      this.#last.see(index, ancestry);
      this.#last.add({ index }, ancestry);
      this.#moved = this.#last.size > 1;
    } else if (this.#moved) this.#moved = !this.#sawAll(index, ancestry);
    return this.#moved;
  }

  /** Ids from the first one on that one of the last additions had not seen. On some branch each of them may have had another path. */
  moved(ancestry: Ancestry): string[] {
    let from = this.#all.length;
    for (const { index } of this.#last.values()) {
      for (let at = this.#after(ancestry.floorOf(index)); at < from; at++) {
        const one = this.#all[at]!.index;
        if (one !== index && !ancestry.isAncestor(one, index)) from = at;
      }
    }
    return this.#all.slice(from).map(({ id }) => id);
  }

  #sawAll(op: number, ancestry: Ancestry): boolean {
    const saw = (index: number): boolean => ancestry.isAncestor(index, op);
    if (this.#unseen !== undefined && !saw(this.#unseen)) return false;
    this.#unseen = undefined;
    for (const { index } of this.#last.values()) {
      if (saw(index)) continue;
      this.#unseen = index;
      return false;
    }
    return true;
  }

  /** The place of the first that a later op than this added. */
  #after(op: number): number {
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#all[middle]!.index <= op) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
