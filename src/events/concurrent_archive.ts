/**
 * An archiving holds for what its author saw (ARCHIVE-20). If another branch worked on the task and neither had seen
 * the other, the task is live after the merge. A sweep hides no work that it did not know of.
 */
import type { Op } from "../log/types.ts";
import { archives } from "./archiving.ts";
import type { Ancestry } from "../log/ancestry.ts";

export class ConcurrentArchive {
  /** Ops that put the entity away, and those of them that hold. */
  readonly #archiving = new Set<number>();
  readonly #holding = new Set<number>();

  /** The same log comes again from its first op. */
  reset(): void {
    this.#archiving.clear();
    this.#holding.clear();
  }

  /** Whether the entity is away after the op; `before` and `after`: what the op found and what it says. */
  take(op: Op, { before, after }: { before: boolean; after: boolean }, ancestry: Ancestry): boolean {
    const { index } = op;
    if (archives(op)) {
      this.#archiving.add(index);
      if (this.#hasConcurrentWork(index, ancestry)) return before;
      this.#holding.add(index);
      return after;
    }
    if (after && [...this.#holding].every((archiving) => ancestry.isAncestor(archiving, index))) return true;
    this.#holding.clear();
    return false;
  }

  #hasConcurrentWork(index: number, ancestry: Ancestry): boolean {
    for (let other = index - 1; other > ancestry.floorOf(index); other--)
      if (!this.#archiving.has(other) && !ancestry.isAncestor(other, index)) return true;
    return false;
  }
}
