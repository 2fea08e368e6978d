/** How rules word what happened: one line, bounded, whatever a caller wrote. */
import { shorten } from "../state/code_points.ts";
import type { Step, Subject } from "../state/entity.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Remedy } from "../remedy.ts";
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

/** Names evidence. `subject`: in a refusal, which keeps nothing of the refused call (TXN-1). */
export function cited(id: string, subject?: Subject): string {
  return subject?.unrecorded?.has(id) ? "the run of this call" : `evidence:${id}`;
}

/** The end of a recovery where a refusal names such a run; nothing where it names none. */
export function keptNothing({ unrecorded }: Subject, ids: readonly string[]): Remedy | "" {
  return ids.some((id) => unrecorded?.has(id)) ? KEPT_NOTHING : "";
}

const KEPT_NOTHING = remedy` A refused call records nothing: if the failed run is to stay on record, capture it with ${toolName("tasks_evidence_capture")}.`;

/** Returns one sentence: what happened, and what a caller said about it, on one line. */
export function sentence(what: string, remark?: string | null): string {
  const text = remark === undefined || remark === null ? what : `${what}: ${oneLine(remark, 160)}`;
  return ".!?…".includes(text.at(-1)!) ? text : `${text}.`;
}

/** `a, b and 3 more`: the first `most` of a list. */
export function listed(items: readonly string[], most = 5): string {
  const rest = items.length - most;
  return rest > 0 ? `${items.slice(0, most).join(", ")} and ${rest} more` : items.join(", ");
}
