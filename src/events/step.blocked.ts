import { openObject, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";

export const stepBlocked = defineEvent({
  type: "step.blocked",
  doc: "A step is blocked and does not close until it is unblocked.",
  payload: openObject({ step_id: stepId, reason: orNull(text()), message }),
  undoable: true,
  undo: "Restores the block and the reason it had before.",
  apply: (entity, p, _fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (!step) return;
    w.write(step, "blocked", true);
    w.write(step, "block_reason", p.reason);
  },
});
