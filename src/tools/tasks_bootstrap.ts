import { object } from "../state/schema.ts";
import { bootstrapFields, bootstrapParts, bootstrapResult } from "./bootstrap.ts";
import { expectations, workspace } from "./common.ts";
import { batchTool } from "./batch_tool.ts";
import * as out from "./output.ts";

export const tasksBootstrap = batchTool({
  name: "tasks_bootstrap",
  title: "Begin a task in one call",
  doc: "Make a task with its steps and first thoughts, and the plan for it if need be; all of it or nothing.",
  input: object({ workspace, ...bootstrapFields, ...expectations }),
  output: out.bootstrapped,
  examples: [
    {
      workspace: "acme/repo",
      plan_title: "Version 2",
      task_title: "Write the parser",
      steps: [{ title: "Write the grammar", success_criteria: ["every sample parses"], tests: ["npm test"] }],
    },
    {
      workspace: "acme/repo",
      plan: "PLAN-001",
      task_title: "Fix the crash",
      template: "basic-task",
      think: { hypothesis: "The cache is stale." },
    },
  ],
  target: "workspace",
  parts: (input, ctx) => bootstrapParts(input, ctx, { inbox: false }),
  reply: (_input, ctx) => {
    const { plan, task, more } = bootstrapResult(ctx);
    return {
      result: { workspace: ctx.workspace, plan, task, ...more },
      suggestions: ctx.parts.at(-1)?.suggestions ?? [],
    };
  },
});
