/** Items in an order of their own. In parts, so that one more or one less moves a few others, however many there are. */

/** Items of a part: it is cut in two at twice as many. */
const PART = 512;

/** `compare` is 0 for an item and its successor, and for no two others. */
export class SortedList<K, T extends K> {
  readonly #compare: (a: K, b: K) => number;
  /** None of them is empty. */
  readonly #parts: T[][] = [];
  #all: readonly T[] | null;

  constructor(compare: (a: K, b: K) => number, items: Iterable<T> = []) {
    this.#compare = compare;
    const all = [...items].sort(compare);
    for (let at = 0; at < all.length; at += PART) this.#parts.push(all.slice(at, at + PART));
    this.#all = all;
  }

  /** As of now: what comes later makes another. */
  get all(): readonly T[] {
    return (this.#all ??= this.#parts.flat());
  }

  /** In the place of the item that compares as equal, if there is one. */
  set(item: T): void {
    this.#all = null;
    const [part, at, found] = this.#placeOf(item);
    const items = this.#parts[part];
    if (!items) this.#parts.push([item]);
    else if (found) items[at] = item;
    else {
      items.splice(at, 0, item);
      if (items.length > 2 * PART) this.#parts.splice(part + 1, 0, items.splice(PART));
    }
  }

  delete(key: K): void {
    const [part, at, found] = this.#placeOf(key);
    if (!found) return;
    this.#all = null;
    const items = this.#parts[part]!;
    items.splice(at, 1);
    if (items.length === 0) this.#parts.splice(part, 1);
  }

  /** The first one behind this key, or of all. */
  after(key?: K): T | undefined {
    if (key === undefined) return this.#parts[0]?.[0];
    const [part, at, found] = this.#placeOf(key);
    return this.#parts[part]?.[found ? at + 1 : at] ?? this.#parts[part + 1]?.[0];
  }

  /** Where it is, or would be: in the last part that does not begin behind it. */
  #placeOf(key: K): [part: number, at: number, found: boolean] {
    const part = Math.max(0, countUpTo(this.#parts, (items) => this.#compare(items[0]!, key)) - 1);
    const items = this.#parts[part] ?? [];
    const upTo = countUpTo(items, (item) => this.#compare(item, key));
    const found = upTo > 0 && this.#compare(items[upTo - 1]!, key) === 0;
    return [part, found ? upTo - 1 : upTo, found];
  }
}

/** How many of these sorted ones compare as at most 0. */
export function countUpTo<T>(sorted: readonly T[], compare: (one: T) => number): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if (compare(sorted[middle]!) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
