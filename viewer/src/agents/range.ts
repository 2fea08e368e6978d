import { LAST } from "../text/format.ts";
import type { Range } from "./lane_marks.ts";

/** Stands in the address for all of the time. */
export const ALL = "all";

/** The range that an address names; `main` where it names none. An address by hand may name moments that no date can stand for. */
export function rangeOf(query: Readonly<Record<string, string>>, whole: Range, main: Range): Range {
  if (query["from"] === ALL) return whole;
  const [from, to] = [query["from"], query["to"]].map((text) =>
    Math.min(Math.max(text ? Number(text) : Number.NaN, -LAST), LAST),
  ) as [number, number];
  return to > from ? { from, to } : main;
}
