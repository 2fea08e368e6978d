/** The packet in radar and handoff (PACKET-133, PACKET-134). */
import type { Entity } from "../state/entity.ts";
import { stageState } from "../state/packet.ts";
import { currentFailure, nextAction } from "../state/packet_next.ts";
import { piece } from "./lines.ts";

/** What to do next; nothing where there is no packet, or all of its stages are done. */
export function packetNextLines({ packet }: Entity): string[] {
  if (!packet) return [];
  const { stage, action } = nextAction(packet);
  return stage === null ? [] : [`Packet: ${action}`];
}

/** What keeps the packet from going on. */
export function* packetTroubles({ packet }: Entity): Generator<string> {
  if (!packet) return;
  const { stage, allowed, because } = nextAction(packet);
  if (stage !== null && !allowed) yield `Packet stops at ${stage}: ${because}`;
  const failure = currentFailure(packet);
  if (failure)
    yield `Packet stage ${failure.stage} failed (${failure.class}): ${piece(failure.reasons[0] ?? failure.signature)}`;
}

export function packetDone({ packet }: Entity): string[] {
  if (!packet) return [];
  return packet.plan.stages
    .filter(({ stage }) => stageState(packet, stage) === "done")
    .map(({ stage }) => `Packet stage ${stage}`);
}

export function packetRemaining({ packet }: Entity): string[] {
  if (!packet) return [];
  return packet.plan.stages.flatMap(({ stage }) => {
    const state = stageState(packet, stage);
    return state === "done" ? [] : [`Packet stage ${stage}${state === "pending" ? "" : ` (${state})`}`];
  });
}
