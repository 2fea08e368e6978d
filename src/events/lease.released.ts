import type { Entity, Lease } from "../state/entity.ts";
import { integer, openObject, optional, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";

export const leaseReleased = defineEvent({
  type: "lease.released",
  doc: "A claim on a step, or (step_id null) on the whole, was given back, or ended by another actor with a reason.",
  payload: openObject({
    step_id: orNull(stepId),
    claim: optional(orNull(openObject({ by: text(), fence: integer() }))),
    reason: optional(text()),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone; it can be claimed again.",
  free: true,
  apply: (entity, { step_id, claim }, _fact, w) => {
    const at = step_id === null ? entity : liveStep(entity, step_id);
    if (!at) return;
    // A claim that its writer never saw stays: another branch made it (LEASE-51).
    if (claim !== undefined && isAnother(at.lease, claim)) return w.say(`${at.$}lease`, null);
    w.write(at as Entity, "lease", null);
  },
});

/** Whether a claim stands there, and not the one that the event names. Null: its writer found none. */
function isAnother(lease: Lease | null, named: Pick<Lease, "by" | "fence"> | null): boolean {
  return lease !== null && (lease.by !== named?.by || lease.fence !== named.fence);
}
