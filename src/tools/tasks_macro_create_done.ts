import type { JsonObject } from "../state/json.ts";
import { list, object, text } from "../state/schema.ts";
import { bootstrapParts, bootstrapResult, gatedStep, planFields, taskFields } from "./bootstrap.ts";
import { expectations, workspace } from "./common.ts";
import { defineTool } from "./define.ts";
import { fitMacro } from "./macro_room.ts";
import * as out from "./output.ts";
import { tasksCloseStep } from "./tasks_close_step.ts";
import { tasksComplete } from "./tasks_complete.ts";

export const tasksMacroCreateDone = defineTool({
  name: "tasks_macro_create_done",
  title: "Record a small task as done",
  doc: "Make a task of exactly one step, confirm and close the step, and finish the task: for work that is already done.",
  input: object({
    workspace,
    ...planFields,
    ...taskFields,
    steps: list(gatedStep, { minItems: 1, maxItems: 1, description: "Exactly one." }),
    ...expectations,
  }),
  output: object({
    workspace: text(),
    bootstrap: out.bootstrapped,
    close: tasksCloseStep.output,
    complete: tasksComplete.output,
  }),
  examples: [
    {
      workspace: "acme/repo",
      task_title: "Fix a typo in the README",
      steps: [{ title: "Fix it", success_criteria: ["the word is right"], tests: ["read it again"] }],
    },
  ],
  effect: "txn",
  target: "workspace",
  parts: (input, ctx) => {
    const task = ctx.newId("task");
    return [
      ...bootstrapParts(input, ctx, { inbox: true }),
      { tool: "tasks_close_step", args: { task, path: "s:0", checkpoints: "gate" } },
      { tool: "tasks_complete", args: { task } },
    ];
  },
  reply: (_input, ctx) => {
    const parts = ctx.parts ?? [];
    const [close, complete] = parts.slice(-2);
    const made = bootstrapResult({ ...ctx, parts: parts.slice(0, -2) });
    const bootstrap: JsonObject = { workspace: ctx.workspace, plan: made.plan, task: made.task, ...made.more };
    const answer = {
      result: { workspace: ctx.workspace, bootstrap, close: close!.result, complete: complete!.result },
      suggestions: complete!.suggestions ?? [],
    };
    return fitMacro(() => answer, undefined, {
      noticed: ctx.noticed,
      spare: [
        () => (bootstrap["events"] = []),
        () => (answer.result.close = withoutEvents(answer.result.close)),
        () => (answer.result.complete = withoutEvents(answer.result.complete)),
      ],
    });
  },
});

function withoutEvents({ event: _event, events: _events, ...result }: JsonObject): JsonObject {
  return result;
}
