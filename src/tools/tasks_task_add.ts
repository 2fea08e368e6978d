import { addNode } from "../rules/task_node.ts";
import { object, text } from "../state/schema.ts";
import { nodeFields, nodeReply, preconditions, target, title, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksTaskAdd = changeTool({
  name: "tasks_task_add",
  title: "Add a task node to a step",
  doc: "Write down a piece of work inside a step: what it is, what it builds on, what is next. It gates nothing.",
  input: object({
    workspace,
    ...target,
    parent_step: text({ minLength: 1, maxLength: 2000, description: "Path or id of the step it stands in." }),
    title,
    ...nodeFields,
    ...preconditions,
  }),
  output: object(out.ofNode),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", parent_step: "s:0", title: "Collect samples", next_steps: ["ask Ann"] },
  ],
  kinds: ["task"],
  decide: (input, ctx) => ({ drafts: addNode(ctx.subject, input.parent_step, input, ctx.newNodeId) }),
  reply: (_input, ctx) => ({ result: nodeReply(ctx) }),
});
