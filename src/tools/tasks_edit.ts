import { editEntity } from "../rules/edit_entity.ts";
import { warnOfCircle } from "../rules/warn_of_circle.ts";
import { boolean, json, list, object, optional, orNull, text } from "../state/schema.ts";
import {
  entityBlock,
  entityId,
  lines,
  preconditions,
  printed,
  proofOfPlan,
  target,
  title,
  workspace,
} from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksEdit = changeTool({
  name: "tasks_edit",
  title: "Edit a plan or task",
  doc: "Set fields of a plan or task itself, all in one event; null clears a field and a list replaces the list.",
  input: object({
    workspace,
    ...target,
    title: optional(title),
    description: optional(orNull(text({ description: "null empties it." }))),
    context: optional(orNull(text({ description: "Facts for an agent that takes over." }))),
    priority: optional(text({ minLength: 1, description: "Free text; new entities have MEDIUM." })),
    tags: optional(lines("Replaces the tags.")),
    depends_on: optional(list(entityId("Id of a plan or task."), { description: "Prerequisites. Replaces the list." })),
    complete_when_done: optional(
      orNull(boolean({ description: "The last step completes it; of a plan: its tasks. null: as the plan says." })),
    ),
    new_domain: optional(orNull(text({ description: "Domain of a task (tasks only)." }))),
    contract: optional(orNull(text({ description: "The plan's promises (plans only)." }))),
    contract_data: optional(json({ description: "The same as data (plans only)." })),
    proof: optional(proofOfPlan),
    ...preconditions,
  }),
  output: object(out.ofChange),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", priority: "HIGH", tags: ["parser"], depends_on: ["TASK-002"] },
    { workspace: "acme/repo", plan: "PLAN-001", contract: null, contract_data: { stable: true } },
  ],
  refs: (input) => [...(input.depends_on ?? [])],
  decide: (input, ctx) => ({ drafts: editEntity(ctx.subject, input, ctx.refs) }),
  reply: (_input, ctx) => ({
    result: { ...entityBlock(ctx.subject), ...printed(ctx) },
    warnings: warnOfCircle(ctx),
  }),
});
