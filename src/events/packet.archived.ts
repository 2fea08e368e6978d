import { boolean, list, openObject, text } from "../state/schema.ts";
import type { Attempt, PacketFile, StageFile } from "../state/packet.ts";
import { markArchived } from "./archiving.ts";
import { defineEvent } from "./define.ts";
import { changePacket } from "./packet_parts.ts";
import { message } from "./parts.ts";

export const packetArchived = defineEvent({
  type: "packet.archived",
  doc: "The packet was put into the archive, or (false) brought back; the named outputs were left out for their size.",
  payload: openObject({ archived: boolean(), dropped: list(text()), message }),
  undoable: false,
  undo: "Cannot be undone: restore the packet, or archive it.",
  apply: (entity, { archived, dropped }, fact, w) => {
    const { packet } = entity;
    if (!packet) return;
    const attempts = dropped.length === 0 ? packet.attempts : packet.attempts.map((one) => without(one, dropped));
    changePacket(entity, w, fact, () => ({ attempts }));
    markArchived(entity, archived, fact, w);
  },
});

function without(attempt: Attempt, dropped: readonly string[]): Attempt {
  const { ended } = attempt;
  if (!ended) return attempt;
  const files = Object.entries(ended.files).map(([name, file]): [StageFile, PacketFile] => [
    name as StageFile,
    dropped.includes(file.path) ? { ...file, dropped: true } : file,
  ]);
  return { ...attempt, ended: { ...ended, files: Object.fromEntries(files) } };
}
