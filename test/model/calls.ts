/** Random inputs for each tool, chosen on the model's state: mostly ones that go through, and each kind that does not. */
import type { Random } from "../support/random.ts";
import type { Entity } from "./entity.ts";
import { children, steps } from "./entity.ts";
import type { Input, Patch } from "./input.ts";
import type { Model } from "./model.ts";
import { WORKSPACE } from "./model.ts";
import type { Checkpoints, StepBody } from "./steps.ts";

export const CALLERS = ["human:ada", "agent:ben"];

/** Those that change a step come up most: there is most to get wrong. */
export const DRAWN: [number, string[]][] = [
  [4, ["tasks_close_step", "tasks_undo", "tasks_verify", "tasks_progress"]],
  [3, ["tasks_redo", "tasks_done", "tasks_decompose", "tasks_define", "tasks_block", "tasks_evidence_capture", "tasks_batch"]],
  [2, ["tasks_complete", "tasks_claim", "tasks_release", "tasks_patch", "tasks_macro_close_step", "tasks_delete", "tasks_create"]],
  [2, ["tasks_claim_next", "tasks_focus_set", "tasks_note", "tasks_edit", "tasks_task_add", "tasks_task_define"]],
  [1, ["tasks_close_task", "tasks_task_delete", "tasks_plan", "tasks_contract", "tasks_think", "tasks_report", "change_mind"]],
  [1, ["tasks_bootstrap", "tasks_macro_start", "tasks_macro_create_done", "tasks_macro_finish", "tasks_scaffold"]],
  [1, ["tasks_focus_get", "tasks_focus_clear", "tasks_context", "tasks_storage", "tasks_templates_list", "tasks_delta"]],
  [1, ["tasks_evidence_verify", "tasks_mirror", "tasks_radar", "tasks_handoff", "tasks_history", "tasks_lint"]],
  [1, ["tasks_context_pack", "tasks_resume", "tasks_resume_pack", "tasks_resume_super", "tasks_snapshot", "recall_taskdoc"]],
  [1, ["tasks_forget_everything"]],
];

/** Takes a number, so that a text is seldom the same twice. */
const TEXTS = ["plain words", "ünïcödé 🚀 漢字", "yes: no # comment", "<<<<<<< HEAD", '"quoted" \\ and \u2028 turned', "null"];

export class Calls {
  readonly #random: Random;
  readonly #model: Model;

  constructor(random: Random, model: Model) {
    this.#random = random;
    this.#model = model;
  }

  /** What makes an input of that tool. */
  input(tool: string): Input {
    const input = { workspace: WORKSPACE, ...this.#body(tool) };
    if (this.#random.chance(0.01)) return { ...input, workspace: "other/place" };
    return this.#random.chance(0.01) && tool !== "change_mind" && tool !== "recall_taskdoc" ? { ...input, colour: "red" } : input;
  }

  #body(tool: string): Input {
    const maker = (this.#makers as Record<string, (() => Input) | undefined>)[tool];
    if (maker) return maker();
    const onStep = ["tasks_mirror", "tasks_evidence_verify"].includes(tool) && this.#random.chance(0.5);
    const limited = ["tasks_radar", "tasks_handoff", "tasks_resume", "tasks_resume_super"].includes(tool) && this.#random.chance(0.3);
    return { ...(onStep ? this.#onStep() : this.#on("task", tool === "tasks_delta")), ...(limited ? { max_chars: 1 + this.#below(3000) } : {}) };
  }

  readonly #makers = {
    tasks_create: (): Input => this.#creation(),
    tasks_scaffold: (): Input => {
      const kind = this.#pick(["plan", "task", "task"] as const);
      const plan = this.#pick([{}, { parent: this.#planId() }, { plan_title: this.#title() }]);
      const template = this.#pick(["basic-plan", "principal-plan", "basic-task", "principal-task", "no-such"]);
      return this.#making({ kind, template, title: this.#title(), ...(kind === "task" ? plan : {}) });
    },
    tasks_bootstrap: (): Input => this.#making({ ...this.#planned(), ...this.#stepsOrTemplate() }),
    tasks_macro_start: (): Input => this.#making({ ...this.#planned(), ...(this.#chance(0.3) ? {} : this.#stepsOrTemplate()) }),
    tasks_macro_create_done: (): Input => this.#making({ ...this.#planned(), steps: [this.#gatedStep()] }),
    tasks_macro_close_step: (): Input => ({
      ...(this.#chance(0.5) ? this.#changing(this.#on("task")) : this.#changing(this.#onStep())),
      ...(this.#chance(0.3) ? { note: this.#text() } : {}),
      ...(this.#chance(0.3) ? { proof: this.#receipts() } : {}),
      ...(this.#chance(0.3) ? { checkpoints: this.#checkpoints() } : {}),
    }),
    tasks_macro_finish: (): Input => ({ ...this.#changing(this.#on()), ...(this.#chance(0.3) ? { status: this.#status() } : {}) }),
    tasks_batch: (): Input => this.#batch(),
    tasks_edit: (): Input => ({
      ...this.#changing(this.#on()),
      ...this.#some({ title: this.#title(), description: this.#pick([this.#text(), null]), priority: "HIGH", tags: [this.#text(), "tag"] }),
      ...(this.#chance(0.3) ? { depends_on: [this.#taskId()] } : {}),
    }),
    tasks_complete: (): Input => ({ ...this.#changing(this.#on()), ...(this.#chance(0.5) ? {} : { status: this.#status() }) }),
    tasks_close_task: (): Input => ({ ...this.#changing(this.#on()), apply: this.#chance(0.6), ...(this.#chance(0.5) ? { patches: [this.#patch("")] } : {}) }),
    tasks_patch: (): Input => this.#patching(),
    tasks_plan: (): Input => ({
      ...this.#changing(this.#on("plan")),
      ...this.#pick<Input>([{ advance: true }, { advance: true }, { steps: ["one", this.#text(), "three"] }, { current: this.#below(4) }, {}]),
    }),
    tasks_contract: (): Input => ({ ...this.#changing(this.#on("plan")), ...this.#pick<Input>([{ current: this.#text() }, { clear: true }, {}]) }),
    tasks_delete: (): Input => this.#changing(this.#chance(0.8) ? this.#onStep() : this.#on()),
    tasks_decompose: (): Input => {
      const { step_id, path, ...on } = this.#onStep();
      const parent = step_id ?? path;
      const under = parent === undefined || this.#chance(0.5) ? {} : { parent };
      return { ...this.#changing(on), ...under, steps: this.#steps() };
    },
    tasks_define: (): Input => ({
      ...this.#changing(this.#onStep()),
      ...this.#some({ title: this.#title(), success_criteria: [this.#text()], tests: [this.#text()], blockers: [this.#text()], proof: this.#proof() }),
    }),
    tasks_verify: (): Input => ({ ...this.#changing(this.#onStep()), checkpoints: this.#checkpoints() }),
    tasks_done: (): Input => this.#changing(this.#onStep()),
    tasks_close_step: (): Input => ({ ...this.#changing(this.#onStep()), checkpoints: this.#chance(0.7) ? "gate" : this.#checkpoints() }),
    tasks_progress: (): Input => ({ ...this.#changing(this.#onStep()), ...this.#progress() }),
    tasks_block: (): Input => ({ ...this.#changing(this.#onStep()), ...this.#blocking() }),
    tasks_note: (): Input => ({ ...this.#changing(this.#chance(0.5) ? this.#onStep() : this.#on()), note: this.#pick([this.#text(), this.#text(), "  "]) }),
    tasks_evidence_capture: (): Input => {
      const step = this.#chance(0.9);
      const checkpoint = this.#pick(["tests", "docs", ["tests", "security"], "perf"]);
      return { ...this.#changing(step ? this.#onStep() : this.#on()), checks: this.#receipts(), ...(step && this.#chance(0.8) ? { checkpoint } : {}) };
    },
    tasks_claim: (): Input => ({ ...this.#changing(this.#chance(0.8) ? this.#onStep() : this.#on()), ttl_s: this.#pick([5, 60, 900]) }),
    tasks_claim_next: (): Input => ({ ...this.#on(undefined, true), ttl_s: this.#pick([5, 60]) }),
    tasks_release: (): Input => ({
      ...this.#changing(this.#chance(0.8) ? this.#onStep() : this.#on()),
      ...(this.#chance(0.4) ? { force: true, ...(this.#chance(0.8) ? { reason: this.#text() } : {}) } : {}),
    }),
    tasks_task_add: (): Input => {
      const { step_id, path = "s:0", ...on } = this.#onStep();
      return { ...this.#changing(on), parent_step: step_id ?? path, title: this.#title(), ...this.#some({ risks: [this.#text()], status: this.#status() }) };
    },
    tasks_task_define: (): Input => ({ ...this.#changing(this.#onNode()), ...this.#nodeBody() }),
    tasks_task_delete: (): Input => this.#changing(this.#onNode()),
    tasks_undo: (): Input => ({ ...this.#changing(this.#on("task")), ...this.#op() }),
    tasks_redo: (): Input => this.#changing(this.#on("task")),
    tasks_think: (): Input => ({ ...this.#changing(this.#on()), frame: this.#text(), ...(this.#chance(0.5) ? { decision: this.#text() } : {}) }),
    tasks_report: (): Input => ({ ...this.#changing(this.#on()), summary: this.#text() }),
    change_mind: (): Input => ({
      ...this.#changing(this.#on()),
      ...this.#pick<Input>([{ selector: "goals" }, { category: "ux", selector: "list" }]),
      content: this.#text(),
    }),
    recall_taskdoc: (): Input => ({ ...this.#on(), category: "ux", selector: "list" }),
    tasks_focus_set: (): Input => this.#on(undefined, this.#chance(0.9)),
    tasks_focus_get: (): Input => ({}),
    tasks_focus_clear: (): Input => ({}),
    tasks_context: (): Input => ({}),
    tasks_storage: (): Input => ({}),
    tasks_templates_list: (): Input => ({}),
    tasks_forget_everything: (): Input => ({}),
  };

  #below(limit: number): number {
    return this.#random.below(limit);
  }

  #chance(probability: number): boolean {
    return this.#random.chance(probability);
  }

  #pick<T>(items: readonly T[]): T {
    return items[this.#below(items.length)]!;
  }

  /** Some of the members; often one, seldom none. */
  #some(all: Input): Input {
    const entries = Object.entries(all);
    const sure = this.#chance(0.95) ? this.#below(entries.length) : -1;
    return Object.fromEntries(entries.filter((_one, i) => i === sure || this.#chance(0.2)));
  }

  #text(): string {
    return `${this.#pick(TEXTS)} ${this.#below(1000)}`;
  }

  #title(): string {
    return this.#chance(0.02) ? this.#pick([" ", "two\nlines"]) : this.#text().replaceAll("\u2028", " ");
  }

  #status(): string {
    return this.#pick(["TODO", "ACTIVE", "DONE", "FAILED", "CANCELED"]);
  }

  #entities(): Entity[] {
    return this.#model.live();
  }

  #planId(): string {
    return this.#pick([...this.#model.live("plan").map((e) => e.id), "PLAN-099"]);
  }

  #taskId(): string {
    return this.#pick([...this.#entities().map((e) => e.id), ...Object.keys(this.#model.state.entities)]);
  }

  /** A plan or task, by any of its names; `freely`: leaving it to the focus, too. */
  #on(kind?: "plan" | "task", freely = this.#chance(0.15)): Input {
    if (freely && this.#chance(0.6)) return {};
    const all = this.#model.live(this.#chance(0.95) ? kind : undefined);
    const entity = all.length === 0 || this.#chance(0.03) ? undefined : this.#pick(all);
    const id = entity?.id ?? this.#pick([...Object.keys(this.#model.state.entities), "TASK-999"]);
    if (this.#chance(0.01)) return { task: id, target: id };
    return this.#chance(0.4) ? { target: id } : entity?.kind === "plan" && this.#chance(0.8) ? { plan: id } : { task: id };
  }

  #meant(on: Input): Entity | undefined {
    const id = on.task ?? on.plan ?? on.target;
    return id === undefined ? undefined : this.#model.state.entities[id];
  }

  /** A step, by id, by path or by both. */
  #onStep(): Input {
    const on = this.#on("task");
    const entity = this.#meant(on) ?? this.#pick(this.#model.live("task"));
    const live = entity ? steps(entity) : [];
    const all = [...Object.keys(entity?.places ?? {}).filter((p) => p !== "" && !p.includes("t:")), "s:9", "s:x", "s:0.s:7"];
    if (this.#chance(0.02)) return on;
    const path = live.length > 0 && this.#chance(0.95) ? this.#pick(live) : this.#pick(all);
    const other = this.#chance(0.02) ? this.#pick([...this.#model.names.keys()]) : undefined;
    const step_id = other?.startsWith("STEP-") === true ? other : this.#idOf(entity, path);
    if (step_id === undefined || this.#chance(0.5)) return { ...on, path };
    return this.#chance(0.1) ? { ...on, path, step_id } : { ...on, step_id };
  }

  #onNode(): Input {
    const on = this.#on("task");
    const entity = this.#meant(on);
    const nodes = entity ? steps(entity).flatMap((step) => children(entity, step, "t")) : [];
    const path = nodes.length > 0 && this.#chance(0.95) ? this.#pick(nodes) : this.#pick(["s:0.t:0", "s:0.t:9", "s:0", "s:9.t:0"]);
    const id = path.includes("t:") ? this.#idOf(entity, path) : undefined;
    return id === undefined || this.#chance(0.5) ? { ...on, path } : { ...on, task_node_id: id };
  }

  #idOf(entity: Entity | undefined, path: string): string | undefined {
    for (const [id, at] of this.#model.names) if (at.entity === entity?.id && at.path === path) return id;
    return undefined;
  }

  /** With what every change takes: an expectation, a claim's number, a key. */
  #changing(on: Input): Input {
    const entity = this.#meant(on);
    const fences = Object.values(entity?.leases ?? {}).map((lease) => lease.fence);
    return {
      ...on,
      ...(entity && this.#chance(0.1) ? { expected_revision: entity.ops.length + (this.#chance(0.3) ? 1 : 0) } : {}),
      ...(this.#chance(fences.length > 0 ? 0.3 : 0.02) ? { fence: this.#pick([...fences, ...fences, this.#below(9)]) } : {}),
      ...(entity && this.#chance(0.1) ? { idempotency_key: this.#key() } : {}),
    };
  }

  #making(input: Input): Input {
    return {
      ...input,
      ...(this.#chance(0.1) ? { expected_revision: this.#chance(0.7) ? 0 : 1 } : {}),
      ...(this.#chance(0.15) ? { idempotency_key: this.#key() } : {}),
    };
  }

  #key(): string {
    return `key ${this.#model.now} ${this.#below(1_000_000)}`;
  }

  #creation(): Input {
    const kind = this.#pick(["plan", "task", "task", undefined] as const);
    const id = this.#pick([undefined, undefined, undefined, undefined, "TASK-050", "fix-crash", "Fix-Crash", "PLAN-7"]);
    return this.#making({
      title: this.#title(),
      ...(kind === undefined ? {} : { kind }),
      ...(id === undefined ? {} : { id }),
      ...(kind !== "plan" && this.#chance(0.5) ? { parent: this.#chance(0.95) ? this.#planId() : this.#taskId() } : {}),
      ...(kind === "task" || this.#chance(0.1) ? { steps: this.#steps() } : {}),
      ...(this.#chance(0.3) ? { description: this.#text() } : {}),
    });
  }

  #planned(): Input {
    const plan = this.#pick<Input>([{}, {}, { plan: this.#planId() }, { parent: this.#planId() }, { plan_title: this.#title() }]);
    return { task_title: this.#title(), ...plan };
  }

  #stepsOrTemplate(): Input {
    const template = this.#pick(["basic-task", "principal-task", "basic-plan"]);
    return this.#pick<Input>([{ steps: [this.#gatedStep(), this.#gatedStep()] }, { template }, { template, think: { frame: this.#text() } }]);
  }

  #steps(): StepBody[] {
    return Array.from({ length: 1 + this.#below(3) }, () => ({
      title: this.#title(),
      success_criteria: this.#chance(0.9) ? [this.#text()] : [],
      ...(this.#chance(0.5) ? { tests: ["npm test", " npm test"] } : {}),
      ...(this.#chance(0.1) ? { blockers: [this.#text()] } : {}),
      ...(this.#chance(0.2) ? { proof: this.#proof() } : {}),
    }));
  }

  #gatedStep(): StepBody {
    return { title: this.#title(), success_criteria: ["it works"], tests: this.#chance(0.95) ? ["npm test"] : [" "] };
  }

  #proof(): NonNullable<StepBody["proof"]> {
    return { [this.#pick(["tests", "docs", "security"])]: this.#pick(["require", "require", "warn", "off"]) };
  }

  #receipts(): string[] {
    return this.#pick([["CMD: npm test"], ["CMD: npm test", "LINK: https://ci.example/1"], ["CMD: <fill: what was run>"], ["CMD: ls", " "]]);
  }

  #checkpoints(): Checkpoints {
    return this.#pick<Checkpoints>(["gate", "all", "gate", "all", { tests: true }, { criteria: true, docs: true }, { tests: false }, { docs: false }, { criteria: false, tests: true }, {}]);
  }

  #progress(): Input {
    return this.#pick<Input>([
      { completed: true },
      { completed: false },
      { completed: false, reason: this.#text() },
      { completed: true, force: true, reason: this.#text() },
      { completed: true, force: true, reason: this.#text() },
      { force: true },
      { completed: true, reason: this.#text() },
      { completed: false, force: true },
    ]);
  }

  #blocking(): Input {
    return this.#pick<Input>([{}, { reason: this.#text() }, { blocked: true, reason: this.#text() }, { blocked: false }, { blocked: false, reason: this.#text() }]);
  }

  #nodeBody(): Input {
    return this.#some({ title: this.#title(), status: this.#status(), risks: [this.#text()] });
  }

  #op(): Input {
    const ops = this.#entities().flatMap((entity) => entity.ops);
    return this.#chance(0.5) || ops.length === 0 ? {} : { op: this.#chance(0.97) ? this.#pick(ops).hash : "no such op" };
  }

  #patching(): Input {
    const on = this.#pick([() => this.#on(), () => this.#onStep(), () => this.#onNode()])();
    const { ops } = this.#patch(on.path ?? on.step_id ?? on.task_node_id ?? "");
    return { ...this.#changing(on), ops };
  }

  #patch(about: string): Patch {
    const whole = this.#pick<Patch["ops"][number]>([
      { op: "set", field: "title", value: this.#title() },
      { op: "append", field: "tags", value: [this.#pick(["tag", "other"]), this.#pick(["tag", "third"])] },
      { op: "remove", field: "tags", value: "tag" },
      { op: "unset", field: "description" },
      { op: "set", field: "description", value: this.#text() },
      { op: "append", field: "title", value: "x" },
    ]);
    const step = this.#pick<Patch["ops"][number]>([
      { op: "set", field: "title", value: this.#title() },
      { op: "append", field: "tests", value: this.#text() },
      { op: "append", field: "blockers", value: "nobody knows" },
      { op: "remove", field: "blockers", value: "nobody knows" },
      { op: "unset", field: "success_criteria" },
      { op: "set", field: "risks", value: [] },
    ]);
    const node = this.#pick<Patch["ops"][number]>([
      { op: "set", field: "status", value: this.#status() },
      { op: "append", field: "risks", value: this.#pick(["late", "dear"]) },
      { op: "remove", field: "risks", value: ["late"] },
    ]);
    const one = about === "" ? whole : about.includes("t:") || about.startsWith("NODE-") ? node : step;
    return { ops: this.#chance(0.3) ? [one, one] : [one] };
  }

  /** An atomic one names what is there, so that it is told by the first part that does not go through. */
  #batch(): Input {
    const atomic = this.#chance(0.7);
    const tools = atomic ? ["tasks_progress", "tasks_block", "tasks_patch", "tasks_task_define"] : ["tasks_note", "tasks_block", "tasks_close_step", "tasks_create", "tasks_radar"];
    const operations = Array.from({ length: 1 + this.#below(4) }, () => {
      const tool = this.#pick(tools);
      const { idempotency_key: _key, workspace: _workspace, ...args } = this.#body(tool);
      return { tool, args };
    });
    const live = new Set(this.#entities().map((entity) => entity.id));
    const named = ({ task, target }: Input): boolean => (task === undefined) !== (target === undefined) && live.has((task ?? target)!);
    const certain = operations.filter(({ args }) => !atomic || named(args));
    if (certain.length === 0) return { operations: [{ tool: "tasks_storage", args: {} }] };
    return { ...(atomic ? { atomic } : {}), operations: certain, ...(atomic && this.#chance(0.3) ? { idempotency_key: this.#key() } : {}) };
  }
}
