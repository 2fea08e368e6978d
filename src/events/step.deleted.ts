import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";

export const stepDeleted = defineEvent({
  type: "step.deleted",
  doc: "A step and everything below it were deleted. Its path is never given to another step.",
  payload: openObject({ step_id: stepId, message }),
  undoable: false,
  undo: "Cannot be undone.",
  apply: (entity, p, _fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (step) w.write(step, "deleted", true);
  },
});
