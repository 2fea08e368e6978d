import type { Reader } from "../views/people.ts";
import type { PlanTasks } from "../views/plan_tasks.ts";
import { waitsOf } from "../views/waits.ts";
import type { ReplyContext } from "./define.ts";

/** Returns what a radar takes in beside the log. As of a moment of the past, `at`, nothing waits for others. */
export function readerOf(
  ctx: ReplyContext,
  { tasks, at }: { tasks?: PlanTasks | undefined; at?: unknown } = {},
): Reader {
  return {
    by: ctx.by,
    unread: ctx.unread?.(),
    waits: at === undefined ? waitsOf(ctx.subject.entity, ctx.find, ctx.idOf, ctx.isLeftOut) : [],
    tasks,
    dispatcher: ctx.dispatcher,
  };
}
