import { defineEvent } from "./define.ts";
import { restoreFields, restorePayload } from "./restore_fields.ts";

export const redoApplied = defineEvent({
  type: "redo.applied",
  doc: "An op that had been undone is in effect again: its fields have the values it gave them.",
  payload: restorePayload,
  undoable: false,
  undo: "Cannot be undone by itself; undo takes the op back once more.",
  apply: (entity, p, { by }, w) => restoreFields(entity, p, { cause: "a redo", by }, w),
});
