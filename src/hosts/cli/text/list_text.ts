/** Plans with their tasks below them, then the tasks of no plan. */
import { columns } from "./layout.ts";
import type { Colors } from "../session.ts";
import { hasEnded } from "../../../state/ended.ts";

interface Row {
  id: string;
  title: string;
  status: string;
  parent: string | null;
  steps: { total: number; completed: number };
  ready_to_complete?: boolean;
  log_warnings?: string[];
  deleted?: boolean;
}

type PlanRow = Row & { tasks: { total: number; done: number; archived?: number } };

export interface Listing {
  workspace: string;
  counts?: { plans: number; tasks: number };
  focus?: string | null;
  archived?: number;
  plans?: PlanRow[];
  tasks?: Row[];
  plans_pagination?: Page;
  tasks_pagination?: Page;
}

interface Page {
  total: number;
  count: number;
}

/** Rows that a limit left out. */
function moreText({ plans_pagination: plans, tasks_pagination: tasks }: Listing, colors: Colors): string {
  const left = [plans, tasks].reduce((sum, page) => sum + (page ? page.total - page.count : 0), 0);
  return left === 0 ? "" : colors.dim(`${left} more: --limit\n`);
}

function logNote({ log_warnings = [] }: Row): string {
  return log_warnings.length === 0 ? "" : `, ${log_warnings.join(", ")}`;
}

const READY = ", ready to complete";

/** Whether every task of an open plan has ended. Filters may have left some of them out. */
function isToComplete(plan: PlanRow, shown: readonly Row[]): boolean {
  const { total, archived = 0 } = plan.tasks;
  return !hasEnded(plan) && total > 0 && shown.length + archived === total && shown.every(hasEnded);
}

export function listText(listing: Listing, colors: Colors, wide?: number): string {
  const { workspace, counts = { plans: 0, tasks: 0 }, focus = null, archived = 0, plans = [], tasks = [] } = listing;
  const away = archived === 0 ? "" : colors.dim(`${archived} archived\n`);
  if (plans.length + tasks.length === 0 && counts.plans + counts.tasks > 0) return colors.dim("Nothing fits.\n");
  if (plans.length + tasks.length === 0) return away === "" ? `Nothing in ${workspace} yet.\n` : away;
  // Without a focus there is nothing to mark and no column for it.
  const mark = (row: Row): string => (focus === null ? "" : row.id === focus ? "* " : "  ");
  const taskRow = (row: Row, indent: string): string[] => [
    mark(row) + indent + row.id,
    row.deleted ? "deleted" : row.status,
    `${row.steps.completed}/${row.steps.total} steps${row.ready_to_complete ? READY : ""}${logNote(row)}`,
    row.title,
  ];
  const planRow = (row: PlanRow): string[] => [
    mark(row) + row.id,
    row.status,
    `${row.tasks.done}/${row.tasks.total} tasks${isToComplete(row, below.get(row.id)!) ? READY : ""}${logNote(row)}`,
    row.title,
  ];
  const below = new Map<string | null, Row[]>(plans.map(({ id }) => [id, []]));
  const free: Row[] = [];
  for (const task of tasks) (below.get(task.parent) ?? free).push(task);
  const rows = [
    ...plans.flatMap((plan) => [planRow(plan), ...below.get(plan.id)!.map((task) => taskRow(task, "  "))]),
    ...free.map((task) => taskRow(task, "")),
  ];
  const note = focus === null ? "" : colors.dim("* has the focus\n");
  return columns(rows, wide) + moreText(listing, colors) + note + away;
}
