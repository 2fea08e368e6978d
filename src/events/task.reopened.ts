import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const taskReopened = defineEvent({
  type: "task.reopened",
  doc: "A DONE task is ACTIVE again because there is open work in it.",
  payload: openObject({ reason: text(), message }),
  undoable: true,
  undo: "Restores the status it had before.",
  apply: (entity, p, _fact, w) => {
    w.write(entity, "status", "ACTIVE");
    w.writeUntracked(entity, "status_reason", p.reason);
  },
});
