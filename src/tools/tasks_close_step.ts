import { readCheckpoints } from "../rules/read_checkpoints.ts";
import { verifyAndClose } from "../rules/close_step.ts";
import { nextCalls } from "../rules/suggest.ts";
import { object } from "../state/schema.ts";
import {
  checkpoints,
  closingWarnings,
  preconditions,
  stepReply,
  stepSelector,
  stepToChange,
  target,
  workspace,
} from "./common.ts";
import { defineTool } from "./define.ts";
import * as out from "./output.ts";

export const tasksCloseStep = defineTool({
  name: "tasks_close_step",
  title: "Confirm and close a step",
  doc: "Confirm checkpoints of a step and close it, both or neither; every checkpoint named is required for it.",
  input: object({ workspace, ...target, ...stepSelector, checkpoints, ...preconditions }),
  output: object(out.ofStep),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", step_id: "STEP-0A1B2C3D", checkpoints: "gate", expected_revision: 4 },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      path: "s:0.s:1",
      checkpoints: { criteria: { confirmed: true }, tests: { confirmed: true }, security: { confirmed: true } },
    },
  ],
  effect: "write",
  target: "entity",
  kinds: ["task"],
  decide: (input, ctx) => {
    const step = stepToChange(input, ctx);
    return { drafts: verifyAndClose(ctx.subject, step, readCheckpoints(ctx.subject, step, input.checkpoints)) };
  },
  reply: (_input, ctx) => ({
    result: stepReply(ctx),
    warnings: closingWarnings(ctx),
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
