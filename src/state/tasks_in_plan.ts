/** The tasks that a plan has, as a list tells, and whether they fulfil it. */
import { archivedTasks } from "./archive.ts";
import type { ArchivedTask, Entity } from "./entity.ts";
import type { Listed } from "./listed.ts";

export interface TasksInPlan {
  live: Listed[];
  /** Those that the plan names as put away. A task that a merge brought back is live again, whatever the plan names. */
  archived: ArchivedTask[];
}

export function tasksInPlan(plan: Pick<Entity, "root" | "archived_tasks">, rows: readonly Listed[]): TasksInPlan {
  const live = rows.filter((row) => row.kind === "task" && !row.deleted && row.parent?.root === plan.root);
  const roots = new Set(live.map(({ root }) => root));
  const archived = archivedTasks(plan).flatMap(([root, task]) => (roots.has(root) ? [] : [task]));
  return { live, archived };
}

/** Whether a task is DONE, and no other one is left to do. A failed task is a reason to think again, and not to finish. */
export function isFulfilled(tasks: readonly Pick<Listed, "status">[]): boolean {
  const isOver = ({ status }: Pick<Listed, "status">): boolean => status === "DONE" || status === "CANCELED";
  return tasks.every(isOver) && tasks.some(({ status }) => status === "DONE");
}
