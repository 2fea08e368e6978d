import { redoOp } from "../rules/undo.ts";
import { object } from "../state/schema.ts";
import { askingOf, preconditions, target, turnReply, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import * as out from "./output.ts";

export const tasksRedo = defineTool({
  name: "tasks_redo",
  title: "Redo what was undone",
  doc: "Bring the change that was undone last into effect again. Any other change since then rules it out.",
  input: object({ workspace, ...target, ...preconditions }),
  output: out.ofTurn,
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  effect: "write",
  target: "entity",
  decide: (input, ctx) => ({ drafts: redoOp(ctx.subject, ctx.past, askingOf(input, ctx)).drafts }),
  reply: (_input, ctx) => ({ result: turnReply(ctx) }),
});
