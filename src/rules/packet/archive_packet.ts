/** Putting a packet into the archive, and bringing it back (PACKET-180). */
import type { Draft } from "../../events/define.ts";
import { packetArchived } from "../../events/packet.archived.ts";
import type { Subject } from "../../state/entity.ts";
import type { Packet, PacketFile } from "../../state/packet.ts";
import { refuseLive } from "../archive_task.ts";
import type { LookForDispatcher } from "../../state/packet_next.ts";
import { counted } from "../../state/counted.ts";
import { sentence } from "../phrase.ts";
import { packetOf, refuseBusy } from "./packet_of.ts";

/** `keep` and `drop` are about all outputs, a number about those that have more bytes. */
export type OutputPolicy = "keep" | "drop" | number;

/** STAGE_RUNNING while an attempt is under way. */
export function archivePacket(subject: Subject, outputs: OutputPolicy, dispatcher: LookForDispatcher): Draft[] {
  const packet = packetOf(subject);
  refuseBusy(subject, dispatcher);
  const dropped = bulky(packet, outputs).map(({ path }) => path);
  const without = dropped.length === 0 ? "" : ` without ${counted(dropped.length, "output")}`;
  return [packetArchived.draft({ archived: true, dropped, message: sentence(`Archived the packet${without}`) })];
}

/** ALREADY_DONE where it is live. */
export function restorePacket(subject: Subject): Draft[] {
  packetOf(subject);
  refuseLive(subject);
  return [packetArchived.draft({ archived: false, dropped: [], message: "Restored the packet from the archive." })];
}

function bulky({ attempts }: Packet, outputs: OutputPolicy): PacketFile[] {
  if (outputs === "keep") return [];
  const most = outputs === "drop" ? -1 : outputs;
  const files = attempts.flatMap(({ ended }) => Object.values(ended?.files ?? {}));
  return files.filter(({ size, dropped }) => dropped !== true && size > most);
}
