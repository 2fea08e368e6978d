import { createEntity } from "../rules/create_entity.ts";
import { nextCalls } from "../rules/suggest.ts";
import { KINDS, TOPOLOGIES } from "../state/entity.ts";
import { preOrder } from "../state/tree.ts";
import { boolean, json, list, object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { selector } from "../state/selector.ts";
import {
  completeWhenDone,
  entityBlock,
  entityId,
  expectations,
  listedFields,
  proofOfPlan,
  stepInput,
  stepList,
  title,
  workspace,
} from "./common.ts";
import { createTool } from "./create_tool.ts";
import * as out from "./output.ts";

export const tasksCreate = createTool({
  name: "tasks_create",
  title: "Create a plan or task",
  doc: "Create a plan, or a task under a plan or on its own, with its steps in one call.",
  input: object({
    workspace,
    kind: optional(oneOf(KINDS, { description: "Default: task when parent is given, else plan." })),
    parent: optional(selector(entityId("Id of the plan that a task belongs to."))),
    id: optional(
      text({ minLength: 1, maxLength: 80, description: "Id of your own; left out, the next number is taken." }),
    ),
    title,
    description: optional(text({ description: "Purpose and scope." })),
    contract: optional(orNull(text({ description: "The plan's promises (plans only)." }))),
    contract_data: optional(json({ description: "The same as data (plans only)." })),
    proof: optional(proofOfPlan),
    topology: optional(oneOf(TOPOLOGIES, { description: "How agents work on it. Default squad." })),
    ...listedFields,
    steps: optional(list(stepInput, { description: "Steps in order (tasks only)." })),
    ordered: optional(boolean({ description: "Each step waits for the one before." })),
    complete_when_done: completeWhenDone,
    ...expectations,
  }),
  output: object({
    ...out.ofEntity,
    qualified_id: text(),
    parent: orNull(text()),
    steps: out.stepNames,
    events: list(out.event),
  }),
  examples: [
    {
      workspace: "acme/repo",
      parent: "PLAN-001",
      title: "Write the parser",
      steps: [{ title: "Write the grammar", success_criteria: ["every sample parses"], tests: ["npm test"] }],
    },
    { workspace: "acme/repo", kind: "plan", title: "Version 2", contract: "Old files keep their meaning." },
    { workspace: "acme/repo", kind: "task", id: "fix-crash", title: "Fix the crash", topology: "swarm" },
  ],
  refs: ({ parent, depends_on = [] }) => (parent === undefined ? depends_on : [parent, ...depends_on]),
  decide: (input, ctx) => ({ drafts: createEntity(input, ctx.refs, ctx.newStepId) }),
  reply: (_input, ctx) => {
    const { subject } = ctx;
    const { parent } = subject.entity;
    const steps = [...preOrder(subject.entity.children)].map((s) => s.id);
    return {
      result: {
        ...entityBlock(subject),
        qualified_id: `${subject.workspace}:${subject.id}`,
        parent: parent && ctx.idOf(parent),
        steps: stepList(subject, steps),
        events: [...ctx.events],
      },
      suggestions: nextCalls(subject),
    };
  },
});
