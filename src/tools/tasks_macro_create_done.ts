import type { Json, JsonObject } from "../state/json.ts";
import { list, object, text } from "../state/schema.ts";
import { bootstrapParts, bootstrapResult, gatedStep, planFields, taskFields } from "./bootstrap.ts";
import { expectations, workspace } from "./common.ts";
import type { PartCall, PartDone, PartsContext } from "./calls.ts";
import { batchTool } from "./batch_tool.ts";
import { fitMacro } from "./macro_room.ts";
import * as out from "./output.ts";
import { tasksCloseStep } from "./tasks_close_step.ts";
import { tasksComplete } from "./tasks_complete.ts";

export const tasksMacroCreateDone = batchTool({
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
  target: "workspace",
  parts: (input, ctx) => {
    const task = ctx.newId("task");
    const making = bootstrapParts(input, ctx, { inbox: true });
    const close = { tool: "tasks_close_step", args: { task, path: "s:0", checkpoints: "gate" } };
    const complete = { tool: "tasks_complete", args: { task } };
    return [...making, close, ...(isCompletedWithStep(making, ctx) ? [] : [complete])];
  },
  reply: (input, ctx) => {
    const { parts, workspace } = ctx;
    const at = parts.findIndex(({ tool }) => tool === "tasks_close_step");
    const [close, complete = completedWith(close!, input.task_title)] = parts.slice(at);
    const made = bootstrapResult({ workspace, parts: parts.slice(0, at) });
    const bootstrap: JsonObject = { workspace: ctx.workspace, plan: made.plan, task: made.task, ...made.more };
    const answer = {
      result: { workspace: ctx.workspace, bootstrap, close: close!.result, complete: complete.result },
      suggestions: complete.suggestions ?? [],
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

/** Whether closing the step completes the task: a plan that is there may ask for that (STEP-79). */
function isCompletedWithStep(making: readonly PartCall[], ctx: PartsContext): boolean {
  const plan = making.find(({ args }) => args["kind"] === "task")?.args["parent"] as string;
  const isMade = making.some(({ args }) => args["id"] === plan);
  return !isMade && ctx.find(plan).entity.complete_when_done === true;
}

/** The completion that the closing brought along, as an answer of its own. */
function completedWith({ result, events }: PartDone, title: string): Pick<PartDone, "result" | "suggestions"> {
  const { task: id, kind, revision, head } = result as Record<string, Json>;
  const event = events.find(({ type }) => type === "task_completed")!;
  return {
    result: {
      id: id!,
      kind: kind!,
      revision: revision!,
      head: head!,
      title,
      status: "DONE",
      status_reason: null,
      event,
    },
  };
}

function withoutEvents({ event: _event, events: _events, ...result }: JsonObject): JsonObject {
  return result;
}
