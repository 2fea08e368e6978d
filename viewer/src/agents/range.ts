import { LAST } from "../text/format.ts";
import type { Range } from "./lane_marks.ts";

/** The range that an address names. An address by hand may name moments that no date can stand for. */
export function rangeOf(query: Readonly<Record<string, string>>, whole: Range): Range {
  const [from, to] = [query["from"], query["to"]].map((text) =>
    Math.min(Math.max(text ? Number(text) : Number.NaN, -LAST), LAST),
  ) as [number, number];
  return to > from ? { from, to } : whole;
}
