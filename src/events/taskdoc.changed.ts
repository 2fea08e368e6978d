import { openObject, optional, orNull, text } from "../state/schema.ts";
import { sectionKey, sectionOf, sectionPath, spelledCategory } from "../state/taskdoc.ts";
import type { TaskdocSection } from "../state/taskdoc.ts";
import { targetFault } from "../state/taskdoc_target.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const taskdocChanged = defineEvent({
  type: "taskdoc.changed",
  doc: "One section of the Taskdoc was replaced whole; category null is the top, empty content means that it was cleared on purpose.",
  payload: openObject({
    category: orNull(text()),
    selector: text(),
    content: text(),
    /** Hex digests of the content as given, and of what stood there before. */
    sha256: text(),
    previous_sha256: text(),
    /** The file that it was taken from, where it was one: an edit made outside, or a Taskdoc of another form. */
    source: optional(openObject({ file: text(), sha256: text() })),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone; the history has every earlier text, and bringing one back is a change like any other.",
  free: true,
  apply: (entity, { category, selector, content, sha256, source }, fact, w) => {
    // Another program may have written the line: a name that no call could have given is no path of a file.
    if (targetFault({ category, selector }) !== null) return;
    // The op that this event stands in is counted once all its events are applied.
    const change = { event: fact.hash, ts: fact.ts, by: fact.by, revision: entity.revision + 1, sha256 };
    let section = sectionOf(entity.taskdoc, { category, selector });
    if (!section) {
      const target = { category: spelledCategory(entity.taskdoc, category), selector };
      const $ = `taskdoc.${sectionPath(target)}.`;
      const made: TaskdocSection = { $, ...target, content: "", first: change, last: change, changes: 0, sources: [] };
      w.put("taskdoc", entity.taskdoc, sectionKey(target), made);
      section = made;
    }
    w.write(section, "content", content);
    w.writeUntracked(section, "last", change);
    w.writeUntracked(section, "changes", section.changes + 1);
    if (source && !section.sources.includes(source.sha256))
      w.writeUntracked(section, "sources", [...section.sources, source.sha256]);
  },
});
