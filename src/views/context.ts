import type { Warning } from "../errors.ts";
import { compareIds } from "../state/compare_ids.ts";
import type { IdOf, Kind, Status, Subject } from "../state/entity.ts";
import { STATUSES } from "../state/entity.ts";
import { DEFAULT_PRIORITY } from "../state/new_entity.ts";
import { LIMITS } from "../state/limits.ts";
import { preOrder } from "../state/tree.ts";

/** Cursors are offsets into the list in natural id order. */
export interface ContextInput {
  plans_limit?: number;
  plans_cursor?: number;
  tasks_limit?: number;
  tasks_cursor?: number;
}

export type ContextRow = {
  id: string;
  kind: Kind;
  title: string;
  status: Status;
  revision: number;
  parent: string | null;
  /** The next three only where they say something. */
  priority?: string;
  tags?: string[];
  /** Present ids. */
  depends_on?: string[];
  steps: { total: number; completed: number };
  /** Whole percent: closed steps of a task, DONE tasks of a plan. */
  progress: number;
  updated_at: string;
};

export type PlanRow = ContextRow & { tasks: { total: number; done: number } };

export type Pagination = { cursor: number; next_cursor: number | null; total: number; count: number; limit: number };

export type Context = {
  counts: { plans: number; tasks: number };
  /** Over every plan and task of the workspace, not over the page. */
  by_status: Record<Status, number>;
  plans: PlanRow[];
  tasks: ContextRow[];
  plans_pagination: Pagination;
  tasks_pagination: Pagination;
};

const DEFAULT_LIMIT = 50;

/** The workspace as two pages of rows (VIEW-11 to VIEW-13). Deleted entities are not in it. */
export function contextOf(
  subjects: Subject[],
  idOf: IdOf,
  input: ContextInput = {},
): { result: Context; warnings: Warning[] } {
  const live = subjects.filter((s) => !s.entity.deleted).toSorted((a, b) => compareIds(a.id, b.id));
  const plans = live.filter((s) => s.entity.kind === "plan");
  const tasks = live.filter((s) => s.entity.kind === "task");
  const warnings: Warning[] = [];
  const planPage = page(plans, "plans", input.plans_cursor, input.plans_limit, warnings);
  const taskPage = page(tasks, "tasks", input.tasks_cursor, input.tasks_limit, warnings);
  const byPlan = tasksByPlan(tasks);
  const ids = new Map(live.map((s) => [s.entity.root, s.id]));
  // Most of what a row names is in the list itself.
  const named: IdOf = (ref) => ids.get(ref.root) ?? idOf(ref);
  const by_status = Object.fromEntries(STATUSES.map((s) => [s, 0])) as Record<Status, number>;
  for (const { entity } of live) by_status[entity.status]++;
  return {
    result: {
      counts: { plans: plans.length, tasks: tasks.length },
      by_status,
      plans: planPage.items.map((s) => planRow(s, named, byPlan.get(s.entity.root) ?? NO_TASKS)),
      tasks: taskPage.items.map((s) => taskRow(s, named)),
      plans_pagination: planPage.pagination,
      tasks_pagination: taskPage.pagination,
    },
    warnings,
  };
}

function page(
  all: Subject[],
  name: "plans" | "tasks",
  cursor = 0,
  asked = DEFAULT_LIMIT,
  warnings: Warning[],
): { items: Subject[]; pagination: Pagination } {
  const limit = Math.min(asked, LIMITS.listPage);
  if (asked > limit) {
    warnings.push({
      code: "LIMIT_CLAMPED",
      message: `Expected ${name}_limit of at most ${LIMITS.listPage}, found ${asked}; ${limit} is used.`,
      recovery: `Follow ${name}_pagination.next_cursor for the rest.`,
    });
  }
  const items = all.slice(cursor, cursor + limit);
  const end = cursor + items.length;
  const next_cursor = end < all.length ? end : null;
  return { items, pagination: { cursor, next_cursor, total: all.length, count: items.length, limit } };
}

const NO_TASKS = { total: 0, done: 0 };

/** Tasks follow the root of their plan, not its id: an id may change hands in a merge. */
function tasksByPlan(tasks: Subject[]): Map<string, { total: number; done: number }> {
  const counts = new Map<string, { total: number; done: number }>();
  for (const { entity } of tasks) {
    if (entity.parent === null) continue;
    const count = counts.get(entity.parent.root) ?? { total: 0, done: 0 };
    count.total++;
    if (entity.status === "DONE") count.done++;
    counts.set(entity.parent.root, count);
  }
  return counts;
}

function taskRow(subject: Subject, idOf: IdOf): ContextRow {
  const steps = { total: 0, completed: 0 };
  for (const step of preOrder(subject.entity.children)) {
    steps.total++;
    if (step.done) steps.completed++;
  }
  return rowOf(subject, idOf, steps, steps.completed, steps.total);
}

function planRow(subject: Subject, idOf: IdOf, tasks: { total: number; done: number }): PlanRow {
  return { ...rowOf(subject, idOf, { total: 0, completed: 0 }, tasks.done, tasks.total), tasks };
}

function rowOf(
  { id, entity }: Subject,
  idOf: IdOf,
  steps: ContextRow["steps"],
  done: number,
  total: number,
): ContextRow {
  const { parent, priority, tags, depends_on } = entity;
  return {
    id,
    kind: entity.kind,
    title: entity.title,
    status: entity.status,
    revision: entity.revision,
    parent: parent && idOf(parent),
    ...(priority === DEFAULT_PRIORITY ? {} : { priority }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(depends_on.length === 0 ? {} : { depends_on: depends_on.map(idOf) }),
    steps,
    progress: entity.status === "DONE" ? 100 : total === 0 ? 0 : Math.floor((100 * done) / total),
    updated_at: entity.updated_at,
  };
}
