import { TaskfoldError } from "../errors.ts";
import type { ScaffoldInput } from "../rules/scaffold.ts";
import { scaffold } from "../rules/scaffold.ts";
import { nextCalls } from "../rules/suggest.ts";
import { templateOf } from "../rules/templates.ts";
import { KINDS } from "../state/entity.ts";
import { either, list, object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { selector } from "../state/selector.ts";
import { preOrder } from "../state/tree.ts";
import { checklistOf } from "../views/checklist.ts";
import {
  completeWhenDone,
  entityBlock,
  entityId,
  expectations,
  listedFields,
  ordered,
  stepList,
  title,
  workspace,
} from "./common.ts";
import { createTool } from "./create_tool.ts";
import * as out from "./output.ts";

export const tasksScaffold = createTool({
  name: "tasks_scaffold",
  title: "Create from a template",
  doc: "Create a plan with a template's checklist, or a task with a template's steps; tasks_templates_list shows them.",
  input: object({
    workspace,
    template: text({ minLength: 1, maxLength: 80, description: "Id of the template, such as basic-task." }),
    kind: optional(oneOf(KINDS, { description: "Default: that of the template." })),
    title,
    id: optional(
      text({ minLength: 1, maxLength: 80, description: "Id of your own; left out, the next number is taken." }),
    ),
    parent: optional(selector(entityId("Id of the plan that a task belongs to."))),
    plan_title: optional(text({ minLength: 1, description: "Makes a plan of this title for the task." })),
    description: optional(text({ description: "Purpose and scope." })),
    ...listedFields,
    ordered,
    complete_when_done: completeWhenDone,
    ...expectations,
  }),
  output: either(
    object({
      template: object({ id: text(), kind: out.kind }),
      plan: object({ ...out.ofEntity, qualified_id: text() }),
      ...out.checklist,
      events: list(out.event),
    }),
    object({
      template: object({ id: text(), kind: out.kind }),
      plan: orNull(object({ id: text() })),
      task: object({ ...out.ofEntity, qualified_id: text() }),
      steps: out.stepNames,
      events: list(out.event),
    }),
  ),
  examples: [
    { workspace: "acme/repo", template: "basic-task", kind: "task", title: "Write the parser", parent: "PLAN-001" },
    { workspace: "acme/repo", template: "principal-plan", kind: "plan", title: "Version 2" },
  ],
  refs: ({ parent, depends_on = [] }) => (parent === undefined ? depends_on : [parent, ...depends_on]),
  several: {
    parts: (input, ctx) => {
      const { plan_title, expected_revision, expected_head, ...task } = input;
      if (plan_title === undefined) return null;
      refuseTwoPlans(input);
      const plan = ctx.newId("plan");
      const expects = { expected_revision, expected_head };
      return [
        { tool: "tasks_create", args: { id: plan, kind: "plan", title: plan_title, ...expects } },
        {
          tool: "tasks_scaffold",
          args: { ...task, idempotency_key: undefined, id: ctx.newId("task", task.id), parent: plan },
        },
      ];
    },
    partsAgain: (input) => [
      { tool: "tasks_create", args: {} },
      { tool: "tasks_scaffold", args: input },
    ],
    reply: (_input, { parts, events }) => {
      const task = parts[1]!;
      return { ...task, result: { ...task.result, events: [...events] } };
    },
  },
  decide: (input, ctx) => ({ drafts: scaffold(input, ctx.refs, ctx.newStepId) }),
  reply: (input, ctx) => {
    const { subject } = ctx;
    const { entity } = subject;
    const made = { ...entityBlock(subject), qualified_id: `${subject.workspace}:${subject.id}` };
    const template = { id: input.template, kind: entity.kind };
    const events = [...ctx.events];
    if (entity.kind === "plan") {
      return { result: { template, plan: made, ...checklistOf(entity), events }, suggestions: nextCalls(subject) };
    }
    const steps = stepList(
      subject,
      [...preOrder(entity.children)].map((step) => step.id),
    );
    const plan = entity.parent && { id: ctx.idOf(entity.parent) };
    return { result: { template, plan, task: made, steps, events }, suggestions: nextCalls(subject) };
  },
});

/** INVALID_INPUT for a plan title where no plan is to be made for a task. */
function refuseTwoPlans({ workspace: id, template, kind: given, parent }: ScaffoldInput): void {
  const { kind } = templateOf(template, given, id);
  if (kind === "task" && parent === undefined) return;
  const found = kind === "plan" ? "one for a plan" : "parent beside it";
  throw new TaskfoldError("INVALID_INPUT", `Expected plan_title only for a task without parent, found ${found}.`, {
    recovery: "Give parent, or plan_title, or neither. Nothing was made.",
  });
}
