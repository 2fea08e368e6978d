import { historyRow } from "../views/history.ts";
import { targetOf } from "../views/target.ts";
import type { Warning } from "../errors.ts";
import { boolean, integer, list, object, optional, orNull, text } from "../state/schema.ts";
import { readOnly, target, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import * as view from "./output_views.ts";

const DEFAULT_LIMIT = 50;
const MOST = 200;

export const tasksHistory = defineTool({
  name: "tasks_history",
  title: "What was done, newest first",
  doc: "List the operations of a plan or task, newest first: who did what when, which fields changed, what can be undone.",
  input: object({
    workspace,
    ...target,
    limit: optional(integer({ minimum: 1, description: "At most 200; 50 when left out." })),
    before: optional(
      integer({ minimum: 1, description: "Only operations before this revision: the next_before of an earlier page." }),
    ),
    read_only: readOnly,
  }),
  output: object({
    workspace: text(),
    target: view.target,
    operations: list(
      object({
        revision: integer(),
        op: text(),
        ts: text(),
        by: text(),
        tool: text(),
        message: text(),
        events: list(text()),
        undoable: boolean(),
        undone: boolean(),
        redoable: optional(boolean()),
        changes: optional(list(object({ field: text(), before: view.value, after: view.value }))),
      }),
    ),
    next_before: orNull(integer()),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001", limit: 10 }],
  effect: "read",
  target: "entity",
  reply: (input, ctx) => {
    const limit = Math.min(input.limit ?? DEFAULT_LIMIT, MOST);
    const before = input.before ?? Infinity;
    const near = ctx.past(false);
    const enough = (ops: typeof near.ops): boolean => ops.filter((op) => op.revision < before).length >= limit;
    const past = near.whole || enough(near.ops) ? near : ctx.past(true);
    const ops = past.ops
      .filter((op) => op.revision < before)
      .slice(-limit)
      .toReversed();
    const last = ops.at(-1);
    const warnings: Warning[] =
      (input.limit ?? 0) > MOST
        ? [{ code: "LIMIT_CLAMPED", message: `limit ${input.limit} was lowered to ${MOST}.` }]
        : [];
    return {
      result: {
        workspace: ctx.workspace,
        target: targetOf(ctx.subject, ctx.idOf),
        operations: ops.map((op) => historyRow(past.entity, op, past.redo)),
        next_before: last && last.revision > 1 ? last.revision : null,
      },
      warnings,
    };
  },
});
