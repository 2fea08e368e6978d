/** The packet in radar and handoff (PACKET-133, PACKET-134). */
import type { Entity } from "../state/entity.ts";
import { stageState } from "../state/packet.ts";
import { currentFailure, isStopped, nextAction } from "../state/packet_next.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import { piece } from "./lines.ts";

/** Returns the next action; nothing where there is no packet, or all of its stages are done. */
export function packetNextLines({ packet }: Entity, dispatcher?: LookForDispatcher): string[] {
  if (!packet) return [];
  const { stage, action } = nextAction(packet, dispatcher);
  return stage === null ? [] : [`Packet: ${action}`];
}

/** Returns the obstacles that keep the packet from going on. */
export function* packetTroubles({ packet }: Entity, dispatcher?: LookForDispatcher): Generator<string> {
  if (!packet) return;
  const next = nextAction(packet, dispatcher);
  if (isStopped(next)) yield `Packet stops at ${next.stage}: ${next.because}`;
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
