import { list, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

export const logGap = defineEvent({
  type: "log.gap",
  doc: "Lines named by later ones are declared lost; what waited for them hangs below this event (the log layer sees to it).",
  payload: openObject({ void: list(text()), message }),
  undoable: false,
  undo: "Cannot be undone; a line that turns up later is used all the same.",
  free: true,
  apply: () => undefined,
});
