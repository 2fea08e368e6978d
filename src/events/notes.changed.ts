import { HUMAN_FILES } from "../state/human_files.ts";
import { oneOf, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const notesChanged = defineEvent({
  type: "notes.changed",
  doc: "A person changed a file of people's, and the next write read it in; content has LF.",
  payload: openObject({
    file: oneOf(HUMAN_FILES),
    content: text(),
    sha256: text(),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone; the file is people's.",
  free: true,
  apply: (entity, p, fact, w) => {
    const known = entity.people[p.file];
    w.write(known, "sha256", p.sha256);
    w.writeUntracked(known, "content", p.content);
    w.writeUntracked(known, "ts", fact.ts);
    // The op that this event stands in is counted once all its events are applied.
    w.writeUntracked(known, "revision", entity.revision + 1);
  },
});
