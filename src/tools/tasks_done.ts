import { closeStep } from "../rules/close_step.ts";
import { nextCalls } from "../rules/suggest.ts";
import { object } from "../state/schema.ts";
import { closingWarnings, preconditions, stepReply, stepSelector, stepToChange, target, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import * as out from "./output.ts";

export const tasksDone = defineTool({
  name: "tasks_done",
  title: "Close a step",
  doc: "Close a step whose required checkpoints are confirmed and whose required proofs are attached.",
  input: object({ workspace, ...target, ...stepSelector, ...preconditions }),
  output: object(out.ofStep),
  examples: [{ workspace: "acme/repo", task: "TASK-001", path: "s:0" }],
  effect: "write",
  target: "entity",
  kinds: ["task"],
  decide: (input, ctx) => ({ drafts: closeStep(ctx.subject, stepToChange(input, ctx)) }),
  reply: (_input, ctx) => ({
    result: stepReply(ctx),
    warnings: closingWarnings(ctx),
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
