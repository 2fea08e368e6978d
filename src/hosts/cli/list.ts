/** `taskfold list`: the whole workspace, however many pages that is. */
import type { Reply } from "../../engine/reply.ts";
import type { Json, JsonObject } from "../../index.ts";
import { tasksContext } from "../../tools/tasks_context.ts";
import type { ListOptions } from "./list_filters.ts";
import type { Outcome } from "./outcome.ts";
import type { Call } from "./read.ts";
import { reading } from "./read.ts";
import { outcomeOf } from "./reply_text.ts";
import type { Session } from "./session.ts";

const PAGE = 200;
const PARTS = ["plans", "tasks"] as const;

export function list(session: Session, { archived, ...filters }: ListOptions = {}): Promise<Outcome> {
  const asked = archived ? { archived } : {};
  const isFiltered = Object.keys(filters).length > 0;
  const plan = session.meant(filters.plan, "plan");
  return reading(session, async (call, workspace) => {
    const reply = await workspace.fromOneLook(async () => {
      const whole = await allPages(call, asked);
      if (!isFiltered || whole.result === null) return whole;
      const { filtered, idsWanted } = await import("./list_filters.ts");
      const ids = await idsWanted(call, filters, await session.by());
      await filtered(whole.result, { ...filters, ...(plan === undefined ? {} : { plan }) }, ids);
      return whole;
    });
    return outcomeOf(session, workspace, reply);
  });
}

/** The whole workspace as one answer. */
export async function allPages(call: Call, asked: JsonObject): Promise<Reply> {
  const first = await page(call, asked);
  if (first.result === null) return first;
  const whole = first.result;
  for (let last: JsonObject = whole; ;) {
    const cursors = nextCursors(last);
    if (Object.keys(cursors).length === 0) return first;
    const { result, error } = await page(call, { ...asked, ...cursors });
    if (result === null || error) return { ...first, success: false, result: null, error };
    for (const part of PARTS) join(whole, result, part);
    last = result;
  }
}

function page(call: Call, asked: JsonObject): Promise<Reply> {
  return call(tasksContext, { plans_limit: PAGE, tasks_limit: PAGE, ...asked });
}

/** Where the parts that have more go on; a part that is through is asked for beyond its end. */
function nextCursors(result: JsonObject): Record<string, number> {
  const pages = PARTS.map((part) => ({
    part,
    page: result[`${part}_pagination`] as { next_cursor: number | null; total: number },
  }));
  if (pages.every(({ page: p }) => p.next_cursor === null)) return {};
  return Object.fromEntries(pages.map(({ part, page: p }) => [`${part}_cursor`, p.next_cursor ?? p.total]));
}

function join(whole: JsonObject, result: JsonObject, part: (typeof PARTS)[number]): void {
  const rows = [...(whole[part] as Json[]), ...(result[part] as Json[])];
  whole[part] = rows;
  whole[`${part}_pagination`] = {
    cursor: 0,
    next_cursor: null,
    total: rows.length,
    count: rows.length,
    limit: rows.length,
  };
}
