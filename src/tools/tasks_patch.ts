import type { Patch } from "../rules/patch.ts";
import { patch, placeOf, refsOfPatch } from "../rules/patch.ts";
import { nextCalls } from "../rules/suggest.ts";
import { warnOfCircle } from "../rules/warn_of_circle.ts";
import type { JsonObject } from "../state/schema.ts";
import { boolean, either, object } from "../state/schema.ts";
import {
  entityBlock,
  nodeOfCall,
  nodeReply,
  patchFields,
  preconditions,
  printed,
  stepOfCall,
  stepReply,
  target,
  workspace,
} from "./common.ts";
import type { ReplyContext } from "./reply_context.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

const changed = boolean({ description: "Whether the ops changed anything; if not, no event was written." });

export const tasksPatch = changeTool({
  name: "tasks_patch",
  title: "Patch fields",
  doc: "Set, unset, append to or remove from fields of a plan or task, of a step or of a task node, all ops or none.",
  input: object({ workspace, ...target, ...patchFields, ...preconditions }),
  output: either(
    object({ ...out.ofChange, changed }),
    object({ ...out.ofStep, changed }),
    object({ ...out.ofNode, changed }),
  ),
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
  refs: refsOfPatch,
  decide: (input, ctx) => ({ drafts: patch(ctx.subject, input, ctx) }),
  reply: (input, ctx) => ({
    result: patchReply(ctx, input),
    warnings: warnOfCircle(ctx),
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});

/** The first event says which place was patched: a path may name another step by the time a repeated call is answered. */
function patchReply(ctx: ReplyContext, input: Patch): JsonObject {
  const changed = ctx.events.length > 0;
  const { step, node } = changed ? { step: stepOfCall(ctx), node: nodeOfCall(ctx) } : placeOf(ctx.subject, input);
  if (node) return { ...nodeReply(ctx, node), changed };
  if (step) return stepReply(ctx, { changed }, step);
  return { ...entityBlock(ctx.subject), changed, ...printed(ctx) };
}
