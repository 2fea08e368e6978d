import { nextCalls } from "../rules/suggest.ts";
import { updatePlan } from "../rules/update_plan.ts";
import { boolean, integer, object, optional } from "../state/schema.ts";
import { checklistOf } from "../views/checklist.ts";
import { entityBlock, lines, preconditions, printed, target, title, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksPlan = changeTool({
  name: "tasks_plan",
  title: "Set or advance a plan's checklist",
  doc: "Replace the checklist of a plan, say how many of its items are behind, or go on to the next one.",
  input: object({
    workspace,
    ...target,
    steps: optional(lines("Replaces the checklist.")),
    current: optional(integer({ minimum: 0, description: "How many items are behind." })),
    doc: optional(title),
    advance: optional(boolean({ default: false, description: "One more item is behind." })),
    ...preconditions,
  }),
  output: object({ plan: object({ ...out.ofEntity, ...out.checklist }), ...out.happened }),
  examples: [
    { workspace: "acme/repo", plan: "PLAN-001", steps: ["Write the parser", "Write the printer"] },
    { workspace: "acme/repo", plan: "PLAN-001", advance: true },
  ],
  kinds: ["plan"],
  decide: (input, ctx) => ({ drafts: updatePlan(ctx.subject, input) }),
  reply: (_input, ctx) => {
    const plan = { ...entityBlock(ctx.subject), ...checklistOf(ctx.subject.entity) };
    return { result: { plan, ...printed(ctx) }, suggestions: nextCalls(ctx.subject, ctx) };
  },
});
