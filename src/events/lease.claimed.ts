import { hasEnded } from "../state/ended.ts";
import { integer, openObject, orNull, text } from "../state/schema.ts";
import { noteClaimant } from "./claimants.ts";
import { addClaim } from "./claims_met.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";

export const leaseClaimed = defineEvent({
  type: "lease.claimed",
  doc: "An actor took a step, or (step_id null) the whole, to work on until the claim expires; a closed step cannot be taken.",
  payload: openObject({ step_id: orNull(stepId), ttl_s: integer(), expires_at: text(), fence: integer(), message }),
  undoable: false,
  undo: "Cannot be undone; the claim is released or expires.",
  free: true,
  apply: (entity, { step_id, expires_at, fence }, { by, ts }, w) => {
    const lease = { by, claimed_at: ts, expires_at, fence };
    if (step_id === null) {
      if (hasEnded(entity)) return;
      addClaim(entity, lease, w);
      noteClaimant(entity.children, by, w);
      return;
    }
    const step = liveStep(entity, step_id);
    if (!step || step.done) return;
    addClaim(step, lease, w);
    noteClaimant([step], by, w);
  },
});
