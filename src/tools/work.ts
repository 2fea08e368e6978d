/**
 * What the command line asks for its lists of work: tasks that have not ended, each with what only its log tells. No call of agents, as
 * `show` is none.
 */
import { firstReady } from "../state/first_ready.ts";
import { hasEnded } from "../state/first_ready.ts";
import type { Listed } from "../state/listed.ts";
import { boolean, list, object, optional, orNull, text } from "../state/schema.ts";
import { pathOf } from "../state/tree.ts";
import { listedRow } from "../views/context.ts";
import { isDone } from "../state/depends.ts";
import type { OpenTask } from "../views/plan_tasks.ts";
import { planTasksOf } from "../views/plan_tasks.ts";
import { asOf, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const workTool = defineTool({
  name: "work",
  title: "Work at hand",
  doc: "List the tasks that have not ended with their ready step, claims, obstacles and conflicts.",
  input: object({
    workspace,
    now: text({ description: "Claims that ended before this time count no more." }),
    begun: optional(boolean({ description: "Only tasks in which work has begun: no other is claimed or blocked." })),
  }),
  output: object({
    workspace: text(),
    as_of: out.asOf,
    focus: orNull(text()),
    tasks: list(
      object({
        row: view.value,
        ready: orNull(object({ path: text(), step_id: text(), title: text() })),
        needs_steps: boolean(),
        claims: list(object({ path: orNull(text()), by: text(), expires_at: text() })),
        obstacles: list(text()),
        conflicts: list(text()),
      }),
    ),
  }),
  examples: [{ workspace: "acme/repo", now: "2026-01-01T00:00:00.000Z" }],
  effect: "read",
  target: "workspace",
  reply: ({ now, begun }, ctx) => {
    const { idOf, find } = ctx;
    const around = { idOf, isDone: (ref: Parameters<typeof find>[0]) => isDone(find(ref)) };
    const wanted = (row: Listed): boolean =>
      row.kind === "task" && !row.deleted && !hasEnded(row) && !(begun && row.status === "TODO");
    const rows = new Map(
      ctx.rows!()
        .filter(wanted)
        .map((row) => [row.id, row]),
    );
    const { open } = planTasksOf([...rows.values()], find, idOf);
    const tasks = open.map((task) => ({ row: listedRow(rows.get(task.id)!, around), ...standing(task, now) }));
    return { result: { workspace: ctx.workspace, ...asOf(ctx), focus: ctx.focus, tasks } };
  },
});

/** The view counts every claim, because it knows no clock; here those count that are in effect. */
function standing(task: OpenTask, now: string) {
  const { entity } = task.subject;
  const claims = task.claims.filter(({ lease }) => lease.expires_at > now);
  const ready = task.claimable && firstReady(entity, now);
  return {
    ready: ready ? { path: pathOf(ready), step_id: ready.id, title: ready.title } : null,
    needs_steps: task.needs_steps && claims.length === 0,
    claims: claims.map(({ path, lease }) => ({ path, by: lease.by, expires_at: lease.expires_at })),
    obstacles: [...task.obstacles],
    conflicts: [...task.conflicts],
  };
}
