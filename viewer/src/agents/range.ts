import type { Range } from "./lane_marks.ts";

/** The last moment that a date can stand for, in milliseconds; the first is as far on the other side. */
const LAST = 8.64e15;

/** The range that an address names. An address by hand may name moments that no date can stand for. */
export function rangeOf(query: Readonly<Record<string, string>>, whole: Range): Range {
  const [from, to] = [query["from"], query["to"]].map((text) =>
    Math.min(Math.max(text ? Number(text) : Number.NaN, -LAST), LAST),
  ) as [number, number];
  return to > from ? { from, to } : whole;
}
