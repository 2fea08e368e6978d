import type { WarningCode } from "../errors.ts";
import type { Kind, Ref, Status, Subject } from "./entity.ts";
import { archivedTasks, isArchived, isAway } from "./archive.ts";
import { statusOf } from "./status.ts";
import { preOrder } from "./tree.ts";

/** What a list says of a plan or task: so little that all of them fit in memory, and in an index. */
export interface Listed {
  id: string;
  root: string;
  kind: Kind;
  title: string;
  status: Status;
  revision: number;
  parent: Ref | null;
  priority: string;
  tags: readonly string[];
  depends_on: readonly Ref[];
  /** Live steps of a task. */
  steps: { total: number; completed: number };
  updated_at: string;
  /** Deleted, or put away: no list of live ones has it. */
  deleted: boolean;
  /** Put away, and not deleted. */
  archived?: true;
  /** Of a plan: how many of its tasks were put away, and how many of those are DONE. */
  archived_tasks?: { total: number; done: number };
  /** Codes of what every read of it warns of, where its log is not whole. */
  log_warnings?: readonly WarningCode[];
}

export function listedOf({ id, entity }: Pick<Subject, "id" | "entity">): Listed {
  const { root, kind, title, revision, parent, priority, tags, depends_on, updated_at } = entity;
  const deleted = isAway(entity);
  const status = statusOf(entity);
  const steps = { total: 0, completed: 0 };
  for (const step of preOrder(entity.children)) {
    steps.total++;
    if (step.done) steps.completed++;
  }
  const row = {
    id,
    root,
    kind,
    title,
    status,
    revision,
    parent,
    priority,
    tags,
    depends_on,
    steps,
    updated_at,
    deleted,
  };
  const away = archivedTasks(entity);
  const done = away.filter(([, task]) => task.status === "DONE").length;
  return {
    ...row,
    ...(isArchived(entity) ? { archived: true } : {}),
    ...(away.length === 0 ? {} : { archived_tasks: { total: away.length, done } }),
  };
}
