import { progressStep } from "../rules/progress_step.ts";
import { withCompletion } from "../rules/complete_with_last_step.ts";
import { nextCalls } from "../rules/suggest.ts";
import { boolean, object, optional, text } from "../state/schema.ts";
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

export const tasksProgress = changeTool({
  name: "tasks_progress",
  title: "Close or reopen a step",
  doc: "Close a step like tasks_done, if need be by force past a block or open steps below it, or reopen it.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    completed: optional(boolean({ default: true, description: "false reopens the step." })),
    force: optional(
      boolean({
        default: false,
        description: "Pass a block, steps waited for or open steps below; never a checkpoint or a proof.",
      }),
    ),
    reason: optional(
      text({ description: "Why it is forced (required where force passes something), or why it is reopened." }),
    ),
    ...preconditions,
  }),
  output: object({ ...out.ofClosing, completed: boolean() }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", completed: false, reason: "the tests were wrong" },
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", force: true, reason: "what is left moved to TASK-002" },
  ],
  kinds: ["task"],
  decide: (input, ctx) => {
    const drafts = progressStep(ctx.subject, stepToChange(input, ctx), ctx, input);
    return input.completed === false ? { drafts } : withCompletion(ctx.subject, drafts, ctx);
  },
  reply: (input, ctx) => ({
    result: closingReply(ctx, { completed: input.completed ?? true }),
    warnings: closingWarnings(ctx),
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
