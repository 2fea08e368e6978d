import type { HistoryItem } from "../../../src/views/viewer/api.ts";
import { fieldName } from "../text/field_name.ts";
import { datesOf } from "../text/format.ts";
import type { Words } from "../text/en.ts";

/** A change passes by a text in what a page or the log says of it. By its date it passes from the begin of a word on. */
export function passesFilter(op: HistoryItem, search: string, words: Words): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === "") return true;
  const labels = op.changes.flatMap(({ label }) => [label, fieldName(label, words)]);
  const text = [op.message, words.logged(op.message), op.by, op.tool, ...op.events, ...labels].join("\n").toLowerCase();
  // "4 Nov" is not the 24th.
  return text.includes(wanted) || datesOf(op.ts, words.locale).some((date) => ` ${date}`.includes(` ${wanted}`));
}
