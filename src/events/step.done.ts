import { gateHoldsInLog } from "../state/checkpoint.ts";
import { openObject, optional, text } from "../state/schema.ts";
import { openChildren } from "../state/tree.ts";
import { defineEvent } from "./define.ts";
import { liveStep, message, stepId } from "./parts.ts";
import { endLease, NOT_ALL_THERE } from "./recompute.ts";

export const stepDone = defineEvent({
  type: "step.done",
  doc: "A step was closed. Judged where it stands in the order: if its gate does not hold there, the step stays open with the reason.",
  payload: openObject({ step_id: stepId, forced: optional(text()), message }),
  undoable: true,
  undo: "Opens the step again and restores what closing it had replaced.",
  apply: (entity, p, fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (!step) return;
    const why = gateHoldsInLog(step, fact.by)
      ? p.forced === undefined && step.blocked
        ? "it was blocked"
        : p.forced === undefined && openChildren(step).length > 0
          ? "steps below it were open"
          : null
      : NOT_ALL_THERE;
    if (why !== null) {
      w.writeUntracked(step, "reopened", `closed on one branch, but on another ${why}`);
      return;
    }
    w.write(step, "done", true);
    endLease(step, w);
    w.writeUntracked(step, "done_at", fact.ts);
    w.writeUntracked(step, "done_by", fact.by);
    w.writeUntracked(step, "forced", p.forced ?? null);
    w.writeUntracked(step, "reopened", null);
  },
});
