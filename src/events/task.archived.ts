import { openObject } from "../state/schema.ts";
import { markArchived } from "./archiving.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const taskArchived = defineEvent({
  type: "task.archived",
  doc: "The task was put away; its folder moves to the archive with its log.",
  payload: openObject({ message }),
  undoable: false,
  undo: "Cannot be undone: tasks_restore brings the task back.",
  apply: (entity, _p, fact, w) => markArchived(entity, true, fact, w),
});
