import { closeStep } from "../rules/close_step.ts";
import { withCompletion } from "../rules/complete_with_last_step.ts";
import { nextCalls } from "../rules/suggest.ts";
import { object } from "../state/schema.ts";
import {
  closingReply,
  closingWarnings,
  preconditions,
  stepSelector,
  stepToChange,
  target,
  workspace,
} from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksDone = changeTool({
  name: "tasks_done",
  title: "Close a step",
  doc: "Close a step whose required checkpoints are confirmed and whose required proofs are attached.",
  input: object({ workspace, ...target, ...stepSelector, ...preconditions }),
  output: object(out.ofClosing),
  examples: [{ workspace: "acme/repo", task: "TASK-001", path: "s:0" }],
  kinds: ["task"],
  decide: (input, ctx) => withCompletion(ctx.subject, closeStep(ctx.subject, stepToChange(input, ctx), ctx), ctx),
  reply: (_input, ctx) => ({
    result: closingReply(ctx),
    warnings: closingWarnings(ctx),
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
