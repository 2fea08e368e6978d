/** Files of a packet's own folder that say what its log said before: a crash or a merge left them behind the log (PACKET-196). */
import type { Packet } from "../../state/packet.ts";
import { currentFailure } from "../../state/packet_next.ts";
import type { NotTaken } from "../../state/packet_taken.ts";
import type { ForeignPacket } from "./import_packet.ts";
import { toSecond } from "../../to_second.ts";
import { isSameFailure, isSameValue, newSignatures } from "./import_packet.ts";

const WHY = "it is older than the log, which has another value since";

/** `states`: all that the packet was, in order; the last one is the present. */
export function withoutOlder(
  from: ForeignPacket,
  states: readonly Packet[],
): { packet: ForeignPacket; left: NotTaken[] } {
  const present = states.at(-1);
  if (!present) return { packet: from, left: [] };
  const left: NotTaken[] = [];
  const isOlder = (path: string, says: (packet: Packet) => boolean): boolean => {
    const is = !says(present) && states.some(says);
    if (is) left.push({ path, reason: WHY });
    return is;
  };
  const { manifest, paid_calls_used, signatures, last_failure: failure, override } = from;
  const counts = isOlder(
    "state/stats.json",
    (one) => one.paid_calls_used === paid_calls_used && newSignatures(one.signatures, signatures) === null,
  );
  const packet: ForeignPacket = {
    ...from,
    manifest: isOlder("manifest.yaml", (one) => isSameValue(one.manifest, manifest)) ? present.manifest : manifest,
    inputs: from.inputs.filter(
      ({ path, text }) =>
        !isOlder(`inputs/${path}`, (one) => one.inputs.some((input) => input.path === path && input.text === text)),
    ),
    markers: from.markers.filter(
      ({ stage, at }) =>
        !isOlder(
          `done/${stage}.done`,
          ({ done }) => at !== null && done[stage] !== undefined && toSecond(done[stage]) === toSecond(at),
        ),
    ),
    ...(counts ? { paid_calls_used: null, signatures: null } : {}),
    ...(failure && isOlder("state/last_failure.json", (one) => isCurrent(one, failure)) ? { last_failure: null } : {}),
    ...(override && isOlder("state/acceptance.commands.override", (one) => isSameValue(one.override, override))
      ? { override: null }
      : {}),
  };
  return { packet, left };
}

function isCurrent(packet: Packet, failure: NonNullable<ForeignPacket["last_failure"]>): boolean {
  const current = currentFailure(packet);
  return current !== null && isSameFailure(current, failure);
}
