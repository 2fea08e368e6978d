import { release } from "../rules/lease.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { boolean, object, optional, text } from "../state/schema.ts";
import { claimReply, preconditions, stepSelector, target, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksRelease = changeTool({
  name: "tasks_release",
  title: "Give a claim back",
  doc: "Give a claim on a step, plan or task back, or end another's by force and with a reason.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    force: optional(boolean({ default: false, description: "Ends another caller's claim before it expires." })),
    reason: optional(text({ description: "Why; required with force." })),
    ...preconditions,
  }),
  output: out.ofClaim,
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:0" },
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", force: true, reason: "the agent was stopped" },
  ],
  decide: (input, ctx) => ({
    drafts: release(ctx.subject, stepOrWhole(ctx.subject, input), input, {
      by: ctx.by,
      now: ctx.now,
      fence: input.fence,
    }),
  }),
  reply: (_input, ctx) => ({ result: claimReply(ctx) }),
});
