import { redoOp } from "../rules/undo.ts";
import { object } from "../state/schema.ts";
import { askingOf, preconditions, target, reversalReply, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksRedo = changeTool({
  name: "tasks_redo",
  title: "Redo what was undone",
  doc: "Bring the change that was undone last into effect again. Any other change since then rules it out.",
  input: object({ workspace, ...target, ...preconditions }),
  output: out.ofTurn,
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  decide: (input, ctx) => redoOp(ctx.subject, ctx.past, askingOf(input, ctx)),
  reply: (_input, ctx) => ({ result: reversalReply(ctx) }),
});
