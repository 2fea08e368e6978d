import type { HistoryItem } from "../../../src/views/viewer/api.ts";
import { fieldName } from "../text/field_name.ts";
import type { Words } from "../text/en.ts";

/** Whether a change has this text in what a reader sees of it, or in what the log says of it. */
export function passesFilter(op: HistoryItem, search: string, words: Words): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === "") return true;
  const labels = op.changes.flatMap(({ label }) => [label, fieldName(label, words)]);
  return [op.message, words.sentence(op.message), op.by, op.tool, ...op.events, ...labels]
    .join("\n")
    .toLowerCase()
    .includes(wanted);
}
