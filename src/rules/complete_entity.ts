/** Setting the status of a plan or task (STEP-20). */
import type { Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { remedy } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { statusChanged } from "../events/status.changed.ts";
import { taskCompleted } from "../events/task.completed.ts";
import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import { hasEnded } from "../state/ended.ts";
import type { Status, Step, Subject } from "../state/entity.ts";
import { firstOpen, preOrder } from "../state/tree.ts";
import { failedOnWhole } from "../state/whole_runs.ts";
import { counted } from "../state/counted.ts";
import { keptNothing, listed, nameOf, sentence } from "./phrase.ts";
import { callOn, proofCall, stepCall, verifyCall } from "./suggest.ts";
import { givenText } from "./text.ts";
import { failedIds, proofDetails, proofsToo, unproved, wholeFailed } from "./unproved.ts";
import type { Around } from "./work_begun.ts";
import { refuseBegun } from "./work_begun.ts";

/**
 * DONE is gated for a task: STEPS_OPEN, then CHECKPOINTS_NOT_CONFIRMED and PROOF_REQUIRED for closed steps that evidence
 * asked more of afterwards. ALREADY_DONE when it is. WORK_BEGUN where begun work would be called not begun. Of `around` only a plan
 * needs the tasks.
 */
export function completeEntity(
  subject: Subject,
  status: Status,
  reason: string | undefined,
  around: Around,
): { drafts: Draft[]; warnings: Warning[] } {
  const { entity } = subject;
  const why = givenText(reason, "reason");
  const reasonField = why === undefined ? {} : { reason: why };
  const name = `${entity.kind === "plan" ? "plan" : "task"} "${entity.title}"`;
  if (status !== "DONE") {
    if (status === "TODO") refuseBegun(subject, around);
    const message = sentence(`Set ${name} to ${status}`, why);
    return { drafts: [statusChanged.draft({ status, ...reasonField, message })], warnings: [] };
  }
  if (entity.status === "DONE") throw alreadyDone(subject);
  if (entity.kind === "plan") for (const error of failedAsWhole(subject, around)) throw error;
  const warnings = entity.kind === "task" ? gateTask(subject, around) : openTasks(around.tasksOfPlan());
  const message = sentence(`Completed ${name}`, why);
  return { drafts: [taskCompleted.draft({ ...reasonField, message })], warnings };
}

function gateTask(subject: Subject, around: Around): Warning[] {
  for (const error of unmet(subject, around)) throw error;
  if (!subject.entity.children.every((step) => step.deleted)) return [];
  const recovery = "If there was work to be checked, add steps for it and close them.";
  return [{ code: "NO_STEPS", message: `${subject.id} was completed without a single step.`, recovery }];
}

/** Everything that keeps the plan or task from being DONE, in the order in which a caller is told of it. */
export function* unmet(subject: Subject, around: Around): Generator<TaskfoldError> {
  const { entity } = subject;
  if (entity.status === "DONE") yield alreadyDone(subject);
  const steps = [...preOrder(entity.children)];
  const first = firstOpen(entity);
  if (first) yield stepsOpen(subject, first, steps);
  for (const step of steps) {
    if (!step.done) continue;
    const missing = missingCheckpoints(step);
    const proofs = missingProofs(step);
    if (missing.length > 0) {
      yield new TaskfoldError(
        "CHECKPOINTS_NOT_CONFIRMED",
        `Expected ${missing.join(", ")} of ${nameOf(step)} confirmed; it was closed before evidence asked for that.${proofsToo(subject, step, proofs)}`,
        {
          ...remedy`Confirm what is missing once it holds.${keptNothing(subject, failedIds(subject, step, proofs))}`,
          suggestions: [
            verifyCall(subject, step, missing),
            ...(proofs.length === 0 ? [] : [proofCall(subject, step, proofs)]),
          ],
          details: { missing, step_id: step.id, ...proofDetails(subject, step, proofs) },
        },
      );
    }
    if (proofs.length > 0) yield unproved(subject, step, proofs);
  }
  yield* failedAsWhole(subject, around);
}

function* failedAsWhole(subject: Subject, around: Around): Generator<TaskfoldError> {
  const failed = failedOnWhole(subject.entity);
  if (failed.length > 0) yield wholeFailed(subject, failed, around);
}

function alreadyDone(subject: Subject): TaskfoldError {
  const { kind } = subject.entity;
  return new TaskfoldError("ALREADY_DONE", `Expected a ${kind} that is not DONE; ${subject.id} is.`, {
    recovery: "Nothing is left to do; set it to ACTIVE only if there is more work.",
    suggestions: [callOn(subject, "tasks_complete", { status: "ACTIVE" }, "Take it up again.")],
  });
}

function stepsOpen(subject: Subject, first: Step, steps: readonly Step[]): TaskfoldError {
  const open = steps.filter((s) => !s.done).length;
  return new TaskfoldError(
    "STEPS_OPEN",
    `Expected every step of ${subject.id} to be closed; ${open} of ${steps.length} open, first ${nameOf(first)}.`,
    {
      recovery: "Close the open steps, or delete those that are not needed.",
      suggestions: [stepCall(subject, first)],
      details: { open, step_id: first.id },
    },
  );
}

function openTasks(tasks: readonly Subject[]): Warning[] {
  const open = tasks.filter(({ entity }) => !hasEnded(entity));
  if (open.length === 0) return [];
  const message = `${counted(open.length, "task")} of the plan not ended: ${listed(open.map((t) => t.id))}.`;
  return [{ code: "OPEN_TASKS", message, recovery: "Complete or cancel them, or set the plan to ACTIVE again." }];
}
