/** Times without a change in a row that are drawn: in an idle year, a bar for each day tells no more. */
const MOST_EMPTY = 400;

/** With an empty one for each time that the list leaves out, so that an axis of equal bars tells the time. `step`: milliseconds. */
export function withGaps<T>(
  list: readonly T[],
  step: number,
  timeOf: (one: T) => string,
  empty: (time: string) => T,
): T[] {
  return list.flatMap((one, index) => {
    const start = Date.parse(timeOf(one));
    const next = list[index + 1];
    const gap = next === undefined ? 0 : Math.round((Date.parse(timeOf(next)) - start) / step) - 1;
    const between = Array.from({ length: Math.min(Math.max(gap, 0), MOST_EMPTY) }, (_, at) =>
      empty(new Date(start + (at + 1) * step).toISOString()),
    );
    return [one, ...between];
  });
}
