import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const taskRehomed = defineEvent({
  type: "task.rehomed",
  doc: "Two entities stood in one log after a merge; this one, the later, moved to a folder of its own.",
  payload: openObject({ from: text(), to: text(), root: text(), message }),
  undoable: false,
  undo: "Cannot be undone; it is the engine's own.",
  free: true,
  apply: () => undefined,
});
