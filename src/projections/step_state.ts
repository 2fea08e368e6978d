import { isBegun } from "../state/status.ts";
import type { Step } from "../state/entity.ts";
import { anyStep } from "../state/tree.ts";

export type StepState = "pending" | "working" | "done" | "blocked";

/** A step's state in the words of Coco's milestones: working once work in it, or in a step below it, has begun. */
export function stepState(step: Step): StepState {
  if (step.done) return "done";
  if (step.blocked) return "blocked";
  return isBegun(step) || anyStep(step.children, isBegun) ? "working" : "pending";
}
