import { defineEvent } from "./define.ts";
import { applyTurn, turnPayload } from "./turned.ts";

export const redoApplied = defineEvent({
  type: "redo.applied",
  doc: "An op that had been undone is in effect again: its fields have the values it gave them.",
  payload: turnPayload,
  undoable: false,
  undo: "Cannot be undone by itself; undo takes the op back once more.",
  apply: (entity, p, _fact, w) => applyTurn(entity, p, w),
});
