import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { applyPatch, editPatch } from "./edited.ts";
import { message } from "./parts.ts";

export const taskEdited = defineEvent({
  type: "task.edited",
  doc: "Fields of the task itself were set; null clears one, a list replaces the list.",
  payload: openObject({ patch: editPatch, message }),
  undoable: true,
  undo: "Restores every field of the patch to what it was before.",
  apply: (entity, p, _fact, w) => applyPatch(entity, p.patch, w),
});
