import { list, openObject, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket, run } from "./packet_parts.ts";
import { message } from "./parts.ts";
import { recomputePacket } from "./recompute.ts";

export const packetOverrideSet = defineEvent({
  type: "packet.override_set",
  doc: "The brief named the commands that verify the work; null: it named none, so those of the manifest count.",
  payload: openObject({ commands: orNull(list(text())), run: orNull(run), message }),
  undoable: false,
  undo: "Cannot be undone: run the brief again.",
  apply: (entity, { commands }, fact, w) => {
    changePacket(entity, w, fact, () => ({ override: commands }));
    recomputePacket(entity, w);
  },
});
