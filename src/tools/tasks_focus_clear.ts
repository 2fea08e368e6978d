import { boolean, object, orNull, text } from "../state/schema.ts";
import { workspace } from "./common.ts";
import { defineTool } from "./define.ts";

export const tasksFocusClear = defineTool({
  name: "tasks_focus_clear",
  title: "Clear the focus",
  doc: "Forget the caller's focus and the one set last in the workspace, so that calls have to name their target.",
  input: object({ workspace }),
  output: object({ workspace: text(), previous: orNull(text()), cleared: boolean() }),
  examples: [{ workspace: "acme/repo" }],
  effect: "focus",
  target: "workspace",
  reply: (_input, ctx) => ({
    result: { workspace: ctx.workspace, previous: ctx.focus_previous, cleared: ctx.focus_previous !== null },
  }),
});
