import { boolean, object, orNull, text } from "../state/schema.ts";
import { workspace } from "./common.ts";
import { focusTool } from "./focus_tool.ts";

export const tasksFocusClear = focusTool({
  name: "tasks_focus_clear",
  title: "Clear the focus",
  doc: "Forget the caller's focus and the one set last in the workspace, so that calls have to name their target.",
  input: object({ workspace }),
  output: object({ workspace: text(), previous: orNull(text()), cleared: boolean() }),
  examples: [{ workspace: "acme/repo" }],
  target: "workspace",
  reply: (_input, ctx) => ({
    result: { workspace: ctx.workspace, previous: ctx.focus_previous, cleared: ctx.focus_previous !== null },
  }),
});
