/** Deleting a step with all below it, or a plan or task (STEP-23, STEP-24). Nothing leaves the log. */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepDeleted } from "../events/step.deleted.ts";
import { taskDeleted } from "../events/task.deleted.ts";
import type { Subject } from "../state/entity.ts";
import type { Step } from "../state/step.ts";
import { preOrder } from "../state/tree.ts";
import { counted, listed, nameOf, sentence } from "./phrase.ts";
import { callOn } from "./suggest.ts";

/** How many steps go with this one, itself included; those deleted before do not count. */
export function stepsBelow(step: Step): number {
  return 1 + [...preOrder(step.children)].length;
}

export function deleteStep(step: Step): Draft[] {
  const below = stepsBelow(step) - 1;
  const with_ = below === 0 ? "" : ` and ${counted(below, "step")} below it`;
  return [stepDeleted.draft({ step_id: step.id, message: sentence(`Deleted ${nameOf(step)}${with_}`) })];
}

/** PLAN_NOT_EMPTY while a plan has live tasks, naming up to five. */
export function deleteEntity(subject: Subject, tasksOfPlan: () => readonly Subject[]): Draft[] {
  const { kind, title } = subject.entity;
  const tasks = kind === "plan" ? tasksOfPlan() : [];
  if (tasks.length > 0) {
    const ids = tasks.map((t) => t.id);
    throw new TaskfoldError(
      "PLAN_NOT_EMPTY",
      `Expected a plan without tasks; ${subject.id} has ${ids.length}: ${listed(ids)}.`,
      {
        recovery: "Delete its tasks first.",
        suggestions: [callOn(tasks[0]!, "tasks_delete", {}, `Delete the first of them, "${tasks[0]!.entity.title}".`)],
        details: { tasks: ids.slice(0, 5), count: ids.length },
      },
    );
  }
  return [taskDeleted.draft({ message: sentence(`Deleted ${kind} "${title}"`) })];
}
