import { defineEvent } from "./define.ts";
import { restoreFields, restorePayload } from "./restore_fields.ts";

export const undoApplied = defineEvent({
  type: "undo.applied",
  doc: "An op was taken back: its fields have the values from before it.",
  payload: restorePayload,
  undoable: false,
  undo: "Cannot be undone; redo brings the op again.",
  apply: (entity, p, { by }, w) => restoreFields(entity, p, { cause: "an undo", by }, w),
});
