/** What a random call is about: plans, tasks, steps and nodes by any of their names, texts, and what every change takes. */
import type { Random } from "../support/random.ts";
import type { Entity } from "./entity.ts";
import { children, steps } from "./entity.ts";
import type { Input } from "./input.ts";
import type { Model } from "./model.ts";

/** Takes a number, so that a text is seldom the same twice. */
const TEXTS = [
  "plain words",
  "ünïcödé 🚀 漢字",
  "yes: no # comment",
  "<<<<<<< HEAD",
  '"quoted" \\ and \u2028 turned',
  "null",
];

export class Choices {
  readonly #random: Random;
  readonly #model: Model;

  constructor(random: Random, model: Model) {
    this.#random = random;
    this.#model = model;
  }

  below(limit: number): number {
    return this.#random.below(limit);
  }

  chance(probability: number): boolean {
    return this.#random.chance(probability);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** Some of the members; often one, seldom none. */
  some(all: Input): Input {
    const entries = Object.entries(all);
    const sure = this.chance(0.95) ? this.below(entries.length) : -1;
    return Object.fromEntries(entries.filter((_one, i) => i === sure || this.chance(0.2)));
  }

  text(): string {
    return `${this.pick(TEXTS)} ${this.below(1000)}`;
  }

  title(): string {
    return this.chance(0.02) ? this.pick([" ", "two\nlines"]) : this.text().replaceAll("\u2028", " ");
  }

  status(): string {
    return this.pick(["TODO", "ACTIVE", "DONE", "FAILED", "CANCELED"]);
  }

  entities(): Entity[] {
    return this.#model.live();
  }

  planId(): string {
    return this.pick([...this.#model.live("plan").map((e) => e.id), "PLAN-099"]);
  }

  taskId(): string {
    return this.pick([...this.entities().map((e) => e.id), ...Object.keys(this.#model.state.entities)]);
  }

  /** A task that can go to the archive, or seldom another. */
  endedId(): string {
    const ended = this.#model.live("task").filter((e) => /DONE|FAILED|CANCELED/.test(String(e.places[""]!["status"])));
    return ended.length > 0 && this.chance(0.9) ? this.pick(ended).id : this.taskId();
  }

  archivedId(): string {
    const archived = Object.values(this.#model.state.entities).filter((e) => e.archived && !e.deleted);
    return archived.length > 0 && this.chance(0.9) ? this.pick(archived).id : this.taskId();
  }

  /** A plan or task, by any of its names; `freely`: leaving it to the focus, too. */
  on(kind?: "plan" | "task", freely = this.chance(0.15)): Input {
    if (freely && this.chance(0.6)) return {};
    const all = this.#model.live(this.chance(0.95) ? kind : undefined);
    const entity = all.length === 0 || this.chance(0.03) ? undefined : this.pick(all);
    const id = entity?.id ?? this.pick([...Object.keys(this.#model.state.entities), "TASK-999"]);
    if (this.chance(0.01)) return { task: id, target: id };
    return this.chance(0.4)
      ? { target: id }
      : entity?.kind === "plan" && this.chance(0.8)
        ? { plan: id }
        : { task: id };
  }

  meant(on: Input): Entity | undefined {
    const id = on.task ?? on.plan ?? on.target;
    return id === undefined ? undefined : this.#model.state.entities[id];
  }

  /** A step, by id, by path or by both. */
  onStep(): Input {
    const on = this.on("task");
    const entity = this.meant(on) ?? this.pick(this.#model.live("task"));
    const live = entity ? steps(entity) : [];
    const all = [
      ...Object.keys(entity?.places ?? {}).filter((p) => p !== "" && !p.includes("t:")),
      "s:9",
      "s:x",
      "s:0.s:7",
    ];
    if (this.chance(0.02)) return on;
    const path = live.length > 0 && this.chance(0.95) ? this.pick(live) : this.pick(all);
    const other = this.chance(0.02) ? this.pick([...this.#model.names.keys()]) : undefined;
    const step_id = other?.startsWith("STEP-") === true ? other : this.idOf(entity, path);
    if (step_id === undefined || this.chance(0.5)) return { ...on, path };
    return this.chance(0.1) ? { ...on, path, step_id } : { ...on, step_id };
  }

  onNode(): Input {
    const on = this.on("task");
    const entity = this.meant(on);
    const nodes = entity ? steps(entity).flatMap((step) => children(entity, step, "t")) : [];
    const path =
      nodes.length > 0 && this.chance(0.95) ? this.pick(nodes) : this.pick(["s:0.t:0", "s:0.t:9", "s:0", "s:9.t:0"]);
    const id = path.includes("t:") ? this.idOf(entity, path) : undefined;
    return id === undefined || this.chance(0.5) ? { ...on, path } : { ...on, task_node_id: id };
  }

  idOf(entity: Entity | undefined, path: string): string | undefined {
    for (const [id, at] of this.#model.names) if (at.entity === entity?.id && at.path === path) return id;
    return undefined;
  }

  /** With what every change takes: an expectation, a claim's number, a key. */
  changing(on: Input): Input {
    const entity = this.meant(on);
    const fences = Object.values(entity?.leases ?? {}).map((lease) => lease.fence);
    return {
      ...on,
      ...(entity && this.chance(0.1) ? { expected_revision: entity.ops.length + (this.chance(0.3) ? 1 : 0) } : {}),
      ...(this.chance(fences.length > 0 ? 0.3 : 0.02)
        ? { fence: this.pick([...fences, ...fences, this.below(9)]) }
        : {}),
      ...(entity && this.chance(0.1) ? { idempotency_key: this.key() } : {}),
    };
  }

  making(input: Input): Input {
    return {
      ...input,
      ...(this.chance(0.1) ? { expected_revision: this.chance(0.7) ? 0 : 1 } : {}),
      ...(this.chance(0.15) ? { idempotency_key: this.key() } : {}),
    };
  }

  key(): string {
    return `key ${this.#model.now} ${this.below(1_000_000)}`;
  }

  op(): Input {
    const ops = this.entities().flatMap((entity) => entity.ops);
    return this.chance(0.5) || ops.length === 0 ? {} : { op: this.chance(0.97) ? this.pick(ops).hash : "no such op" };
  }
}
