import { openObject, optional, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";
import { hasOpenSteps, setStatus } from "./recompute.ts";

export const taskCompleted = defineEvent({
  type: "task.completed",
  doc: "The plan or task is DONE. After a merge that brought open steps it is ACTIVE instead, with the reason.",
  payload: openObject({ reason: optional(text()), message }),
  undoable: true,
  undo: "Restores the status it had before.",
  apply: (entity, p, fact, w) => {
    const open = entity.kind === "task" && hasOpenSteps(entity);
    if (open) setStatus(entity, "ACTIVE", "completed on one branch while steps were open on another", fact, w);
    else setStatus(entity, "DONE", p.reason ?? null, fact, w);
  },
});
