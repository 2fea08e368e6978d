import { openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";
import { reopenAbove } from "./recompute.ts";

export const stepReopened = defineEvent({
  type: "step.reopened",
  doc: "A closed step is open again; its confirmations stay as they are.",
  payload: openObject({ step_id: stepId, reason: text(), message }),
  undoable: true,
  undo: "Closes the step again as it was closed before.",
  apply: (entity, p, _fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (!step) return;
    w.write(step, "done", false);
    w.writeUntracked(step, "done_at", null);
    w.writeUntracked(step, "done_by", null);
    w.writeUntracked(step, "forced", null);
    w.writeUntracked(step, "reopened", p.reason);
    reopenAbove(entity, step.parent, p.reason, w);
  },
});
