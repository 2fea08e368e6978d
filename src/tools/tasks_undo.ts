import { undoOp } from "../rules/undo.ts";
import { object, optional, text } from "../state/schema.ts";
import { askingOf, preconditions, target, reversalReply, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksUndo = changeTool({
  name: "tasks_undo",
  title: "Undo a change",
  doc: "Take back the last change of a plan or task, or the one that op names. Refused when a later change builds on it.",
  input: object({
    workspace,
    ...target,
    op: optional(
      text({
        minLength: 1,
        maxLength: 64,
        description: "Event id of the op to undo; needed for another caller's.",
      }),
    ),
    ...preconditions,
  }),
  output: out.ofTurn,
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  decide: (input, ctx) => undoOp(ctx.subject, ctx.past, askingOf(input, ctx), input.op),
  reply: (_input, ctx) => ({ result: reversalReply(ctx) }),
});
