/** Adding steps (STEP-1, STEP-5, STEP-16): one event for all steps of a call, flat, by parent id. */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepsAdded } from "../events/steps.added.ts";
import type { ProofCheckpoint, ProofMode } from "../state/checkpoint.ts";
import type { Subject } from "../state/entity.ts";
import { isStepId } from "../state/ids.ts";
import { LIMITS } from "../state/limits.ts";
import type { Step } from "../state/step.ts";
import { depthOf } from "../state/tree.ts";
import { counted, nameOf, sentence } from "./phrase.ts";
import { reopenAbove } from "./reopen_step.ts";
import { refusePlan, stepOf } from "./step_of.ts";
import { radarCall } from "./suggest.ts";
import { checkTitle, cleanList } from "./text.ts";

export interface StepInput {
  title: string;
  success_criteria: readonly string[];
  tests?: readonly string[];
  blockers?: readonly string[];
  proof?: { [C in ProofCheckpoint]?: ProofMode };
}

/** Adds steps under `parent` (a path or step id; left out: at the top) and opens what is closed above them. */
export function addSteps(
  subject: Subject,
  parent: string | undefined,
  steps: readonly StepInput[],
  newStepId: () => string,
): Draft[] {
  refusePlan(subject);
  const under =
    parent === undefined ? null : stepOf(subject, isStepId(parent) ? { step_id: parent } : { path: parent });
  const depth = depthOf(under) + 1;
  if (depth > LIMITS.stepDepth) {
    throw new TaskfoldError("INVALID_INPUT", `Expected steps at most ${LIMITS.stepDepth} deep, found depth ${depth}.`, {
      recovery: "Add them higher up, or as a task of their own.",
      suggestions: [radarCall(subject)],
    });
  }
  const where = under ? `under ${nameOf(under)}` : `to "${subject.entity.title}"`;
  return [
    stepsDraft(under, steps, newStepId, sentence(`Added ${counted(steps.length, "step")} ${where}`)),
    ...reopenAbove(subject, under, "steps were added"),
  ];
}

/** The one event that adds steps; for a new task also part of its first op. */
export function stepsDraft(
  parent: Step | null,
  steps: readonly StepInput[],
  newStepId: () => string,
  message: string,
): Draft {
  if (steps.length === 0) {
    throw new TaskfoldError("INVALID_INPUT", "Expected at least one step, found none.", {
      recovery: "Give steps as a list of objects with title and success_criteria.",
    });
  }
  const bodies = steps.map((step, i) => ({
    id: newStepId(),
    title: checkTitle(step.title, `steps[${i}].title`),
    success_criteria: cleanList(step.success_criteria, `steps[${i}].success_criteria`),
    tests: cleanList(step.tests ?? [], `steps[${i}].tests`),
    blockers: cleanList(step.blockers ?? [], `steps[${i}].blockers`),
    ...(step.proof === undefined ? {} : { proof: step.proof }),
  }));
  return stepsAdded.draft({ parent: parent?.id ?? null, steps: bodies, message });
}
