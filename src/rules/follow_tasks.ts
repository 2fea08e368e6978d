/** The status of a plan that ends with its last task, after one of its tasks ended or opened (STEP-82). */
import { isArchivedOrDeleted } from "../state/archive.ts";
import { hasEnded } from "../state/ended.ts";
import type { Subject } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import { isFulfilled, tasksInPlan } from "../state/tasks_in_plan.ts";

/** Undefined: it stays as it is. `rows`: every plan and task as a list shows it. */
export function followedStatus(
  { entity }: Pick<Subject, "entity">,
  rows: () => readonly Listed[],
): "DONE" | "ACTIVE" | undefined {
  const { status, complete_when_done } = entity;
  if (complete_when_done !== true || isArchivedOrDeleted(entity)) return undefined;
  if (status !== "DONE" && hasEnded(entity)) return undefined;
  const { live, archived } = tasksInPlan(entity, rows());
  if (status === "DONE") return live.every(hasEnded) ? undefined : "ACTIVE";
  return isFulfilled([...live, ...archived]) ? "DONE" : undefined;
}
