import { nextCalls } from "../rules/suggest.ts";
import { boolean, integer, list, object, oneOf, text } from "../state/schema.ts";
import { lintOf } from "../views/lint.ts";
import { targetOf } from "../views/target.ts";
import { readOnly, target, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import * as view from "./output_views.ts";

export const tasksLint = defineTool({
  name: "tasks_lint",
  title: "Check integrity",
  doc: "Check a plan or task for what is missing, contradictory or dangling, and whether others could take over.",
  input: object({ workspace, ...target, read_only: readOnly }),
  output: object({
    workspace: text(),
    target: view.target,
    summary: object({ errors: integer(), warnings: integer(), total: integer() }),
    issues: list(object({ severity: oneOf(["error", "warning"]), ...view.issue })),
    context_health: object({
      status: oneOf(["ok", "warn"]),
      stats: object({
        description: boolean(),
        context: boolean(),
        contract: boolean(),
        notes: integer(),
        evidence: integer(),
      }),
      issues: list(object(view.issue)),
    }),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  effect: "read",
  target: "entity",
  reply: (_input, ctx) => {
    const { subject, find, idOf, isLeftOut } = ctx;
    const tasksOfPlan = () => ctx.tasksOfPlan!(subject.entity.root);
    const [unread, violations] = [ctx.unread?.() ?? [], ctx.violations?.() ?? []];
    const found = lintOf(subject, { find, idOf, isLeftOut, tasksOfPlan, unread, violations, look: ctx.look });
    return {
      result: { workspace: ctx.workspace, target: targetOf(subject, idOf), ...found },
      suggestions: nextCalls(subject, ctx),
    };
  },
});
