import { integer, list, openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const planUpdated = defineEvent({
  type: "plan.updated",
  doc: "A plan's checklist was set, or how far it has come.",
  payload: openObject({
    doc: optional(text()),
    steps: optional(list(text())),
    current: optional(integer()),
    message,
  }),
  undoable: true,
  undo: "Restores the checklist and the position it had before.",
  apply: (entity, p, _fact, w) => {
    if (p.doc !== undefined) w.write(entity.checklist, "doc", p.doc);
    if (p.steps !== undefined) w.write(entity.checklist, "steps", p.steps);
    if (p.current !== undefined && p.current >= 0) w.write(entity.checklist, "current", p.current);
  },
});
