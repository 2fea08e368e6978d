import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";
import { setStatus } from "./recompute.ts";

export const taskReopened = defineEvent({
  type: "task.reopened",
  doc: "A DONE task is ACTIVE again because there is open work in it.",
  payload: openObject({ reason: text(), message }),
  undoable: true,
  undo: "Restores the status it had before.",
  apply: (entity, p, fact, w) => {
    setStatus(entity, "ACTIVE", p.reason, fact, w);
  },
});
