import { deleteEntity, deleteStep, stepsBelow } from "../rules/delete.ts";
import { refuseBusy } from "../rules/packet/packet_of.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { nextCalls } from "../rules/suggest.ts";
import { boolean, either, integer, list, object, optional, text } from "../state/schema.ts";
import type { JsonObject } from "../state/schema.ts";
import { pathOf } from "../state/tree.ts";
import {
  entityBlock,
  preconditions,
  printed,
  stepOfCall,
  stepSelector,
  target,
  taskBlock,
  workspace,
} from "./common.ts";
import { changeTool } from "./change_tool.ts";
import type { ReplyContext } from "./reply_context.ts";
import * as out from "./output.ts";

export const tasksDelete = changeTool({
  name: "tasks_delete",
  title: "Delete a step, task or plan",
  doc: "Delete a step with all below it, or (without one) the task, or the plan with all its tasks; their folders go to the archive.",
  input: object({ workspace, ...target, ...stepSelector, ...preconditions }),
  output: either(
    object({ ...out.ofChange, deleted: boolean(), deleted_tasks: optional(list(text())) }),
    object({
      ...out.ofTask,
      step: object({ ...out.named, title: text() }),
      deleted_steps: integer(),
      ...out.happened,
    }),
  ),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:2" },
    { workspace: "acme/repo", task: "TASK-001" },
    { workspace: "acme/repo", plan: "PLAN-001" },
  ],
  destructive: true,
  several: {
    parts: (input, ctx) => {
      if (input.step_id !== undefined || input.path !== undefined) return null;
      const { id, entity } = ctx.target();
      if (entity.kind === "task") return null;
      const { expected_revision, expected_head, fence } = input;
      const tasks = ctx.tasksOfPlan(entity.root).map((task) => task.id);
      return [
        { tool: "tasks_delete", args: { plan: id, expected_revision, expected_head, fence } },
        ...tasks.map((task) => ({ tool: "tasks_delete", args: { task } })),
      ];
    },
    reply: (_input, ctx) => ({
      result: wholeReply(
        ctx,
        ctx.parts.slice(1).map((part) => part.task),
      ),
    }),
  },
  decide: (input, ctx) => {
    const step = stepOrWhole(ctx.subject, input);
    if (step) return { drafts: deleteStep(step) };
    refuseBusy(ctx.subject, ctx.dispatcher);
    return { drafts: deleteEntity(ctx.subject) };
  },
  reply: (_input, ctx) => {
    const { subject } = ctx;
    const step = stepOfCall(ctx);
    if (!step) return { result: wholeReply(ctx, []) };
    const gone = { step_id: step.id, path: pathOf(step), title: step.title };
    return {
      result: { ...taskBlock(subject), step: gone, deleted_steps: stepsBelow(step), ...printed(ctx) },
      suggestions: nextCalls(subject, ctx),
    };
  },
});

/** `tasks`: ids of the tasks that went with a plan. */
function wholeReply(ctx: ReplyContext, tasks: readonly string[]): JsonObject {
  const { subject } = ctx;
  const gone = subject.entity.kind === "plan" ? { deleted_tasks: [...tasks] } : {};
  return { ...entityBlock(subject), deleted: true, ...gone, ...printed(ctx) };
}
