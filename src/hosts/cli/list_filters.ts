/** Filters of `taskfold list`, and the order of its rows. */
import type { JsonObject } from "../../index.ts";
import type { Status } from "../../state/entity.ts";
import type { Call } from "./read.ts";
import type { Row } from "./work.ts";

export interface ListOptions {
  archived?: boolean;
  status?: string[];
  plan?: string;
  tag?: string[];
  mine?: boolean;
  ready?: boolean;
  blocked?: boolean;
  limit?: number;
  sort?: string;
}

/** Ids of the tasks that only their logs tell apart; undefined where no such filter was given. */
export async function idsWanted(
  call: Call,
  { mine, ready, blocked }: ListOptions,
  by: string,
): Promise<Set<string> | undefined> {
  if (!mine && !ready && !blocked) return undefined;
  const { FEW, workOf } = await import("./work.ts");
  const { work } = await workOf(call, mine && !ready && !blocked ? { begun: true, rest: FEW } : {});
  const fits = work.tasks.filter(
    (task) =>
      (!mine || task.claims.some((claim) => claim.by === by)) &&
      (!ready || task.ready !== null || task.needs_steps) &&
      (!blocked || task.obstacles.length > 0),
  );
  const plans = mine && !ready && !blocked ? work.plans.claims.filter((claim) => claim.by === by) : [];
  return new Set([...fits.map(({ row }) => row.id), ...plans.map(({ id }) => id)]);
}

/** Changes a whole list into what was asked for. */
export async function filtered(
  result: JsonObject,
  options: ListOptions,
  ids: ReadonlySet<string> | undefined,
): Promise<void> {
  const { status, plan, tag, limit, sort } = options;
  const fits = ({ status: own, tags = [] }: Row): boolean =>
    (status === undefined || status.includes(own)) && (tag === undefined || tag.every((one) => tags.includes(one)));
  const tasks = rowsOf(result, "tasks").filter(
    (row) => fits(row) && (plan === undefined || row.parent === plan) && (ids === undefined || ids.has(row.id)),
  );
  const plans = rowsOf(result, "plans").filter(
    (row) => (ids === undefined || ids.has(row.id)) && fits(row) && (plan === undefined || row.id === plan),
  );
  const orders = { plans: await sorted(plans, sort), tasks: await sorted(tasks, sort) };
  const first = limit === undefined ? undefined : new Set(inLines(orders.plans, orders.tasks).slice(0, limit));
  for (const part of ["plans", "tasks"] as const) {
    const rows = orders[part];
    const shown = first === undefined ? rows : rows.filter((row) => first.has(row));
    result[part] = shown as unknown as JsonObject[];
    result[`${part}_pagination`] = {
      cursor: 0,
      next_cursor: null,
      total: rows.length,
      count: shown.length,
      limit: shown.length,
    };
  }
}

/** As the list shows them: each plan with its tasks below it, then the tasks of no plan that is shown. */
function inLines(plans: readonly Row[], tasks: readonly Row[]): Row[] {
  const below = new Map<string | null, Row[]>(plans.map(({ id }) => [id, []]));
  const free: Row[] = [];
  for (const task of tasks) (below.get(task.parent) ?? free).push(task);
  return [...plans.flatMap((plan) => [plan, ...below.get(plan.id)!]), ...free];
}

function rowsOf(result: JsonObject, part: string): Row[] {
  return result[part] as unknown as Row[];
}

/** Of equal rows the order of the list stays, which is that of the ids. */
async function sorted(rows: Row[], sort: string | undefined): Promise<Row[]> {
  if (sort === undefined || sort === "id") return rows;
  const { urgencyOf } = await import("../../tools/command_line/work.ts");
  const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const orders: Record<string, (a: Row, b: Row) => number> = {
    priority: (a, b) => urgencyOf(a) - urgencyOf(b),
    status: (a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status),
    title: (a, b) => text(a.title.toLowerCase(), b.title.toLowerCase()),
    updated: (a, b) => text(b.updated_at, a.updated_at),
  };
  return rows.toSorted(orders[sort]);
}

/** Tasks under work come first. */
const ORDER: readonly string[] = ["ACTIVE", "TODO", "FAILED", "DONE", "CANCELED"] satisfies Status[];
