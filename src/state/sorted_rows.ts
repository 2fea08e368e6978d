/** What a list says of many entities, in natural order of their ids; one more or one less costs no sorting. */
import { compareIds } from "./compare_ids.ts";
import type { Listed } from "./listed.ts";

export class SortedRows {
  #rows: Listed[];

  constructor(rows: Iterable<Listed> = []) {
    this.#rows = [...rows].sort((a, b) => compareIds(a.id, b.id));
  }

  /** Changed in place: a caller that lets others write between two rows takes a copy. */
  get all(): readonly Listed[] {
    return this.#rows;
  }

  set(row: Listed): void {
    const place = this.#placeOf(row.id);
    this.#rows.splice(place, this.#rows[place]?.id === row.id ? 1 : 0, row);
  }

  delete(id: string): void {
    const place = this.#placeOf(id);
    if (this.#rows[place]?.id === id) this.#rows.splice(place, 1);
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
