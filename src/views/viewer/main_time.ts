/** Where the time begins in which most happened. A clock that was years behind would stretch an axis over all of them. */

/** Milliseconds without a change that are never too long: work that rested for so long goes on. */
const REST_MS = 3 * 365 * 86_400_000;
/** Days of bars, the latest ones. */
export const MAX_DAYS = 366;
/** A gap is too long if it is so many times as long as all that came after it. */
const TIMES = 10;

export interface Happened {
  /** In milliseconds. */
  at: number;
  /** How much did. */
  count: number;
}

/** Takes them in order of time, and returns the index of the first one that counts. Those before it are fewer, and years away. */
export function mainStart(list: readonly Happened[]): number {
  const last = list.at(-1)?.at ?? 0;
  let after = 0;
  let before = list.reduce((sum, { count }) => sum + count, 0);
  for (let index = list.length - 1; index > 0; index--) {
    const { at, count } = list[index]!;
    after += count;
    before -= count;
    if (before < after && at - list[index - 1]!.at > Math.max(REST_MS, TIMES * (last - at))) return index;
  }
  return 0;
}
