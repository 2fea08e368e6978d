import type { Checkpoint } from "../state/entity.ts";
import { lacksInLog } from "../state/checkpoint.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import { boolean, openObject, optional } from "../state/schema.ts";
import { noteConfirmer } from "./confirmers.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";
import { recomputeGate } from "./recompute.ts";

export const stepVerified = defineEvent({
  type: "step.verified",
  doc: "Checkpoints of a step were confirmed (true) or their confirmation was taken back (false).",
  payload: openObject({
    step_id: stepId,
    checkpoints: openObject({
      criteria: optional(boolean()),
      tests: optional(boolean()),
      security: optional(boolean()),
      perf: optional(boolean()),
      docs: optional(boolean()),
    }),
    message,
  }),
  undoable: true,
  undo: "Restores the confirmations it changed.",
  apply: (entity, p, { by }, w, _, { index }) => {
    const step = liveStep(entity, p.step_id);
    if (!step) return;
    const before = step.done ? lacksInLog(step) : [];
    for (const c of CHECKPOINTS) {
      const value = p.checkpoints[c as Checkpoint];
      if (value === undefined) continue;
      w.write(step.confirmed, c, value);
      if (value) noteConfirmer(step, c, { by, op: index }, w);
    }
    recomputeGate(entity, step, before, "a confirmation was taken back", w);
  },
});
