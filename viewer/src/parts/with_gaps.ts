/** Times without a change that are drawn, those of the latest gaps first: bars of an idle year tell no more. */
const MAX_EMPTY = 400;

/** With an empty one for each time that the list leaves out, so that an axis of equal bars tells the time. `step`: milliseconds. */
export function withGaps<T>(
  list: readonly T[],
  step: number,
  timeOf: (one: T) => string,
  empty: (time: string) => T,
): T[] {
  let left = MAX_EMPTY;
  const latestFirst = list.toReversed().flatMap((one, index, reversed) => {
    const start = Date.parse(timeOf(one));
    const next = index === 0 ? start : Date.parse(timeOf(reversed[index - 1]!));
    const gap = Math.min(Math.max(Math.round((next - start) / step) - 1, 0), left);
    left -= gap;
    const between = Array.from({ length: gap }, (_, at) => empty(new Date(next - (at + 1) * step).toISOString()));
    return [...between, one];
  });
  return latestFirst.toReversed();
}
