/** The packet in radar and handoff (PACKET-132). */
import type { Entity } from "../state/entity.ts";
import { stageState } from "../state/packet.ts";
import type { Failure } from "../state/packet.ts";
import { currentFailure, isStopped, nextStep } from "../state/packet_next.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import { keptSentence, phrased } from "../sentence.ts";
import type { Sentence } from "../sentence.ts";
import { piece } from "./lines.ts";

/** Returns the next action; nothing where there is no packet, or all of its stages are done. */
export function packetNextLines({ packet }: Entity, dispatcher?: LookForDispatcher): Sentence[] {
  if (!packet) return [];
  const { stage, action } = nextStep(packet, dispatcher);
  return stage === null ? [] : [phrased`Packet: ${action}`];
}

/** Returns the obstacles that keep the packet from going on. */
export function* packetTroubles({ packet }: Entity, dispatcher?: LookForDispatcher): Generator<Sentence> {
  if (!packet) return;
  const next = nextStep(packet, dispatcher);
  if (isStopped(next)) yield phrased`Packet stops at ${String(next.stage)}: ${String(next.because)}`;
  const failure = currentFailure(packet);
  if (failure) yield phrased`Packet stage ${failure.stage} failed (${failure.class}): ${reasonOf(failure)}`;
}

/** One that is cut is a text alone. */
function reasonOf({ reasons: [reason], forms, signature }: Failure): Sentence | string {
  const short = piece(reason ?? signature);
  return short === reason ? keptSentence(reason, forms?.[0]) : short;
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
