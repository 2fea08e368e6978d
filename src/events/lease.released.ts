import { integer, openObject, optional, orNull, text } from "../state/schema.ts";
import { endAllClaims, endClaim } from "./claims_met.ts";
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
  apply: (entity, { step_id, claim }, { ts }, w) => {
    const at = step_id === null ? entity : liveStep(entity, step_id);
    if (!at) return;
    // Its writer knew of no other claim: one of another branch stays (LEASE-9).
    if (claim) endClaim(at, claim, ts, w);
    else if (claim === null && at.lease) w.say(`${at.$}lease`, null);
    else endAllClaims(at, w);
  },
});
