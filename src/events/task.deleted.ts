import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const taskDeleted = defineEvent({
  type: "task.deleted",
  doc: "The plan or task was deleted; its folder moves to the archive with its log.",
  payload: openObject({ message }),
  undoable: false,
  undo: "Cannot be undone; the folder is in the archive, whole.",
  // Two branches may put a task away and delete it: then no restore brings it back.
  apply: (entity, _p, _fact, w) => w.write(entity, "deleted", true),
});
