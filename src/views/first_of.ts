/** More than that, and sorting all of them costs less than finding the place of each. */
const FEW = 512;

/** The first `count` in this order. A page of thousands needs no more, and sorting all would cost more than all else. */
export function firstOf<T>(items: readonly T[], count: number, compare: (a: T, b: T) => number): T[] {
  if (count > FEW) return items.toSorted(compare).slice(0, count);
  const first: T[] = [];
  for (const item of items) {
    if (first.length === count && (count === 0 || compare(first[count - 1]!, item) <= 0)) continue;
    let low = 0;
    for (let high = first.length; low < high;) {
      const middle = (low + high) >> 1;
      if (compare(first[middle]!, item) <= 0) low = middle + 1;
      else high = middle;
    }
    first.splice(low, 0, item);
    if (first.length > count) first.pop();
  }
  return first;
}
