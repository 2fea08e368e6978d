/** Deleting a step with all below it, or a plan or task (STEP-5, TXN-9). Nothing leaves the log. */
import type { Draft } from "../events/define.ts";
import { stepDeleted } from "../events/step.deleted.ts";
import { taskDeleted } from "../events/task.deleted.ts";
import type { Step, Subject } from "../state/entity.ts";
import { preOrder } from "../state/tree.ts";
import { counted } from "../state/counted.ts";
import { nameOf, sentence } from "./phrase.ts";

/** How many steps go with this one, itself included; those deleted before do not count. */
export function stepsBelow(step: Step): number {
  return 1 + [...preOrder(step.children)].length;
}

export function deleteStep(step: Step): Draft[] {
  const below = stepsBelow(step) - 1;
  const with_ = below === 0 ? "" : ` and ${counted(below, "step")} below it`;
  return [stepDeleted.draft({ step_id: step.id, message: sentence(`Deleted ${nameOf(step)}${with_}`) })];
}

export function deleteEntity({ entity: { kind, title } }: Subject): Draft[] {
  return [taskDeleted.draft({ message: sentence(`Deleted ${kind} "${title}"`) })];
}
