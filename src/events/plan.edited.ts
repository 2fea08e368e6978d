import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { applyPatch, editPatch } from "./edited.ts";
import { message } from "./parts.ts";

export const planEdited = defineEvent({
  type: "plan.edited",
  doc: "Fields of the plan itself were set; null clears one, a list replaces the list.",
  payload: openObject({ patch: editPatch, message }),
  undoable: true,
  undo: "Restores every field of the patch to what it was before.",
  apply: (entity, p, _fact, w) => applyPatch(entity, p.patch, w),
});
