/** Random inputs for each tool, chosen on the model's state: mostly ones that go through, and each kind that does not. */
import { TOOLS } from "../../src/tools/index.ts";
import type { Random } from "../support/random.ts";
import {
  blocking,
  checkpoints,
  gatedStep,
  nodeBody,
  patch,
  planned,
  progress,
  proof,
  receipts,
  steps,
  stepsOrTemplate,
} from "./bodies.ts";
import { Choices } from "./choices.ts";
import type { Input } from "./input.ts";
import type { Model } from "./model.ts";
import { WORKSPACE } from "./model.ts";
import { RUN } from "./steps.ts";

export const CALLERS = ["human:ada", "agent:ben"];

/** How often tools come up, beside each other: those that change a step most, there is most to get wrong. */
const WEIGHTS: [number, string][] = [
  [4, "close_step undo verify progress"],
  [3, "redo done decompose define block evidence_capture batch"],
  [
    2,
    "complete claim release patch macro_close_step delete create claim_next focus_set note edit task_add task_define archive restore",
  ],
  [
    1,
    "close_task task_delete plan contract think report bootstrap macro_start macro_create_done macro_finish scaffold",
  ],
  [
    1,
    "focus_get focus_clear context status storage templates_list delta evidence_verify mirror radar handoff history lint",
  ],
  [1, "context_pack resume resume_pack resume_super snapshot forget_everything"],
];

/** Each tool as often as it weighs. */
const WEIGHED: string[] = WEIGHTS.flatMap(([weight, names]) =>
  names.split(" ").flatMap((name) => Array.from({ length: weight }, () => `tasks_${name}`)),
).concat("change_mind", "recall_taskdoc");

/** A read or write that nothing here knows by its name: its calls are made of its examples. */
export function isDrawnByExample(tool: string): boolean {
  const { effect } = TOOLS[tool]!;
  return !WEIGHED.includes(tool) && !tool.startsWith("packet_") && (effect === "read" || effect === "write");
}

/** Every tool that is drawn, each as often as it comes up. */
export const DRAWN: string[] = [...WEIGHED, ...Object.keys(TOOLS).filter(isDrawnByExample)];

/** One of its examples, about what is there. A write expects a revision that never comes, so that its refusal is certain. */
function byExample(tool: string, c: Choices): Input {
  const { effect, examples } = TOOLS[tool]!;
  const { task: _task, plan: _plan, target: _target, path, step_id, ...rest } = c.pick(examples) as Input;
  const on = path === undefined && step_id === undefined ? c.on("task") : c.onStep();
  return { ...rest, ...on, ...(effect === "write" ? { expected_revision: 1_000_000 } : {}) };
}

/** What makes an input of that tool. */
export function inputFor(tool: string, random: Random, model: Model): Input {
  const c = new Choices(random, model);
  const input = { ...bodyFor(tool, c), workspace: WORKSPACE };
  if (c.chance(0.01)) return { ...input, workspace: "other/place" };
  const own = tool === "change_mind" || tool === "recall_taskdoc";
  return c.chance(0.01) && !own ? { ...input, colour: "red" } : input;
}

function bodyFor(tool: string, c: Choices): Input {
  const maker = MAKERS[tool];
  if (maker) return maker(c);
  if (isDrawnByExample(tool)) return byExample(tool, c);
  const onStep = ["tasks_mirror", "tasks_evidence_verify"].includes(tool) && c.chance(0.5);
  const limited =
    ["tasks_radar", "tasks_handoff", "tasks_resume", "tasks_resume_super"].includes(tool) && c.chance(0.3);
  return {
    ...(onStep ? c.onStep() : c.on("task", tool === "tasks_delta")),
    ...(limited ? { max_chars: 1 + c.below(3000) } : {}),
  };
}

const MAKERS: Record<string, (c: Choices) => Input> = {
  tasks_create: (c) => creation(c),
  tasks_scaffold: (c) => {
    const kind = c.pick(["plan", "task", "task"] as const);
    const plan = c.pick([{}, { parent: c.planId() }, { plan_title: c.title() }]);
    const template = c.pick(["basic-plan", "principal-plan", "basic-task", "principal-task", "no-such"]);
    return c.making({ kind, template, title: c.title(), ...(kind === "task" ? plan : {}) });
  },
  tasks_bootstrap: (c) => c.making({ ...planned(c), ...stepsOrTemplate(c) }),
  tasks_macro_start: (c) => c.making({ ...planned(c), ...(c.chance(0.3) ? {} : stepsOrTemplate(c)) }),
  tasks_macro_create_done: (c) => c.making({ ...planned(c), steps: [gatedStep(c)] }),
  tasks_macro_close_step: (c) => ({
    ...(c.chance(0.5) ? c.changing(c.on("task")) : c.changing(c.onStep())),
    ...(c.chance(0.3) ? { note: c.text() } : {}),
    ...(c.chance(0.3) ? { proof: receipts(c) } : {}),
    ...(c.chance(0.3) ? { checkpoints: checkpoints(c) } : {}),
  }),
  tasks_macro_finish: (c) => ({ ...c.changing(c.on()), ...(c.chance(0.3) ? { status: c.status() } : {}) }),
  tasks_batch: (c) => batch(c),
  tasks_edit: (c) => ({
    ...c.changing(c.on()),
    ...c.some({ title: c.title(), description: c.pick([c.text(), null]), priority: "HIGH", tags: [c.text(), "tag"] }),
    ...(c.chance(0.3) ? { depends_on: [c.taskId()] } : {}),
    ...(c.chance(0.3) ? { complete_when_done: c.pick([true, true, false, null]) } : {}),
  }),
  tasks_complete: (c) => ({ ...c.changing(c.on()), ...(c.chance(0.5) ? {} : { status: c.status() }) }),
  tasks_close_task: (c) => ({
    ...c.changing(c.on()),
    apply: c.chance(0.6),
    ...(c.chance(0.5) ? { patches: [patch(c, "")] } : {}),
  }),
  tasks_patch: (c) => patching(c),
  tasks_plan: (c) => ({
    ...c.changing(c.on("plan")),
    ...c.pick<Input>([
      { advance: true },
      { advance: true },
      { steps: ["one", c.text(), "three"] },
      { current: c.below(4) },
      {},
    ]),
  }),
  tasks_contract: (c) => ({
    ...c.changing(c.on("plan")),
    ...c.pick<Input>([{ current: c.text() }, { clear: true }, {}]),
  }),
  tasks_delete: (c) => c.changing(c.chance(0.8) ? c.onStep() : c.on()),
  tasks_decompose: (c) => {
    const { step_id, path, ...on } = c.onStep();
    const parent = step_id ?? path;
    const under = parent === undefined || c.chance(0.5) ? {} : { parent };
    return { ...c.changing(on), ...under, steps: steps(c) };
  },
  tasks_define: (c) => ({
    ...c.changing(c.onStep()),
    ...c.some({
      title: c.title(),
      success_criteria: [c.text()],
      tests: [c.text()],
      blockers: [c.text()],
      proof: proof(c),
    }),
  }),
  tasks_verify: (c) => ({ ...c.changing(c.onStep()), checkpoints: checkpoints(c) }),
  tasks_done: (c) => c.changing(c.onStep()),
  tasks_close_step: (c) => ({ ...c.changing(c.onStep()), checkpoints: c.chance(0.7) ? "gate" : checkpoints(c) }),
  tasks_progress: (c) => ({ ...c.changing(c.onStep()), ...progress(c) }),
  tasks_block: (c) => ({ ...c.changing(c.onStep()), ...blocking(c) }),
  tasks_note: (c) => ({ ...c.changing(c.chance(0.5) ? c.onStep() : c.on()), note: c.pick([c.text(), c.text(), "  "]) }),
  tasks_evidence_capture: (c) => {
    const step = c.chance(0.9);
    const checkpoint = c.pick(["tests", "tests", "docs", ["tests", "security"], "perf"]);
    return {
      ...c.changing(step ? c.onStep() : c.on()),
      ...(c.chance(0.8) ? { checks: receipts(c) } : {}),
      ...(c.chance(0.4) ? { items: [{ kind: "run", command: RUN, exit_code: c.pick([0, 0, 1]) }] } : {}),
      ...(step && c.chance(0.8) ? { checkpoint } : {}),
    };
  },
  tasks_claim: (c) => ({ ...c.changing(c.chance(0.8) ? c.onStep() : c.on()), ttl_s: c.pick([5, 60, 900]) }),
  tasks_claim_next: (c) => ({
    ...c.on(undefined, true),
    ttl_s: c.pick([5, 60]),
    ...(c.chance(0.3) ? { whole: true } : {}),
  }),
  tasks_release: (c) => ({
    ...c.changing(c.chance(0.8) ? c.onStep() : c.on()),
    ...(c.chance(0.4) ? { force: true, ...(c.chance(0.8) ? { reason: c.text() } : {}) } : {}),
  }),
  tasks_task_add: (c) => {
    const { step_id, path = "s:0", ...on } = c.onStep();
    return {
      ...c.changing(on),
      parent_step: step_id ?? path,
      title: c.title(),
      ...c.some({ risks: [c.text()], status: c.status() }),
    };
  },
  tasks_task_define: (c) => ({ ...c.changing(c.onNode()), ...nodeBody(c) }),
  tasks_task_delete: (c) => c.changing(c.onNode()),
  tasks_undo: (c) => ({ ...c.changing(c.on("task")), ...c.op() }),
  tasks_redo: (c) => c.changing(c.on("task")),
  tasks_think: (c) => ({ ...c.changing(c.on()), frame: c.text(), ...(c.chance(0.5) ? { decision: c.text() } : {}) }),
  tasks_report: (c) => ({ ...c.changing(c.on()), summary: c.text() }),
  change_mind: (c) => ({
    ...c.changing(c.on()),
    ...c.pick<Input>([{ selector: "goals" }, { category: "ux", selector: "list" }]),
    content: c.text(),
  }),
  recall_taskdoc: (c) => ({ ...c.on(), category: "ux", selector: "list" }),
  tasks_archive: (c) => ({ ...c.changing({ task: c.endedId() }) }),
  tasks_restore: (c) => c.changing(c.chance(0.8) ? { task: c.archivedId() } : c.on()),
  tasks_focus_set: (c) => c.on(undefined, c.chance(0.9)),
  tasks_focus_get: () => ({}),
  tasks_focus_clear: () => ({}),
  tasks_context: () => ({}),
  tasks_status: (c) => ({
    ...(c.chance(0.5) ? { all: true } : {}),
    ...(c.chance(0.3) ? { since: c.pick(["visit", "2020-01-01"]) } : {}),
  }),
  tasks_search: (c) => ({ text: c.title() }),
  tasks_storage: () => ({}),
  tasks_templates_list: () => ({}),
  tasks_forget_everything: () => ({}),
};

function creation(c: Choices): Input {
  const kind = c.pick(["plan", "task", "task", undefined] as const);
  const id = c.pick([undefined, undefined, undefined, undefined, "TASK-050", "fix-crash", "Fix-Crash", "PLAN-7"]);
  return c.making({
    title: c.title(),
    ...(kind === undefined ? {} : { kind }),
    ...(id === undefined ? {} : { id }),
    ...(kind !== "plan" && c.chance(0.5) ? { parent: c.chance(0.95) ? c.planId() : c.taskId() } : {}),
    ...(kind === "task" || c.chance(0.1) ? { steps: steps(c) } : {}),
    ...(c.chance(0.3) ? { description: c.text() } : {}),
    ...(c.chance(0.3) ? { complete_when_done: c.pick([true, true, false]) } : {}),
    ...(c.chance(0.2) ? { priority: "HIGH", tags: [c.text(), "tag"], depends_on: [c.taskId()] } : {}),
  });
}

function patching(c: Choices): Input {
  const on = c.pick([() => c.on(), () => c.onStep(), () => c.onNode()])();
  const { ops } = patch(c, on.path ?? on.step_id ?? on.task_node_id ?? "");
  return { ...c.changing(on), ops };
}

/** An atomic one names what is there, so that it is told by the first part that does not go through. */
function batch(c: Choices): Input {
  const atomic = c.chance(0.7);
  const tools = atomic
    ? ["tasks_progress", "tasks_block", "tasks_patch", "tasks_task_define"]
    : ["tasks_note", "tasks_block", "tasks_close_step", "tasks_create", "tasks_radar"];
  const operations = Array.from({ length: 1 + c.below(4) }, () => {
    const tool = c.pick(tools);
    const { idempotency_key: _key, workspace: _workspace, ...args } = bodyFor(tool, c);
    return { tool, args };
  });
  const live = new Set(c.entities().map((entity) => entity.id));
  const named = ({ task, target }: Input): boolean =>
    (task === undefined) !== (target === undefined) && live.has((task ?? target)!);
  const certain = operations.filter(({ args }) => !atomic || named(args));
  if (certain.length === 0) return { operations: [{ tool: "tasks_storage", args: {} }] };
  return {
    ...(atomic ? { atomic } : {}),
    operations: certain,
    ...(atomic && c.chance(0.3) ? { idempotency_key: c.key() } : {}),
    ...(!atomic && c.chance(0.5) ? { on_error: "continue" } : {}),
  };
}
