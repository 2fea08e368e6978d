import { boolean, list, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket } from "./packet_parts.ts";
import { message } from "./parts.ts";

export const packetArchived = defineEvent({
  type: "packet.archived",
  doc: "The packet was put into the archive, or (false) brought back; the named outputs were left out for their size.",
  payload: openObject({ archived: boolean(), dropped: list(text()), message }),
  undoable: false,
  undo: "Cannot be undone: restore the packet, or archive it.",
  apply: (entity, { archived }, fact, w) => {
    if (!entity.packet) return;
    changePacket(entity, w, fact, () => ({ archived }));
    w.write(entity, "deleted", archived);
  },
});
