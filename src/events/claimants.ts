/** The actors that worked on a step. A claim covers the steps below it. A step keeps the names: it may ask for other eyes than theirs, also later (PROOF-55). */
import type { Entity, Step } from "../state/entity.ts";
import { allClaims } from "../state/lease.ts";
import { preOrder } from "../state/tree.ts";
import type { Writer } from "./writer.ts";

/** Open steps and those below them, when an actor claims what they stand in. */
export function noteClaimant(steps: readonly Step[], by: string, w: Writer): void {
  for (const step of preOrder(steps)) if (!step.done) note(step, by, w);
}

/** A step that is new or open again, while claims stand above it. */
export function noteClaimsAbove(entity: Entity, step: Step, w: Writer): void {
  for (let at = step.parent; at; at = at.parent) for (const { by } of allClaims(at)) note(step, by, w);
  for (const { by } of allClaims(entity)) note(step, by, w);
}

function note(step: Step, by: string, w: Writer): void {
  const { claimants = [] } = step;
  if (!claimants.includes(by)) w.writeUntracked(step, "claimants", [...claimants, by]);
}
