import { blockStep, unblockStep } from "../rules/block_step.ts";
import { besideClaims, stepCall, unblockCall } from "../rules/suggest.ts";
import { boolean, object, optional, orNull, text } from "../state/schema.ts";
import { preconditions, stepOfCall, stepReply, stepSelector, stepToChange, target, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksBlock = changeTool({
  name: "tasks_block",
  title: "Block or unblock a step",
  doc: "Mark a step as blocked, so that it does not close until it is unblocked, or unblock it.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    blocked: optional(boolean({ default: true, description: "false unblocks the step." })),
    reason: optional(text({ description: "Why it waits." })),
    ...preconditions,
  }),
  output: object({ ...out.ofStep, blocked: boolean(), reason: orNull(text()) }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:1", reason: "waits for the signing key" },
    { workspace: "acme/repo", task: "TASK-001", path: "s:1", blocked: false },
  ],
  kinds: ["task"],
  decide: (input, ctx) => {
    const step = stepToChange(input, ctx);
    const change = input.blocked === false ? unblockStep : blockStep;
    return { drafts: change(ctx.subject, step, input.reason) };
  },
  reply: (_input, ctx) => {
    const step = stepOfCall(ctx);
    const state = { blocked: step?.blocked ?? false, reason: step?.block_reason ?? null };
    const next =
      !step || step.done ? [] : [step.blocked ? unblockCall(ctx.subject, step) : stepCall(ctx.subject, step)];
    return { result: stepReply(ctx, state), suggestions: besideClaims(ctx.subject, next, ctx) };
  },
});
