import { defineNode, nodeOf } from "../rules/task_node.ts";
import { object, optional } from "../state/schema.ts";
import { nodeFields, nodeReply, nodeSelector, preconditions, target, title, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksTaskDefine = changeTool({
  name: "tasks_task_define",
  title: "Define a task node",
  doc: "Set fields of a task node inside a step; fields that are not given stay, a list replaces the list.",
  input: object({
    workspace,
    ...target,
    ...nodeSelector,
    title: optional(title),
    ...nodeFields,
    ...preconditions,
  }),
  output: object(out.ofNode),
  examples: [{ workspace: "acme/repo", task: "TASK-001", path: "s:0.t:1", status: "DONE", risks: [] }],
  kinds: ["task"],
  decide: (input, ctx) => ({ drafts: defineNode(ctx.subject, nodeOf(ctx.subject, input), input) }),
  reply: (_input, ctx) => ({ result: nodeReply(ctx) }),
});
