import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, stage } from "./packet_parts.ts";
import { message } from "./parts.ts";

export const stageReopened = defineEvent({
  type: "stage.reopened",
  doc: "A stage that was done has to be done again.",
  payload: openObject({ stage, reason: text(), message }),
  undoable: false,
  undo: "Cannot be undone: run the stage again.",
  apply: (entity, p, fact, w) => {
    changePacket(entity, w, fact, ({ done }) => {
      const { [p.stage]: _gone, ...left } = done;
      return { done: left };
    });
  },
});
