import { object, orNull, text } from "../state/schema.ts";
import { readOnly, workspace } from "./common.ts";
import { defineTool } from "./define.ts";

export const tasksFocusGet = defineTool({
  name: "tasks_focus_get",
  title: "Get the focus",
  doc: "Tell which plan or task calls without a target mean; null when there is none.",
  input: object({ workspace, read_only: readOnly }),
  output: object({ workspace: text(), focus: orNull(text()) }),
  examples: [{ workspace: "acme/repo" }],
  effect: "read",
  target: "workspace",
  reply: (_input, ctx) => ({ result: { workspace: ctx.workspace, focus: ctx.focus } }),
});
