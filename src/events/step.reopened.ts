import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";
import { openStep, reopenAbove } from "./recompute.ts";

export const stepReopened = defineEvent({
  type: "step.reopened",
  doc: "A closed step is open again; its confirmations stay as they are.",
  payload: openObject({ step_id: stepId, reason: text(), message }),
  undoable: true,
  undo: "Closes the step again as it was closed before.",
  apply: (entity, p, _fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (!step) return;
    openStep(entity, step, p.reason, w);
    reopenAbove(entity, step.parent, p.reason, w);
  },
});
