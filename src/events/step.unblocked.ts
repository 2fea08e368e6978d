import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";

export const stepUnblocked = defineEvent({
  type: "step.unblocked",
  doc: "A step is no longer blocked.",
  payload: openObject({ step_id: stepId, message }),
  undoable: true,
  undo: "Restores the block and its reason.",
  apply: (entity, p, _fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (!step) return;
    w.write(step, "blocked", false);
    w.write(step, "block_reason", null);
  },
});
