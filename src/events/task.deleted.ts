import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { changePacket } from "./packet_parts.ts";
import { message } from "./parts.ts";

export const taskDeleted = defineEvent({
  type: "task.deleted",
  doc: "The plan or task was deleted; its folder moves to the archive with its log.",
  payload: openObject({ message }),
  undoable: false,
  undo: "Cannot be undone; the folder is in the archive, whole.",
  apply: (entity, _p, fact, w) => {
    // Two branches may archive a packet and delete its task: then no restore brings it back.
    if (entity.packet?.archived) changePacket(entity, w, fact, () => ({ archived: false }));
    w.write(entity, "deleted", true);
  },
});
