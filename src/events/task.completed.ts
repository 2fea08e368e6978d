import { openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";
import { hasOpenSteps } from "./recompute.ts";

export const taskCompleted = defineEvent({
  type: "task.completed",
  doc: "The plan or task is DONE. After a merge that brought open steps it is ACTIVE instead, with the reason.",
  payload: openObject({ reason: optional(text()), message }),
  undoable: true,
  undo: "Restores the status it had before.",
  apply: (entity, p, _fact, w) => {
    const open = entity.kind === "task" && hasOpenSteps(entity);
    w.write(entity, "status", open ? "ACTIVE" : "DONE");
    if (!open && entity.lease) w.write(entity, "lease", null);
    w.writeUntracked(
      entity,
      "status_reason",
      open ? "completed on one branch while steps were open on another" : (p.reason ?? null),
    );
  },
});
