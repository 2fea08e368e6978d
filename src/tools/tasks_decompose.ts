import { addSteps } from "../rules/add_steps.ts";
import { nextCalls } from "../rules/suggest.ts";
import { list, object, optional, text } from "../state/schema.ts";
import { selector } from "../state/selector.ts";
import type { PrintedEvent } from "../events/printed_event.ts";
import { ordered, preconditions, printed, stepInput, stepList, target, taskBlock, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksDecompose = changeTool({
  name: "tasks_decompose",
  title: "Add steps",
  doc: "Add steps to a task, at the top or under a step; closed steps above them are open again.",
  input: object({
    workspace,
    ...target,
    parent: optional(
      selector(text({ minLength: 1, maxLength: 2000, description: "Path or id of the step to add them under." })),
    ),
    steps: list(stepInput, { minItems: 1, description: "Steps in order." }),
    ordered,
    ...preconditions,
  }),
  output: object({ ...out.ofTask, steps: out.stepNames, ...out.happened }),
  examples: [
    {
      workspace: "acme/repo",
      task: "TASK-001",
      steps: [{ title: "Write the tests", success_criteria: ["every branch is covered"], tests: ["npm test"] }],
    },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      parent: "s:0",
      steps: [{ title: "Measure", success_criteria: [], blockers: ["no data yet"], proof: { perf: "require" } }],
    },
  ],
  kinds: ["task"],
  decide: (input, ctx) => ({ drafts: addSteps(ctx.subject, input, ctx.newStepId) }),
  reply: (_input, ctx) => ({
    result: {
      ...taskBlock(ctx.subject),
      steps: stepList(ctx.subject, ctx.events.flatMap(idsOf)),
      ...printed(ctx),
    },
    suggestions: nextCalls(ctx.subject, ctx),
  }),
});

/** Of the events of such an op only those that add steps have any. */
function idsOf(event: PrintedEvent): string[] {
  const steps = (event["steps"] ?? []) as { id: string }[];
  return steps.map((s) => s.id);
}
