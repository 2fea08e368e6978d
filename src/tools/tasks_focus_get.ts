import { object, orNull, text } from "../state/schema.ts";
import { targetFrom } from "./output_views.ts";
import { readOnly, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";

export const tasksFocusGet = readTool({
  name: "tasks_focus_get",
  title: "Get the focus",
  doc: "Tell which plan or task calls without a target mean, and whose focus that is; null when there is none.",
  input: object({ workspace, read_only: readOnly }),
  output: object({ workspace: text(), focus: orNull(text()), target_from: targetFrom }),
  examples: [{ workspace: "acme/repo" }],
  target: "workspace",
  reply: (_input, { workspace: id, focus, focus_from }) => ({
    result: { workspace: id, focus, ...(focus_from === undefined ? {} : { target_from: focus_from }) },
  }),
});
