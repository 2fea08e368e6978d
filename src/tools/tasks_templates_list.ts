import { TEMPLATES } from "../rules/templates.ts";
import { object } from "../state/schema.ts";
import type { JsonObject } from "../state/schema.ts";
import { readOnly, workspace } from "./common.ts";
import { defineTool } from "./define.ts";

export const tasksTemplatesList = defineTool({
  name: "tasks_templates_list",
  title: "List templates",
  doc: "List the built-in templates for plans and tasks, with their checklists, steps and proof modes.",
  input: object({ workspace, read_only: readOnly }),
  examples: [{ workspace: "acme/repo" }],
  effect: "read",
  target: "workspace",
  reply: (_input, ctx) => ({
    result: { workspace: ctx.workspace, templates: structuredClone(TEMPLATES) as unknown as JsonObject[] },
  }),
});
