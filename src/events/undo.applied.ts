import { defineEvent } from "./define.ts";
import { applyTurn, turnPayload } from "./turned.ts";

export const undoApplied = defineEvent({
  type: "undo.applied",
  doc: "An op was taken back: its fields have the values from before it.",
  payload: turnPayload,
  undoable: false,
  undo: "Cannot be undone; redo brings the op again.",
  apply: (entity, p, _fact, w) => applyTurn(entity, p, w),
});
