/** What makes plans and tasks, and the calls that are made of several (MACRO and BATCH rules), in the model. */
import type { Change, Entity } from "./entity.ts";
import { dueSteps, refuse } from "./entity.ts";
import type { Input } from "./input.ts";
import type { Turn } from "./model.ts";
import type { StepBody } from "./steps.ts";
import { addSteps, clean, saysWhatWasRun, titled } from "./steps.ts";

/** Templates as the engine lists them: it tells the model at the start of a run. */
export interface Template {
  id: string;
  kind: "plan" | "task";
  plan_steps?: string[];
  steps?: StepBody[];
}

export const TEMPLATES = new Map<string, Template>();

function create(turn: Turn): Entity {
  const { model, input } = turn;
  const { parent, title, description = "", steps = [] } = input;
  const kind = input.kind ?? (parent === undefined ? "plan" : "task");
  const taken = Object.keys(model.state.entities).some((one) => one.toLowerCase() === input.id?.toLowerCase());
  model.expect(input, 0);
  if (taken) refuse("ID_TAKEN");
  if (parent !== undefined && kind === "plan") refuse("INVALID_INPUT");
  if (parent !== undefined && model.find(parent).kind !== "plan") refuse("INVALID_INPUT");
  if (kind === "plan" && steps.length > 0) refuse("INVALID_INPUT");
  const id = input.id ?? model.nextId(kind);
  const said = /^(plan|task)-/i.exec(id)?.[1]?.toLowerCase();
  if (said !== undefined && said !== kind) refuse("INVALID_INPUT");
  for (const one of input.depends_on ?? []) model.find(one);
  const whole = {
    title: titled(title!),
    description: description ?? "",
    contract: null,
    checklist: [],
    current: 0,
    complete_when_done: input.complete_when_done ?? null,
    ...(input.priority === undefined ? {} : { priority: titled(input.priority) }),
    tags: clean(input.tags ?? []),
    depends_on: clean(input.depends_on ?? []),
  };
  return model.create(turn, { id, kind, parent: parent ?? null }, whole, (change: Change) => {
    if (steps.length > 0) addSteps(change, "", steps as StepBody[]);
  });
}

function scaffold(turn: Turn): void {
  const { model, input, part } = turn;
  const { plan_title, template: id, ...rest } = input;
  if (plan_title !== undefined) {
    // A call of two parts is looked at as a whole before any of them.
    const { kind } = TEMPLATES.get(id!) ?? refuse("UNKNOWN_ID");
    if (kind !== "task" || input.kind === "plan" || input.parent !== undefined) refuse("INVALID_INPUT");
    const plan = model.nextId("plan");
    part("tasks_create", { kind: "plan", id: plan, title: plan_title, ...expectation(input) });
    return part("tasks_scaffold", { ...rest, template: id!, parent: plan });
  }
  model.expect(input, 0);
  if (input.parent !== undefined) model.find(input.parent);
  const template = TEMPLATES.get(id!) ?? refuse("UNKNOWN_ID");
  if (template.kind !== input.kind) refuse("INVALID_INPUT");
  const made = create({ ...turn, input: { ...rest, steps: template.steps ?? [] } });
  const whole = made.places[""]!;
  whole["checklist"] = [...(template.plan_steps ?? [])];
}

const expectation = ({ expected_revision }: Input): Input =>
  expected_revision === undefined ? {} : { expected_revision };

/** The plan of what is made, made itself where need be. */
function planFor({ model, input, by, part }: Turn, inbox: boolean): string {
  const { plan_title } = input;
  const named = input.plan ?? input.parent;
  if (input.plan !== undefined && input.parent !== undefined && input.plan !== input.parent)
    refuse("TARGET_CONTRADICTION");
  if (plan_title !== undefined && named !== undefined) refuse("TARGET_CONTRADICTION");
  const make = (title: string): string => {
    const id = model.nextId("plan");
    part("tasks_create", { kind: "plan", id, title, ...expectation(input) });
    return id;
  };
  if (named !== undefined) return model.find(named).id;
  if (plan_title !== undefined) return make(plan_title);
  const focus = model.state.entities[model.focusOf(by) ?? ""];
  const isLive = focus && !focus.deleted && !focus.archived;
  if (isLive && focus.kind === "plan") return focus.id;
  const parent = isLive ? model.state.entities[focus.parent ?? ""] : undefined;
  if (parent && !parent.deleted) return parent.id;
  if (!inbox) return refuse("TARGET_REQUIRED");
  return model.live("plan").find((one) => one.places[""]!["title"] === "Inbox")?.id ?? make("Inbox");
}

/** The task of a bootstrap; its id. */
function bootstrap(turn: Turn, inbox: boolean): string {
  const { model, input, part } = turn;
  const { task_title, description, complete_when_done, steps, template } = input;
  if ((steps === undefined) === (template === undefined)) refuse("INVALID_INPUT");
  for (const { success_criteria, tests = [] } of (steps ?? []) as StepBody[])
    if (clean(success_criteria).length === 0 || clean(tests).length === 0) refuse("INVALID_INPUT");
  const before = Object.keys(model.state.entities).length;
  const parent = planFor(turn, inbox);
  const first = before === Object.keys(model.state.entities).length ? expectation(input) : {};
  const id = model.nextId("task");
  const body: Input = {
    kind: "task",
    id,
    parent,
    title: task_title!,
    ...(description === undefined ? {} : { description }),
    ...(complete_when_done === undefined ? {} : { complete_when_done }),
    ...first,
  };
  if (template === undefined) part("tasks_create", { ...body, steps: steps! });
  else part("tasks_scaffold", { ...body, template });
  const frame = input.think?.frame ?? (template === "principal-task" ? task_title : undefined);
  if (frame !== undefined) part("tasks_think", { task: id, frame });
  return id;
}

function macroCloseStep(turn: Turn): void {
  const { model, input, by, part } = turn;
  const entity = model.target(input, by);
  model.expect(input, entity.ops.length);
  if (entity.kind === "plan") refuse("INVALID_INPUT");
  const step = model.stepOrWhole(entity, input) || dueSteps(entity).find((one) => entity.places[one]!["done"] !== true);
  const { note, proof, checkpoints = "gate", fence } = input;
  const at: Input = {
    task: entity.id,
    ...(step === undefined ? {} : { path: step }),
    ...(fence === undefined ? {} : { fence }),
  };
  if (note !== undefined) part("tasks_note", { ...at, note });
  const checks = (proof ?? []) as string[];
  if (saysWhatWasRun(checks))
    part("tasks_evidence_capture", {
      ...at,
      checks,
      ...(step === undefined ? {} : { checkpoint: "tests" }),
    });
  if (step !== undefined) return part("tasks_close_step", { ...at, checkpoints });
  const status = entity.places[""]!["status"] as string;
  if (["TODO", "ACTIVE"].includes(status)) part("tasks_complete", at);
}

function macroFinish({ model, input, by, part }: Turn): void {
  const { id, places, ops } = model.target(input, by);
  model.expect(input, ops.length);
  const { status = "DONE", fence } = input;
  if (status === "DONE" && places[""]!["status"] === "DONE" && input.expected_revision === undefined) return;
  part("tasks_complete", { target: id, status, ...(fence === undefined ? {} : { fence }) });
}

function batch({ model, input, by, part }: Turn): void {
  for (const { tool, args } of input.operations!) {
    if (input.atomic === true) part(tool, args);
    else if (!model.alone(tool, { ...args, workspace: input.workspace! }, by) && input.on_error !== "continue") break;
  }
}

export const MACROS: Record<string, (turn: Turn) => void> = {
  tasks_create: create,
  tasks_scaffold: scaffold,
  tasks_bootstrap: (turn) => void bootstrap(turn, false),
  tasks_macro_start: (turn) => {
    const { input, model, by } = turn;
    const template = input.template ?? (input.steps === undefined ? "basic-task" : undefined);
    const begun = bootstrap({ ...turn, input: { ...input, ...(template === undefined ? {} : { template }) } }, true);
    model.setFocus(by, begun);
  },
  tasks_macro_create_done: (turn) => {
    const task = bootstrap(turn, true);
    turn.part("tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
    if (turn.model.find(task).places[""]!["status"] !== "DONE") turn.part("tasks_complete", { task });
  },
  tasks_macro_close_step: macroCloseStep,
  tasks_macro_finish: macroFinish,
  tasks_batch: batch,
};
