/** The refusal of a plan where a task is needed: which tasks of it are open (ERR-22). */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import type { Subject } from "../state/entity.ts";
import { statusOf } from "../state/status.ts";
import type { CheckedCall } from "./job.ts";
import type { Readable } from "./readable.ts";

const MOST = 20;

/** Any other error comes back as it is. */
export function aboutPlan({ entities, store }: Readable, { workspace }: CheckedCall, e: unknown): unknown {
  const id = isTaskfoldError(e) && e.code === "INVALID_INPUT" ? e.details?.["plan"] : undefined;
  if (!isTaskfoldError(e) || typeof id !== "string") return e;
  const root = store.find(id)?.entity?.root;
  const open = root === undefined ? [] : entities.around(workspace).tasksOfPlan(root).filter(isOpen);
  if (open.length === 0) return e;
  const names = open.slice(0, MOST).map((task) => `${task.id} (${task.entity.title})`);
  return new TaskfoldError(e.code, e.message, {
    recovery: `Name one of its open tasks: ${names.join(", ")}.`,
    suggestions: open.slice(0, 3).map((task) => ({
      tool: "tasks_radar",
      args: { workspace, task: task.id },
      reason: `See the steps of ${task.id}.`,
    })),
    details: { ...e.details, open_tasks: open.slice(0, MOST).map(row) },
    cause: e,
  });
}

function isOpen({ entity }: Subject): boolean {
  return ["TODO", "ACTIVE"].includes(entity.status);
}

function row({ id, entity }: Subject) {
  return { id, title: entity.title, status: statusOf(entity) };
}
