import { readCheckpoints } from "../rules/read_checkpoints.ts";
import { besideClaims, stepCall } from "../rules/suggest.ts";
import { verifyStep } from "../rules/verify_step.ts";
import { object } from "../state/schema.ts";
import {
  checkpoints,
  preconditions,
  stepOfCall,
  stepReply,
  stepSelector,
  stepToChange,
  target,
  workspace,
} from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksVerify = changeTool({
  name: "tasks_verify",
  title: "Confirm checkpoints",
  doc: "Confirm checkpoints of a step, or take a confirmation back, which opens a closed step again.",
  input: object({ workspace, ...target, ...stepSelector, checkpoints, ...preconditions }),
  output: object(out.ofStep),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", checkpoints: "gate" },
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", checkpoints: { tests: false, docs: { confirmed: true } } },
  ],
  kinds: ["task"],
  decide: (input, ctx) => {
    const step = stepToChange(input, ctx);
    return { drafts: verifyStep(ctx.subject, step, readCheckpoints(ctx.subject, step, input.checkpoints)) };
  },
  reply: (_input, ctx) => {
    const step = stepOfCall(ctx);
    return {
      result: stepReply(ctx),
      suggestions: step && !step.done ? besideClaims(ctx.subject, [stepCall(ctx.subject, step)], ctx) : [],
    };
  },
});
