/** The process that runs a packet (PACKET-143). */
import type { LookForDispatcher } from "../../state/packet_next.ts";
import type { EngineContext } from "../core/context.ts";
import { packetLock } from "../core/lock.ts";
import { lookAtLock } from "../locks/look_at_lock.ts";

/** Whether the folder of locks has this name from a packet that was run. */
export function isPacketLock(name: string): boolean {
  return /\.packet\.lock(?:\.d)?$/.test(name);
}

/** The process that runs the packet; undefined where none does. */
export function packetHolder(context: EngineContext, id: string): { pid: number; since?: number } | undefined {
  const { disk, layout } = context;
  const path = layout.lock(packetLock(id));
  // A read makes no lock where there never was one.
  const isThere = [path, `${path}.d`].some((one) => disk.lstat(one) !== undefined);
  return isThere ? context.locks().holder(packetLock(id)) : undefined;
}

/** The same for a reader that takes no lock; undefined where this machine does not tell. */
export function lookForDispatcher(
  context: Pick<EngineContext, "disk" | "layout" | "now" | "runtime">,
  id: string,
): LookForDispatcher | undefined {
  const seen = lookAtLock(context, packetLock(id));
  if (seen.state === "unknown") return undefined;
  const holder = seen.state === "held" ? { pid: seen.pid } : undefined;
  return () => holder;
}
