/**
 * A task with its steps and the reasoning about it, under a plan that is there or made with it. Bootstrap and macros
 * share this.
 */
import { TaskfoldError } from "../errors.ts";
import { cleanList } from "../rules/text.ts";
import { think } from "../rules/think.ts";
import type { ThinkInput } from "../rules/think.ts";
import type { StepInput } from "../rules/add_steps.ts";
import type { Json, JsonObject } from "../state/schema.ts";
import { list, object, optional, text } from "../state/schema.ts";
import { selector } from "../state/selector.ts";
import {
  completeWhenDone,
  entityId,
  lines,
  listedFields,
  namesPacket,
  ordered,
  proof,
  stepDependsOn,
  title,
} from "./common.ts";
import type { BatchContext, PartCall, PartDone, PartsContext } from "./calls.ts";

const INBOX = "Inbox";

const gated = {
  title,
  success_criteria: lines("When it counts as done; at least one."),
  tests: lines("How that is checked; at least one."),
  blockers: optional(lines("Obstacles.")),
  depends_on: stepDependsOn,
  proof: optional(proof),
};

/** Steps that can be gated: with criteria and tests. */
export const gatedStep = object(gated);
const newStep = object({ ...gated, packet: namesPacket });

const template = (of: string) =>
  optional(text({ minLength: 1, maxLength: 80, description: `Template for the ${of}.` }));

export const planFields = {
  plan: optional(selector(entityId("Id of its plan."))),
  parent: optional(selector(entityId("Another name for plan."))),
  plan_title: optional(text({ minLength: 1, description: "Makes a plan of this title." })),
};

export const taskFields = {
  task_title: title,
  description: optional(text({ description: "Purpose and scope." })),
  ...listedFields,
};

export const bootstrapFields = {
  ...planFields,
  plan_template: template("plan that plan_title makes"),
  ...taskFields,
  template: template("task, in place of steps"),
  steps: optional(list(newStep, { minItems: 1, description: "Steps in order." })),
  ordered,
  complete_when_done: completeWhenDone,
  think: optional(think),
};

export interface BootstrapInput {
  workspace: string;
  plan?: string;
  parent?: string;
  plan_title?: string;
  plan_template?: string;
  task_title: string;
  description?: string;
  priority?: string;
  tags?: readonly string[];
  depends_on?: readonly string[];
  template?: string;
  complete_when_done?: boolean;
  steps?: readonly StepInput[];
  ordered?: boolean;
  think?: ThinkInput;
  expected_revision?: number;
  expected_head?: string;
}

/** Without a plan in the input: the focused plan, else that of the focused task; `inbox`: else the plan of that title. */
export function bootstrapParts(input: BootstrapInput, ctx: PartsContext, { inbox }: { inbox: boolean }): PartCall[] {
  checkBootstrap(input);
  const task = ctx.newId("task");
  const { plan, made } = planOf(input, ctx, inbox);
  const { task_title: title, description, priority, tags, depends_on, complete_when_done, steps, ordered } = input;
  const thoughts = input.think ?? frameOf(input);
  const listed = { title, description, priority, tags, depends_on, complete_when_done };
  const body = { id: task, kind: "task", ...listed, parent: plan, ordered };
  const calls: PartCall[] = [
    ...made,
    input.template === undefined
      ? { tool: "tasks_create", args: { ...body, steps } }
      : { tool: "tasks_scaffold", args: { ...body, template: input.template } },
    ...(thoughts === undefined
      ? []
      : [{ tool: "tasks_think", args: { ...thoughts, task }, otherwise: "THINK_FAILED" as const }]),
  ];
  const { expected_revision, expected_head } = input;
  Object.assign(calls[0]!.args, { expected_revision, expected_head });
  return calls;
}

/** If no caller framed a principal task, its title and description frame it (MACRO-1). */
function frameOf({ template: from, task_title: title, description: text }: BootstrapInput): ThinkInput | undefined {
  if (from !== "principal-task") return undefined;
  return { frame: { title, ...(text === undefined ? {} : { text }) } };
}

function planOf(input: BootstrapInput, ctx: PartsContext, inbox: boolean): { plan: string; made: PartCall[] } {
  const named = input.plan ?? input.parent;
  if (named !== undefined) return { plan: ctx.find(named).id, made: [] };
  if (input.plan_title !== undefined) return newPlan(input.plan_title, input.plan_template, ctx);
  const focused = ctx.focused();
  if (focused?.entity.kind === "plan") return { plan: focused.id, made: [] };
  const parent = focused?.entity.parent;
  const home = parent && ctx.rows().find((row) => !row.deleted && row.root === parent.root);
  if (home) return { plan: home.id, made: [] };
  if (!inbox) throw planRequired(input);
  const box = ctx.rows().find((row) => row.kind === "plan" && !row.deleted && row.title === INBOX);
  return box ? { plan: box.id, made: [] } : newPlan(INBOX, undefined, ctx);
}

function newPlan(of: string, from: string | undefined, ctx: PartsContext): { plan: string; made: PartCall[] } {
  const id = ctx.newId("plan");
  const args = { id, kind: "plan", title: of };
  const call =
    from === undefined ? { tool: "tasks_create", args } : { tool: "tasks_scaffold", args: { ...args, template: from } };
  return { plan: id, made: [call] };
}

/** INVALID_INPUT or TARGET_CONTRADICTION for what does not go together. */
function checkBootstrap(input: BootstrapInput): void {
  const { plan, parent, plan_title, plan_template, template: from, steps } = input;
  if (plan !== undefined && parent !== undefined && plan !== parent)
    refuse("TARGET_CONTRADICTION", `Expected plan and parent to name one plan, found ${plan} and ${parent}.`);
  if (plan_title !== undefined && (plan ?? parent) !== undefined)
    refuse("TARGET_CONTRADICTION", "Expected either a plan that is there or plan_title, which makes one; found both.");
  if (plan_template !== undefined && plan_title === undefined)
    refuse("INVALID_INPUT", "Expected plan_template only with plan_title, which makes a plan; found it without.");
  if ((from === undefined) === (steps === undefined))
    refuse("INVALID_INPUT", `Expected either steps or template, found ${from === undefined ? "neither" : "both"}.`);
  for (const [index, step] of (steps ?? []).entries()) {
    for (const field of ["success_criteria", "tests"] as const)
      if (cleanList(step[field] ?? [], field).length === 0)
        refuse("INVALID_INPUT", `Expected steps[${index}].${field} to say at least one thing, found nothing.`);
  }
}

function refuse(code: "INVALID_INPUT" | "TARGET_CONTRADICTION", message: string): never {
  throw new TaskfoldError(code, message, { recovery: "Nothing was made. Give one of them, filled in." });
}

function planRequired({ workspace }: BootstrapInput): TaskfoldError {
  return new TaskfoldError("TARGET_REQUIRED", "Expected plan, parent or plan_title, or a focused plan; found none.", {
    recovery: "Name the plan, or give plan_title and one is made.",
    suggestions: [{ tool: "tasks_context", args: { workspace }, reason: "See which plans there are." }],
  });
}

/** `{id, qualified_id, ...}` of the plan and the task, and what else was made of the parts. */
export function bootstrapResult({ workspace, parts }: Pick<BatchContext, "workspace" | "parts">): {
  plan: JsonObject;
  task: JsonObject;
  more: JsonObject;
} {
  const making = (kind: string): PartDone | undefined =>
    parts.find(({ events: [first] }) => first?.type === "task_created" && first["kind"] === kind);
  const task = making("task")!;
  const plan = making("plan");
  const parent = task.events[0]!["parent"] as { id: string } | null;
  const thought = parts.find((part) => part.tool === "tasks_think");
  const named = (id: string) => ({ id, qualified_id: `${workspace}:${id}` });
  const revision = parts.filter((part) => part.task === task.task).length;
  return {
    plan: { ...named(plan?.task ?? parent!.id), created: plan !== undefined },
    task: { ...named(task.task), revision },
    more: {
      steps: task.result["steps"] as Json,
      events: parts.flatMap((part) => part.events),
      ...(thought ? { think_pipeline: thought.result["think_pipeline"] as Json } : {}),
    },
  };
}
