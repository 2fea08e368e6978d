import { reasoningRef } from "../state/reasoning.ts";
import { boolean, list, object, optional, orNull, text } from "../state/schema.ts";
import { readOnly, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";

export const tasksStorage = readTool({
  name: "tasks_storage",
  title: "Where things are kept",
  doc: "Tell the folder that holds plans and tasks on this machine, and the names that reasoning is kept under.",
  input: object({ workspace, read_only: readOnly }),
  output: object({
    workspace: text(),
    storage_dir: orNull(text()),
    folders: object({ tasks: text(), archive: text(), registry: text(), locks: text() }),
    defaults: object(out.reasoningRef),
    workspaces: optional(
      list(
        object({
          workspace: orNull(text()),
          root: text(),
          default: boolean({ description: "Whether calls that may leave out the workspace mean this one." }),
          error: orNull(object({ code: text(), message: text() })),
        }),
        { description: "All that a server or program serves, where it serves several." },
      ),
    ),
  }),
  examples: [{ workspace: "acme/repo" }],
  target: "workspace",
  reply: (_input, ctx) => ({
    result: {
      workspace: ctx.workspace,
      storage_dir: ctx.storageDir,
      folders: { tasks: "tasks", archive: "archive", registry: "registry", locks: "locks" },
      defaults: reasoningRef(),
    },
  }),
});
