import { TaskfoldError } from "../errors.ts";
import { fitHistory, historyRow, workspaceHistory } from "../views/history.ts";
import type { HistoryPage } from "../views/history.ts";
import { limitClamped } from "../views/page.ts";
import { targetOf } from "../views/target.ts";
import { boolean, either, integer, list, object, optional, orNull, text } from "../state/schema.ts";
import { fromFocus, maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import type { ReadContext, WorkspaceReadContext } from "./read_tool.ts";
import type { Answer } from "./reply_context.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

const DEFAULT_LIMIT = 50;
const MOST = 200;

export const tasksHistory = readTool({
  name: "tasks_history",
  title: "Past operations, newest first",
  doc: "List the operations of a plan or task, or (without target and focus) of the workspace, newest first. Each has actor, time, changed fields, and whether it can be undone.",
  input: object({
    workspace,
    ...target,
    limit: optional(integer({ minimum: 1, description: "At most 200; 50 when left out." })),
    before: optional(
      either(
        integer({ minimum: 1, description: "Only operations before this: the next_before of an earlier page." }),
        text({ minLength: 1, maxLength: 64, description: "The same of the workspace's history." }),
      ),
    ),
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({
    workspace: text(),
    target: orNull(view.target),
    operations: list(
      object({
        task: optional(text()),
        revision: integer(),
        op: text(),
        ts: text(),
        by: text(),
        tool: text(),
        message: text(),
        events: optional(list(text())),
        undoable: boolean(),
        undone: boolean(),
        redoable: optional(boolean()),
        changes: optional(list(object({ field: text(), before: view.value, after: view.value }))),
      }),
    ),
    next_before: orNull(either(integer(), text())),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001", limit: 10 }],
  target: "entity",
  ofWorkspace: (input, ctx) => answer(input, (limit) => ofWorkspace(ctx, input.before, limit)),
  reply: (input, ctx) => answer(input, (limit) => ofEntity(ctx, input.before, limit)),
});

function answer({ limit: asked = DEFAULT_LIMIT, max_chars }: Asked, pageOf: (limit: number) => HistoryPage): Answer {
  const limit = Math.min(asked, MOST);
  const warnings = asked > limit ? [limitClamped("limit", { asked, limit })] : [];
  const fitted = fitHistory(pageOf(limit), max_chars);
  return { result: fitted.result, warnings: [...warnings, ...fitted.warnings] };
}

interface Asked {
  limit?: number;
  max_chars?: number;
}

function ofEntity(ctx: ReadContext, asked: number | string | undefined, limit: number): HistoryPage {
  if (typeof asked === "string") throw wrongBefore(asked, "a revision, as this page is of one log");
  const before = asked ?? Infinity;
  const near = ctx.past(false);
  const enough = (ops: typeof near.ops): boolean => ops.filter((op) => op.revision < before).length >= limit;
  const past = near.whole || enough(near.ops) ? near : ctx.past(true);
  const ops = past.ops
    .filter((op) => op.revision < before)
    .slice(-limit)
    .toReversed();
  const last = ops.at(-1);
  return {
    head: { workspace: ctx.workspace, target: targetOf(ctx.subject, ctx.idOf), ...fromFocus(ctx) },
    operations: ops.map((op) => historyRow(past.entity, op, past.redo)),
    by: "revision",
    more: last !== undefined && last.revision > 1,
  };
}

function ofWorkspace(ctx: WorkspaceReadContext, before: number | string | undefined, limit: number): HistoryPage {
  if (typeof before === "number") throw wrongBefore(before, "an op, as this page is of the workspace");
  const told = workspaceHistory(ctx.pasts(), before, limit);
  if (!told) {
    throw new TaskfoldError("CURSOR_EXPIRED", `Expected before to name an op that is there, found ${before}.`, {
      recovery: "Read from the newest, without before.",
      suggestions: [{ tool: "tasks_history", args: { workspace: ctx.workspace }, reason: "Begin at the newest." }],
    });
  }
  return { head: { workspace: ctx.workspace, target: null }, operations: told.rows, by: "op", more: told.more };
}

function wrongBefore(found: number | string, expected: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected before to be ${expected}, found ${JSON.stringify(found)}.`, {
    recovery: "Give next_before of the page before, with the same target.",
  });
}
