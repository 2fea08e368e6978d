import { deleteNode, nodeOf } from "../rules/task_node.ts";
import { object } from "../state/schema.ts";
import { nodeReply, nodeSelector, preconditions, target, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksTaskDelete = changeTool({
  name: "tasks_task_delete",
  title: "Delete a task node",
  doc: "Delete a task node inside a step; its path is never given to another.",
  input: object({ workspace, ...target, ...nodeSelector, ...preconditions }),
  output: object(out.ofNode),
  examples: [{ workspace: "acme/repo", task: "TASK-001", path: "s:0.t:1" }],
  kinds: ["task"],
  destructive: true,
  decide: (input, ctx) => ({ drafts: deleteNode(ctx.subject, nodeOf(ctx.subject, input)) }),
  reply: (_input, ctx) => ({ result: nodeReply(ctx) }),
});
