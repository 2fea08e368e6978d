/** The parts that the gate of a step lacked when an op opened it, for an undo that closes it again (UNDO-33). */
import { lacksInLog, lacksMore } from "../state/checkpoint.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { Checkpoint, Entity, Step } from "../state/entity.ts";
import type { Json } from "../state/schema.ts";
import type { FieldChange } from "./writer.ts";

/** By step id. */
export type LackedBefore = Record<string, string[]>;

export interface GateThen {
  /** Evidence of ops from this place in replay order on came since, and opens nothing (STEP-15). */
  until: number;
  lacked: LackedBefore;
}

const DONE = /^step\.(STEP-[0-9A-F]{8})\.done$/;

export function opens({ field, before, after }: FieldChange): boolean {
  return before === true && after === false && DONE.test(field);
}

/** `changes`: what the op of that index wrote, then what each op after it wrote, up to now. */
export function lackedBefore(
  entity: Entity,
  index: number,
  changes: readonly (readonly FieldChange[])[],
): LackedBefore {
  const opened = changes[0]?.filter(opens) ?? [];
  if (opened.length === 0) return {};
  const first = new Map<string, Json>();
  for (const { field, before } of changes.flat()) if (!first.has(field)) first.set(field, before);
  const lacked: LackedBefore = {};
  for (const { field } of opened) {
    const step = entity.steps.get(DONE.exec(field)![1]!);
    if (step) lacked[step.id] = lacksInLog(withLinksUntil(asBefore(step, first), index));
  }
  return lacked;
}

/** Whether the gate lacks more than then, without what only evidence that came since asks for. */
export function lacksMoreThan(step: Step, { until, lacked }: GateThen): boolean {
  const then = lacksInLog(withLinksUntil(step, until));
  const now = lacksInLog(step).filter((one) => then.includes(one));
  return lacksMore(now, lacked[step.id] ?? []);
}

function asBefore(step: Step, first: ReadonlyMap<string, Json>): Step {
  const confirmed = { ...step.confirmed };
  const proof = { ...step.proof };
  for (const c of CHECKPOINTS) {
    confirmed[c] = (first.get(confirmed.$ + c) as boolean | undefined) ?? confirmed[c];
    proof[c] = (first.get(proof.$ + c) as Step["proof"][Checkpoint] | undefined) ?? proof[c];
  }
  const packet = (first.get(`${step.$}packet`) as boolean | undefined) ?? step.packet;
  // It was closed, and no step that names the packet is closed without what the packet proves (PACKET-222).
  return { ...step, confirmed, proof, packet, accepted: packet ? "claimed" : null };
}

function withLinksUntil(step: Step, until: number): Step {
  const linked = { ...step.linked };
  for (const c of CHECKPOINTS) linked[c] = linked[c].filter((link) => link.op < until);
  return { ...step, linked };
}
