/** Whether a task can be completed. Evidence may ask for more of closed steps, and a run may fail (STEP-20, PROOF-90). */
import { missingCheckpoints, missingProofs } from "./checkpoint.ts";
import type { Entity, Step } from "./entity.ts";
import { preOrder } from "./tree.ts";
import { failedOnWhole } from "./whole_runs.ts";

/** Whether `tasks_complete` would go through, as far as steps and evidence go. */
export function isCompletable(entity: Entity): boolean {
  const steps = [...preOrder(entity.children)];
  return (
    steps.length > 0 && steps.every((step) => step.done) && heldSteps(entity).length === 0 && !isHeldAsWhole(entity)
  );
}

/** Closed steps that lack something by now. */
export function heldSteps(entity: Entity): Step[] {
  return [...preOrder(entity.children)].filter(
    (step) =>
      step.done && (missingCheckpoints(step).length > 0 || missingProofs(step, step.done_by ?? undefined).length > 0),
  );
}

export function isHeldAsWhole(entity: Entity): boolean {
  return failedOnWhole(entity).length > 0;
}
