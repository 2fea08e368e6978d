import { TEMPLATES } from "../rules/templates.ts";
import { list, object, optional, text } from "../state/schema.ts";
import type { JsonObject } from "../state/schema.ts";
import { readOnly, stepInput, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";

export const tasksTemplatesList = readTool({
  name: "tasks_templates_list",
  title: "List templates",
  doc: "List the built-in templates for plans and tasks, with their checklists, steps and proof modes.",
  input: object({ workspace, read_only: readOnly }),
  output: object({
    workspace: text(),
    templates: list(
      object({
        id: text(),
        kind: out.kind,
        title: text(),
        description: text(),
        plan_steps: optional(list(text())),
        steps: optional(list(stepInput)),
      }),
    ),
  }),
  examples: [{ workspace: "acme/repo" }],
  target: "workspace",
  reply: (_input, ctx) => ({
    result: { workspace: ctx.workspace, templates: structuredClone(TEMPLATES) as unknown as JsonObject[] },
  }),
});
