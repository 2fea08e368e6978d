import { LIMITS } from "../state/limits.ts";
import { boolean, integer, object, optional, orNull, record, text } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { archiveOf, contextOf, countsOf } from "../views/context.ts";
import type { ContextInput } from "../views/context.ts";
import { CONTEXT_CUTS } from "../views/cuts.ts";
import { asOf, maxChars, readOnly, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import type { ReadTool, WorkspaceReadContext } from "./read_tool.ts";
import type { Answer } from "./reply_context.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

const limit = (what: string) =>
  optional(integer({ minimum: 1, description: `How many ${what}, 50 by default, at most ${LIMITS.listPage}.` }));
const cursor = (what: string) =>
  optional(integer({ minimum: 0, description: `next_cursor of ${what}_pagination of the call before.` }));

type ContextToolInput = ContextInput & { archived?: boolean; max_chars?: number };

export const tasksContext = readTool({
  name: "tasks_context",
  title: "List plans and tasks",
  doc: "List the plans and tasks of the workspace with their status and progress, and count them by status.",
  input: object({
    workspace,
    plans_limit: limit("plans"),
    plans_cursor: cursor("plans"),
    tasks_limit: limit("tasks"),
    tasks_cursor: cursor("tasks"),
    archived: optional(boolean({ description: "List what lies in the archive instead, as tasks." })),
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({
    workspace: text(),
    as_of: out.asOf,
    focus: orNull(text()),
    counts: object({ plans: integer(), tasks: integer() }),
    by_status: record(integer()),
    archived: integer(),
    plans: view.planRows,
    tasks: view.taskRows,
    plans_pagination: out.pagination,
    tasks_pagination: out.pagination,
  }),
  examples: [
    { workspace: "acme/repo" },
    { workspace: "acme/repo", tasks_limit: 10, tasks_cursor: 10, max_chars: 4000 },
  ],
  target: "workspace",
  reply: (input, ctx) => contextAnswer(input, ctx),
});

/** The same with every row in one page, for a host that shows the whole list. Not one of the tools that callers see. */
export const wholeContext: ReadTool = {
  ...tasksContext,
  reply: (input: ContextToolInput, ctx: WorkspaceReadContext) => contextAnswer({ ...input, whole: true }, ctx),
};

function contextAnswer(input: ContextToolInput, ctx: WorkspaceReadContext): Answer {
  const listed = ctx.rows();
  const { names, read } = ctx.archive;
  const there = names();
  const context = input.archived ? archiveOf(there, read, ctx, input) : contextOf(listed, ctx.idOf, input, ctx.find);
  const { counts, by_status, ...lists } = { ...countsOf(listed), ...context.result };
  const head = { workspace: ctx.workspace, ...asOf(ctx), focus: ctx.focus };
  const whole = { ...head, counts, by_status, archived: there.length, ...lists };
  if (input.whole && input.max_chars === undefined) return { result: whole, warnings: context.warnings };
  const fitted = fitBudget(whole, input.max_chars, CONTEXT_CUTS);
  return { result: fitted.result, warnings: [...context.warnings, ...fitted.warnings] };
}
