import type { Step } from "../state/step.ts";
import { anyDone } from "../state/tree.ts";

export type StepState = "pending" | "working" | "done" | "blocked";

/** A step's state in the words of Coco's milestones: working once a checkpoint is confirmed or a step below is done. */
export function stepState(step: Step): StepState {
  if (step.done) return "done";
  if (step.blocked) return "blocked";
  const { criteria, tests, security, perf, docs } = step.confirmed;
  if (step.started || criteria || tests || security || perf || docs) return "working";
  return anyDone(step.children) ? "working" : "pending";
}
