/** What a list says of many entities, in natural order of their ids; one more or one less costs no sorting. */
import { compareIds } from "./compare_ids.ts";
import type { Listed } from "./listed.ts";

export class SortedRows {
  #rows: Listed[];
  /** A reader has the array: it stays as it is. */
  #isGiven = false;

  constructor(rows: Iterable<Listed> = []) {
    this.#rows = [...rows].sort((a, b) => compareIds(a.id, b.id));
  }

  /** Never changes: after a change there is another array, so that a reader may keep what it found out by this one. */
  get all(): readonly Listed[] {
    this.#isGiven = true;
    return this.#rows;
  }

  set(row: Listed): void {
    const place = this.#placeOf(row.id);
    this.#own().splice(place, this.#rows[place]?.id === row.id ? 1 : 0, row);
  }

  delete(id: string): void {
    const place = this.#placeOf(id);
    if (this.#rows[place]?.id === id) this.#own().splice(place, 1);
  }

  #own(): Listed[] {
    if (this.#isGiven) this.#rows = [...this.#rows];
    this.#isGiven = false;
    return this.#rows;
  }

  /** Where it is, or would be. */
  #placeOf(id: string): number {
    let low = 0;
    for (let high = this.#rows.length; low < high;) {
      const middle = (low + high) >> 1;
      if (compareIds(this.#rows[middle]!.id, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
