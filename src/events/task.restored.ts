import { openObject } from "../state/schema.ts";
import { markArchived } from "./archiving.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const taskRestored = defineEvent({
  type: "task.restored",
  doc: "The task was brought back from the archive with its folder.",
  payload: openObject({ message }),
  undoable: false,
  undo: "Cannot be undone: tasks_archive puts the task away again.",
  apply: (entity, _p, fact, w) => markArchived(entity, false, fact, w),
});
