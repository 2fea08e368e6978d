import { patch, refsOfPatch } from "../rules/patch.ts";
import { nextCalls } from "../rules/suggest.ts";
import { warnOfCircle } from "../rules/warn_of_circle.ts";
import { either, object } from "../state/schema.ts";
import { patchFields, patchReply, preconditions, target, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import * as out from "./output.ts";

export const tasksPatch = defineTool({
  name: "tasks_patch",
  title: "Patch fields",
  doc: "Set, unset, append to or remove from fields of a plan or task, of a step or of a task node, all ops or none.",
  input: object({ workspace, ...target, ...patchFields, ...preconditions }),
  output: either(object(out.ofChange), object(out.ofStep), object(out.ofNode)),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", ops: [{ op: "append", field: "tags", value: "parser" }] },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      kind: "step",
      path: "s:0",
      ops: [
        { op: "set", field: "title", value: "Write the grammar" },
        { op: "remove", field: "blockers", value: ["no samples"] },
      ],
    },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      kind: "task",
      task_node_id: "NODE-0A1B2C3D",
      ops: [{ op: "unset", field: "context" }],
    },
  ],
  effect: "write",
  target: "entity",
  refs: refsOfPatch,
  decide: (input, ctx) => ({ drafts: patch(ctx.subject, input, ctx) }),
  reply: (_input, ctx) => ({
    result: patchReply(ctx),
    warnings: warnOfCircle(ctx),
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});
