import { nextCalls } from "../rules/suggest.ts";
import { boolean, integer, list, object, oneOf, text } from "../state/schema.ts";
import { TOP_LEVEL_SECTIONS } from "../state/taskdoc.ts";
import { fitBudget } from "../views/budget.ts";
import { LINT_CUTS } from "../views/cuts.ts";
import { lintOf } from "../views/lint.ts";
import { targetOf } from "../views/target.ts";
import { fromFocus, maxChars, readOnly, target, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const tasksLint = readTool({
  name: "tasks_lint",
  title: "Check integrity",
  doc: "Check a plan or task for what is missing, contradictory or dangling, and whether others could take over.",
  input: object({ workspace, ...target, max_chars: maxChars, read_only: readOnly }),
  output: out.cuttable({
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
        taskdoc: list(oneOf(TOP_LEVEL_SECTIONS)),
        notes: integer(),
        trace: integer(),
        cards: integer(),
        evidence: integer(),
      }),
      issues: list(object(view.issue)),
    }),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  target: "entity",
  reads: ["git_commits"],
  reply: (input, ctx) => {
    const { subject, find, idOf, isLeftOut, beside } = ctx;
    const tasksOfPlan = () => ctx.tasksOfPlan(subject.entity.root);
    const [unread, violations] = [beside?.unread() ?? [], beside?.violations() ?? []];
    const found = lintOf(subject, { find, idOf, isLeftOut, tasksOfPlan, unread, violations, look: beside?.look });
    const whole = { workspace: ctx.workspace, target: targetOf(subject, idOf), ...fromFocus(ctx), ...found };
    return {
      ...fitBudget(whole, input.max_chars, LINT_CUTS),
      suggestions: nextCalls(subject, ctx),
    };
  },
});
