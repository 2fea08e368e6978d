import { nextCalls } from "../rules/suggest.ts";
import { object, orNull, text } from "../state/schema.ts";
import { target, workspace } from "./common.ts";
import { focusTool } from "./focus_tool.ts";

export const tasksFocusSet = focusTool({
  name: "tasks_focus_set",
  title: "Set the focus",
  doc: "Set the plan or task that this caller's calls without a target mean, and those of callers without a focus.",
  input: object({ workspace, ...target }),
  output: object({ workspace: text(), previous: orNull(text()), focus: orNull(text()) }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", target: { id: "PLAN-001", kind: "plan" } },
  ],
  target: "entity",
  reply: (_input, ctx) => ({
    result: { workspace: ctx.workspace, previous: ctx.focus_previous, focus: ctx.focus },
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
