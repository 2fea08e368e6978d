import { TaskfoldError } from "../errors.ts";
import type { PastOp } from "../events/history.ts";
import { remedy } from "../remedy.ts";
import { fitHistory, historyRow, workspaceHistory } from "../views/history.ts";
import type { HistoryPage, TimeSpan } from "../views/history.ts";
import { limitClamped } from "../views/page.ts";
import { targetOf } from "../views/target.ts";
import { boolean, either, integer, list, object, optional, orNull, text } from "../state/schema.ts";
import { fromFocus, maxChars, msOf, readOnly, target, time, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import type { ReadContext, WorkspaceReadContext } from "./read_tool.ts";
import type { Answer } from "./reply_context.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

const DEFAULT_LIMIT = 50;
const MOST = 200;
const RFC_3339 = remedy`Give a time of RFC 3339, such as 2026-01-31T09:00:00Z.`;

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
    since: optional(time("Only operations after it.")),
    until: optional(time("Only operations not after it.")),
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
  ofWorkspace: (input, ctx) => answer(input, (asked) => ofWorkspace(ctx, asked)),
  reply: (input, ctx) => answer(input, (asked) => ofEntity(ctx, asked)),
});

interface Input {
  limit?: number;
  before?: number | string;
  since?: string;
  until?: string;
  max_chars?: number;
}

interface Asked extends TimeSpan {
  limit: number;
  before: number | string | undefined;
}

function answer(input: Input, pageOf: (asked: Asked) => HistoryPage): Answer {
  const { limit: most = DEFAULT_LIMIT, before } = input;
  const limit = Math.min(most, MOST);
  const warnings = most > limit ? [limitClamped("limit", { asked: most, limit })] : [];
  const fitted = fitHistory(
    pageOf({
      limit,
      before,
      after: input.since === undefined ? -Infinity : msOf("since", input.since, RFC_3339),
      until: input.until === undefined ? Infinity : msOf("until", input.until, RFC_3339),
    }),
    input.max_chars,
  );
  return { result: fitted.result, warnings: [...warnings, ...fitted.warnings] };
}

function ofEntity(ctx: ReadContext, { limit, before = Infinity, after, until }: Asked): HistoryPage {
  if (typeof before === "string") throw wrongBefore(before, "a revision, as this page is of one log");
  const isAsked = ({ revision, ts }: PastOp): boolean =>
    revision < before && Date.parse(ts) > after && Date.parse(ts) <= until;
  const near = ctx.past(false);
  const isEnough = near.whole || near.ops.filter(isAsked).length > limit;
  const past = isEnough ? near : ctx.past(true);
  const asked = past.ops.filter(isAsked);
  return {
    head: { workspace: ctx.workspace, target: targetOf(ctx.subject, ctx.idOf), ...fromFocus(ctx) },
    operations: asked
      .slice(-limit)
      .toReversed()
      .map((op) => historyRow(past.entity, op, past.redo)),
    by: "revision",
    more: asked.length > limit,
  };
}

function ofWorkspace(ctx: WorkspaceReadContext, { limit, before, ...span }: Asked): HistoryPage {
  if (typeof before === "number") throw wrongBefore(before, "an op, as this page is of the workspace");
  const page = workspaceHistory(ctx.pasts(), { limit, before, ...span });
  if (!page) {
    throw new TaskfoldError("CURSOR_EXPIRED", `Expected before to name an op that is there, found ${before}.`, {
      recovery: "Read from the newest, without before.",
      suggestions: [{ tool: "tasks_history", args: { workspace: ctx.workspace }, reason: "Begin at the newest." }],
    });
  }
  return { head: { workspace: ctx.workspace, target: null }, operations: page.rows, by: "op", more: page.more };
}

function wrongBefore(found: number | string, expected: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", `Expected before to be ${expected}, found ${JSON.stringify(found)}.`, {
    recovery: "Give next_before of the page before, with the same target.",
  });
}
