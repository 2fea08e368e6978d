import { openObject, optional, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";

export const leaseReleased = defineEvent({
  type: "lease.released",
  doc: "A claim on a step, or (step_id null) on the whole, was given back, or ended by another actor with a reason.",
  payload: openObject({ step_id: orNull(stepId), reason: optional(text()), message }),
  undoable: false,
  undo: "Cannot be undone; it can be claimed again.",
  free: true,
  apply: (entity, p, _fact, w) => {
    if (p.step_id === null) return w.write(entity, "lease", null);
    const step = liveStep(entity, p.step_id);
    if (step) w.write(step, "lease", null);
  },
});
