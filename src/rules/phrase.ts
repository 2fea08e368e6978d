/** How rules word what happened: one line, bounded, whatever a caller wrote. */
import { shorten } from "../state/code_points.ts";
import type { Step } from "../state/entity.ts";
import { pathOf } from "../state/tree.ts";

/** The first `count` code points; never half of a surrogate pair. */
export function firstCodePoints(text: string, count: number): string {
  // `count` code points are at most 2 * `count` units: a long text is not walked to its end.
  return text.length <= count
    ? text
    : Array.from(text.slice(0, 2 * count))
        .slice(0, count)
        .join("");
}

/** Blanks other than single spaces between words: most texts have none, and to look costs less than to replace. */
const UNEVEN = /^\s|\s$|\s\s|[^\S ]/;

/** Text folded to one line of at most `count` code points. */
export function oneLine(text: string, count = 80): string {
  // Only the first part is looked at, with room for runs of blanks: a text may have 256 KiB.
  const head = firstCodePoints(text, 4 * count);
  const flat = UNEVEN.test(head) ? head.replace(/\s+/g, " ").trim() : head;
  return shorten(head.length < text.length ? `${flat}…` : flat, count);
}

/** `s:0.s:1 "Write the parser"`. */
export function nameOf(step: Step): string {
  return `${pathOf(step)} "${step.title}"`;
}

/** Returns one sentence: what happened, and what a caller said about it, on one line. */
export function sentence(what: string, said?: string | null): string {
  const text = said === undefined || said === null ? what : `${what}: ${oneLine(said, 160)}`;
  return ".!?…".includes(text.at(-1)!) ? text : `${text}.`;
}

/** `a, b and 3 more`: the first `most` of a list. */
export function listed(items: readonly string[], most = 5): string {
  const rest = items.length - most;
  return rest > 0 ? `${items.slice(0, most).join(", ")} and ${rest} more` : items.join(", ");
}
