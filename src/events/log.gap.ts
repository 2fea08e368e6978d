import type { LostEnd } from "../state/entity.ts";
import { integer, list, openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

/** Ends that an entity keeps account of; the oldest go. */
const MAX_ENDS = 64;

export const logGap = defineEvent({
  type: "log.gap",
  doc: "Lines are lost. Either later lines name them and they are declared lost (the log layer sees to it). Or they stood at the end of the log that task.yaml named, until they are accepted.",
  payload: openObject({
    void: list(text()),
    shorter: optional(openObject({ head: text(), revision: integer(), found: text(), found_revision: integer() })),
    accepted: optional(list(text())),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone; a line that turns up later is used all the same.",
  free: true,
  apply: (entity, { shorter, accepted = [] }, _fact, w) => {
    if (!shorter && accepted.length === 0) return;
    const ends = new Map<string, LostEnd>(entity.lost_ends.map((end) => [end.head, end]));
    if (shorter && !ends.has(shorter.head)) {
      const { head, revision, found, found_revision } = shorter;
      ends.set(head, { head, revision, found, found_revision, accepted: false });
    }
    for (const head of accepted) {
      const end = ends.get(head) ?? { head, revision: 0, found: "", found_revision: 0 };
      ends.set(head, { ...end, accepted: true });
    }
    w.writeUntracked(entity, "lost_ends", [...ends.values()].slice(-MAX_ENDS));
  },
});
