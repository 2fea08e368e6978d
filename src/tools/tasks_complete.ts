import { refuseHeld } from "../rules/lease.ts";
import { completeEntity } from "../rules/complete_entity.ts";
import { nextCalls } from "../rules/suggest.ts";
import { STATUSES } from "../state/entity.ts";
import { object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { askingOf, entityBlock, preconditions, printed, target, workspace } from "./common.ts";
import { shownStatus } from "../state/status.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksComplete = changeTool({
  name: "tasks_complete",
  title: "Set the status",
  doc: "Set a plan or task to DONE, which a task with open steps refuses, or to another status.",
  input: object({
    workspace,
    ...target,
    status: optional(oneOf(STATUSES, { default: "DONE", description: "DONE when left out." })),
    reason: optional(text({ description: "Why." })),
    ...preconditions,
  }),
  output: object({ ...out.ofChange, status: out.status, status_reason: orNull(text()) }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", task: "TASK-001", status: "CANCELED", reason: "the feature was dropped" },
  ],
  decide: (input, ctx) => {
    refuseHeld(ctx.subject, null, askingOf(input, ctx));
    return completeEntity(ctx.subject, input.status ?? "DONE", input.reason, ctx);
  },
  reply: (_input, ctx) => {
    const status = shownStatus(ctx.subject);
    const { status_reason } = ctx.subject.entity;
    return {
      result: { ...entityBlock(ctx.subject), status, status_reason, ...printed(ctx) },
      suggestions: nextCalls(ctx.subject, ctx),
    };
  },
});
