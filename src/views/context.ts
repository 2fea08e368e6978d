import type { Warning } from "../errors.ts";
import type { Find } from "../state/depends.ts";
import { isDone } from "../state/depends.ts";
import { hasEnded } from "../state/ended.ts";
import type { IdOf, Kind, Ref, Status, Subject } from "../state/entity.ts";
import { STATUSES } from "../state/entity.ts";
import { DEFAULT_PRIORITY } from "../state/new_entity.ts";
import { listedOf, takesNoChange } from "../state/listed.ts";
import type { Listed } from "../state/listed.ts";
import { endedFields } from "./ended_fields.ts";
import type { Pagination } from "./page.ts";
import { pageOf, wholeOf } from "./page.ts";

/** Cursors are offsets into the list in natural id order. */
export interface ContextInput {
  plans_limit?: number;
  plans_cursor?: number;
  tasks_limit?: number;
  tasks_cursor?: number;
  /** Every row in one page, for a reader that shows them all. */
  whole?: true;
}

/** Rows in natural order of their ids. The array never changes: it names one state of the list. */
export type ListedState = readonly Listed[];

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
  /** Those of them that are not DONE. */
  waits_for?: string[];
  steps: { total: number; completed: number };
  /** Every step is closed, and a caller has to say that it is DONE. */
  ready_to_complete?: true;
  /** Whole percent: closed steps of a task, DONE tasks of a plan. */
  progress: number;
  updated_at: string;
  /** Codes of what every read of it warns of, where its log is not whole. */
  log_warnings?: string[];
  /** Of what lies in the archive: it was deleted, and stays there. */
  deleted?: true;
};

export type PlanRow = ContextRow & {
  /** `archived`: how many of the total are in the archive, where any are. */
  tasks: { total: number; done: number; archived?: number };
};

export type Context = {
  counts: { plans: number; tasks: number };
  /** Over every plan and task of the workspace, not over the page. */
  by_status: Record<Status, number>;
  plans: PlanRow[];
  tasks: ContextRow[];
  plans_pagination: Pagination;
  tasks_pagination: Pagination;
};

/** The workspace as two pages of rows (VIEW-11 and VIEW-13). Deleted entities are not in it. */
export function contextOf(
  listed: ListedState,
  idOf: IdOf,
  input: ContextInput = {},
  find: Find = () => undefined,
): { result: Context; warnings: Warning[] } {
  const live = liveOf(listed);
  const planPage = pageIn(live.plans, "plans", input);
  const taskPage = pageIn(live.tasks, "tasks", input);
  // Most of what a row names is in the list itself. An archived task is in no list, and counts as before.
  const context: RowContext = {
    idOf: (ref) => live.find(ref)?.id ?? idOf(ref),
    isDone: (ref) => {
      const row = live.find(ref);
      return row ? row.status === "DONE" : isDone(find(ref));
    },
  };
  return {
    result: {
      ...countsOf(listed),
      plans: planPage.items.map((plan) => planRow(plan, context, withArchived(plan, live.tasksOf(plan)))),
      tasks: taskPage.items.map((task) => listedRow(task, context)),
      plans_pagination: planPage.pagination,
      tasks_pagination: taskPage.pagination,
    },
    warnings: [...planPage.warnings, ...taskPage.warnings],
  };
}

/** How many there are, whatever page is shown. */
export function countsOf(listed: ListedState): Pick<Context, "counts" | "by_status"> {
  const { plans, tasks, by_status } = liveOf(listed);
  return { counts: { plans: plans.length, tasks: tasks.length }, by_status: { ...by_status } };
}

/** The archive as one page of rows, plans too; deleted ones say so. `names`: its folders in natural order, of which `read` looks at a page. */
export function archiveOf(
  names: readonly string[],
  read: (page: readonly string[]) => readonly Listed[],
  { idOf, find }: { idOf: IdOf; find: Find },
  input: ContextInput,
): { result: Pick<Context, "plans" | "tasks" | "plans_pagination" | "tasks_pagination">; warnings: Warning[] } {
  const context: RowContext = { idOf, isDone: (ref) => isDone(find(ref)) };
  const rowOfOne = (one: Listed): ContextRow => {
    const row = listedRow(one, context);
    return one.archived ? row : { ...row, deleted: true };
  };
  const { items, pagination, warnings } = pageIn(names, "tasks", input);
  const none = pageOf<never>([], {}, { name: "plans_limit", more: "plans_pagination" }).pagination;
  const result = { plans: [], tasks: read(items).map(rowOfOne), plans_pagination: none, tasks_pagination: pagination };
  return { result, warnings };
}

function pageIn<T>(all: readonly T[], part: "plans" | "tasks", input: ContextInput) {
  if (input.whole) return wholeOf(all);
  const asked = { cursor: input[`${part}_cursor`], limit: input[`${part}_limit`] };
  return pageOf(all, asked, { name: `${part}_limit`, more: `${part}_pagination` });
}

const NO_TASKS = { total: 0, done: 0 };

/** The facts that each page of a list asks of all of its rows. */
class LiveRows {
  readonly plans: Listed[] = [];
  readonly tasks: Listed[] = [];
  readonly by_status = Object.fromEntries(STATUSES.map((s) => [s, 0])) as Record<Status, number>;
  #plansByRoot: ReadonlyMap<string, Listed> | undefined;
  #tasksByRoot: ReadonlyMap<string, Listed> | undefined;
  #tasksByPlan: ReadonlyMap<string, typeof NO_TASKS> | undefined;

  constructor(listed: ListedState) {
    for (const row of listed) {
      if (row.deleted) continue;
      this.by_status[row.status]++;
      (row.kind === "plan" ? this.plans : this.tasks).push(row);
    }
  }

  find({ root }: Ref): Listed | undefined {
    this.#plansByRoot ??= byRoot(this.plans);
    return this.#plansByRoot.get(root) ?? (this.#tasksByRoot ??= byRoot(this.tasks)).get(root);
  }

  tasksOf(plan: Listed): typeof NO_TASKS {
    return (this.#tasksByPlan ??= tasksByPlan(this.tasks)).get(plan.root) ?? NO_TASKS;
  }
}

const known = new WeakMap<ListedState, LiveRows>();

/** Counted once for each state of a list, however many pages are asked of it. */
function liveOf(listed: ListedState): LiveRows {
  const before = known.get(listed);
  if (before) return before;
  const live = new LiveRows(listed);
  known.set(listed, live);
  return live;
}

/** Of an entity that git left in two folders, the later id. */
function byRoot(rows: readonly Listed[]): Map<string, Listed> {
  return new Map(rows.map((row) => [row.root, row]));
}

/** Tasks follow the root of their plan, not its id: an id may change hands in a merge. */
function tasksByPlan(tasks: readonly Listed[]): Map<string, typeof NO_TASKS> {
  const counts = new Map<string, typeof NO_TASKS>();
  for (const { parent, status } of tasks) {
    if (parent === null) continue;
    const count = counts.get(parent.root) ?? { total: 0, done: 0 };
    count.total++;
    if (status === "DONE") count.done++;
    counts.set(parent.root, count);
  }
  return counts;
}

/** A plan's progress counts its archived tasks, too: they were done for it. */
function withArchived({ archived_tasks: away }: Listed, { total, done }: typeof NO_TASKS): PlanRow["tasks"] {
  return away ? { total: total + away.total, done: done + away.done, archived: away.total } : { total, done };
}

/** The facts about other entities that a row has. */
export interface RowContext {
  idOf: IdOf;
  isDone: (ref: Ref) => boolean;
}

/** A task as a list shows it, and when it ended. */
export function taskRow(task: Subject, context: RowContext): ContextRow {
  return Object.assign(listedRow(listedOf(task), context), endedFields(task));
}

/** The same of what a list knows. */
export function listedRow(task: Listed, context: RowContext): ContextRow {
  const { steps } = task;
  const { total, completed } = steps;
  const ready = total > 0 && completed === total && !hasEnded(task) && !takesNoChange(task);
  const row = rowOf(task, context, steps, completed, total);
  return ready ? { ...row, ready_to_complete: true } : row;
}

function planRow(plan: Listed, context: RowContext, tasks: PlanRow["tasks"]): PlanRow {
  return { ...rowOf(plan, context, { total: 0, completed: 0 }, tasks.done, tasks.total), tasks };
}

function rowOf(
  listed: Listed,
  { idOf, isDone }: RowContext,
  steps: ContextRow["steps"],
  done: number,
  total: number,
): ContextRow {
  const { id, kind, title, status, revision, parent, priority, tags, depends_on, updated_at, log_warnings } = listed;
  const waits = depends_on.filter((ref) => !isDone(ref));
  // Member by member in the order of the answer: keys after a spread cost a microsecond each in Node 20.
  const row = { id, kind, title, status, revision, parent: parent && idOf(parent) } as ContextRow;
  if (priority !== DEFAULT_PRIORITY) row.priority = priority;
  if (tags.length > 0) row.tags = [...tags];
  if (depends_on.length > 0) row.depends_on = depends_on.map(idOf);
  if (waits.length > 0) row.waits_for = waits.map(idOf);
  row.steps = { total: steps.total, completed: steps.completed };
  row.progress = status === "DONE" ? 100 : total === 0 ? 0 : Math.floor((100 * done) / total);
  row.updated_at = updated_at;
  if (log_warnings !== undefined) row.log_warnings = [...log_warnings];
  return row;
}
