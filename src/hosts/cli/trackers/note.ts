/** A comment of another tracker as a note. */
import type { Fields } from "./fields.ts";
import type { TrackerNote } from "./item.ts";

/** With each field of the comment that its reader did not take, a line for each, behind the text. */
export function noteOf(of: Fields, note: TrackerNote): TrackerNote {
  const lines = of.takeRest().map(({ name, text }) => `${name}: ${text}`);
  return { ...note, text: [note.text, ...lines].filter((line) => line !== "").join("\n") };
}
