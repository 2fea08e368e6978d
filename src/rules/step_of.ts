import { messageOf } from "../message.ts";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { remedy, remedyOf, toolName } from "../remedy.ts";
import type { Step, Subject } from "../state/entity.ts";
import type { StepSelector } from "../state/tree.ts";
import { pathOf, postOrder, selectStep } from "../state/tree.ts";
import { listed, nameOf } from "./phrase.ts";
import type { CallTarget } from "./suggest.ts";
import { callOn, radarCall } from "./suggest.ts";

/**
 * The step a write means (STEP-3): INVALID_INPUT on a plan, else as `selectStep` refuses, with a call that
 * shows what is there.
 */
export function stepOf(subject: Subject, by: StepSelector): Step {
  return find(subject, by, "write");
}

/** The step that a read is about, or null when none is named: a path that a merge moved is good enough for it. */
export function stepToRead(subject: Subject, by: StepSelector): Step | null {
  return by.step_id === undefined && by.path === undefined ? null : find(subject, by, "read");
}

function find(subject: Subject, by: StepSelector, use: "read" | "write"): Step {
  refusePlan(subject);
  try {
    return selectStep(subject.entity, by, use);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    const open = openSteps(subject);
    const named = listed(open.map(nameOf), 20);
    throw new TaskfoldError(e.code, messageOf(e), {
      ...(open.length > 0
        ? { recovery: `The open steps are ${named}.` }
        : { recovery: "No step of it is open.", ...remedyOf(e) }),
      suggestions: [radarCall(subject)],
      details: { ...e.details, open_steps: open.slice(0, MAX_NAMED).map(stepHead) },
      cause: e,
    });
  }
}

/** Returns the steps that may have been meant. */
function openSteps({ entity }: Subject): Step[] {
  return [...postOrder(entity.children)].filter((step) => !step.done);
}

const MAX_NAMED = 100;

const stepHead = (step: Step) => ({ step_id: step.id, path: pathOf(step), title: step.title });

/** As `stepOf`, or null when no step was named: the call is about the whole. An empty text names neither (INVALID_INPUT). */
export function stepOrWhole(subject: Subject, by: StepSelector): Step | null {
  const empty = (["path", "step_id"] as const).find((name) => by[name] === "");
  if (empty !== undefined) {
    throw new TaskfoldError("INVALID_INPUT", `Expected ${empty} to name a step of ${subject.id}, found "".`, {
      ...remedy`Leave ${empty} out to mean all of ${subject.id}, or give what ${toolName("tasks_radar")} names.`,
      suggestions: [radarCall(subject)],
    });
  }
  return by.step_id === undefined && by.path === undefined ? null : stepOf(subject, by);
}

/** Steps stand in tasks only (STEP-1). */
export function refusePlan(subject: CallTarget): void {
  if (subject.entity.kind !== "plan") return;
  throw new TaskfoldError("INVALID_INPUT", `Expected a task, which has steps; ${subject.id} is a plan.`, {
    recovery: "Name the task whose step you mean, or create one under this plan.",
    suggestions: [callOn(subject, "tasks_radar", {}, "See what this plan says.")],
    details: { plan: subject.id },
  });
}
