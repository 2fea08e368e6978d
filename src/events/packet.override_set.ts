import { isUnderWay } from "../state/packet.ts";
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
  // The end of a brief sets it, also while another stage is under way.
  isHeld: ({ run: of }, packet, at) =>
    !packet.attempts.some((one) => one.run === of && one.ops?.ends.includes(at.index)) && isUnderWay(packet, at),
  apply: (entity, { commands }, fact, w) => {
    changePacket(entity, w, fact, () => ({ override: commands }));
    recomputePacket(entity, w);
  },
});
