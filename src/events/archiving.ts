/** The one way in which events put an entity away and bring it back. */
import type { Op } from "../log/types.ts";
import type { Entity } from "../state/entity.ts";
import type { Fact } from "./define.ts";
import { changePacket } from "./packet_parts.ts";
import type { Writer } from "./writer.ts";

/** No decision of a value: two branches that disagree about it make no conflict (ARCHIVE-20). */
export function markArchived(entity: Entity, archived: boolean, fact: Fact, w: Writer): void {
  w.writeUntracked(entity, "archived", archived);
  changePacket(entity, w, fact, () => ({ archived }));
}

/** Whether an op puts its entity away. */
export function archives({ events }: Op): boolean {
  return events.some(
    ({ type, payload }) => type === "task.archived" || (type === "packet.archived" && payload["archived"] === true),
  );
}
