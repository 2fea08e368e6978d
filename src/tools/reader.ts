import type { Reader } from "../views/human_files.ts";
import type { PlanTasks } from "../views/plan_tasks.ts";
import { staleLines } from "../views/stale.ts";
import { waitsOf } from "../views/waits.ts";
import type { ReadContext } from "./read_tool.ts";

/** The time for which an answer judges claims: now, or the last change before a moment of the past. */
export function timeOf({ now, subject }: ReadContext, at: unknown): string {
  return at === undefined ? now : subject.entity.updated_at;
}

/** Returns what a radar takes in beside the log. As of a moment of the past, `at`, nothing waits for others. */
export function readerOf(
  ctx: ReadContext,
  { tasks, at }: { tasks?: PlanTasks | undefined; at?: unknown } = {},
): Reader {
  const { staleness, unread, dispatcher } = ctx.beside ?? {};
  return {
    by: ctx.by,
    now: timeOf(ctx, at),
    unread: unread?.(),
    waits: at === undefined ? waitsOf(ctx.subject.entity, ctx.find, ctx.idOf, ctx.isLeftOut) : [],
    tasks,
    stale: staleness && at === undefined ? [...staleLines(ctx.subject, staleness)] : [],
    dispatcher,
    timeText: ctx.timeText,
  };
}
