import { deleteEntity, deleteStep, stepsBelow } from "../rules/delete.ts";
import { stepOrWhole } from "../rules/step_of.ts";
import { nextCalls } from "../rules/suggest.ts";
import { object } from "../state/schema.ts";
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
import { defineTool } from "./define.ts";

export const tasksDelete = defineTool({
  name: "tasks_delete",
  title: "Delete a step, task or plan",
  doc: "Delete a step with all below it, or (without one) the plan or task, whose folder goes to the archive.",
  input: object({ workspace, ...target, ...stepSelector, ...preconditions }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:2" },
    { workspace: "acme/repo", task: "TASK-001" },
  ],
  effect: "write",
  target: "entity",
  destructive: true,
  decide: (input, ctx) => {
    const step = stepOrWhole(ctx.subject, input);
    return { drafts: step ? deleteStep(step) : deleteEntity(ctx.subject, ctx.tasksOfPlan) };
  },
  reply: (_input, ctx) => {
    const { subject } = ctx;
    const step = stepOfCall(ctx);
    if (!step) return { result: { ...entityBlock(subject), deleted: true, ...printed(ctx) } };
    const gone = { step_id: step.id, path: pathOf(step), title: step.title };
    return {
      result: { ...taskBlock(subject), step: gone, deleted_steps: stepsBelow(step), ...printed(ctx) },
      suggestions: nextCalls(subject),
    };
  },
});
