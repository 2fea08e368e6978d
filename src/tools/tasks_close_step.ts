import { readCheckpoints } from "../rules/read_checkpoints.ts";
import { verifyAndClose } from "../rules/close_step.ts";
import { withCompletion } from "../rules/complete_with_last_step.ts";
import { nextCalls } from "../rules/suggest.ts";
import { object } from "../state/schema.ts";
import {
  checkpoints,
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

export const tasksCloseStep = changeTool({
  name: "tasks_close_step",
  title: "Confirm and close a step",
  doc: "Confirm checkpoints of a step and close it, both or neither; every checkpoint named is required for it.",
  input: object({ workspace, ...target, ...stepSelector, checkpoints, ...preconditions }),
  output: object(out.ofClosing),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", step_id: "STEP-0A1B2C3D", checkpoints: "gate", expected_revision: 4 },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      path: "s:0.s:1",
      checkpoints: { criteria: { confirmed: true }, tests: { confirmed: true }, security: { confirmed: true } },
    },
  ],
  kinds: ["task"],
  decide: (input, ctx) => {
    const step = stepToChange(input, ctx);
    const drafts = verifyAndClose(ctx.subject, step, ctx, readCheckpoints(ctx.subject, step, input.checkpoints));
    return withCompletion(ctx.subject, drafts, ctx);
  },
  reply: (_input, ctx) => ({
    result: closingReply(ctx),
    warnings: closingWarnings(ctx),
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
