/** What may happen next: a call, the same call again with its key, time that passes, the workspace opened anew. */
import fc from "fast-check";
import { expect } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import type { Reply } from "../../src/engine/reply.ts";
import { validates } from "../support/given.ts";
import { randomFrom } from "../support/random.ts";
import { CALLERS, DRAWN, inputFor } from "./calls.ts";
import { ask, compareAll, compareOne } from "./compare.ts";
import type { Input } from "./input.ts";
import type { Model } from "./model.ts";
import { WORKSPACE } from "./model.ts";
import type { Real } from "./real.ts";

type Command = fc.AsyncCommand<Model, Real>;

/** How often each tool was called, over all runs. */
export const coverage: Record<string, number> = {};

/** One call, predicted, made and compared. */
export async function call(model: Model, real: Real, tool: string, input: Input, by: string): Promise<void> {
  coverage[tool] = (coverage[tool] ?? 0) + 1;
  model.now = real.now += 1000;
  const before = real.logBytes();
  const { code, changed, each } = model.call(tool, input, by);
  real.story.push(`${by}: ${tool} ${JSON.stringify(input)} -> ${code ?? "ok"}`);
  const reply = await real.call(tool, input, by);
  expect({ code: reply.error?.code ?? null, message: reply.error?.message }).toMatchObject({ code });
  expect(wrongSuggestions(reply)).toEqual([]);
  if (each.length > 0) {
    const { operations } = reply.result as { operations: { response: { error?: { code: string } | null } }[] };
    expect(operations.map(({ response }) => response.error?.code ?? null)).toEqual(each);
  }
  if (changed.length === 0) expect(real.logBytes()).toBe(before);
  await compareAll(model, real, by);
  for (const id of changed) if (!model.state.entities[id]!.deleted) await compareOne(model, real, id, by);
  if (changed.length > 0 && input.idempotency_key !== undefined)
    real.keyed.push({ tool, input, by, result: reply.result });
}

/** Every call that is offered has to be one that its tool takes. */
function wrongSuggestions({ suggestions }: Reply): unknown[] {
  return suggestions.filter(({ tool, args }) => !validates(TOOLS[tool]!.input, args));
}

/** The same numbers choose the same call on the same state. */
class Call implements Command {
  readonly #tool: string;
  readonly #by: string;
  readonly #n: number;

  constructor(tool: string, by: string, n: number) {
    this.#tool = tool;
    this.#by = by;
    this.#n = n;
  }

  check = (): boolean => true;

  async run(model: Model, real: Real): Promise<void> {
    const input = inputFor(this.#tool, randomFrom(this.#n), model);
    await call(model, real, this.#tool, input, this.#by);
  }

  toString = (): string => this.#tool;
}

/** TOOL-14: the first call's result, and nothing is changed; with other input the key is refused. */
class Again implements Command {
  readonly #n: number;
  readonly #other: boolean;

  constructor(n: number, other: boolean) {
    this.#n = n;
    this.#other = other;
  }

  check = (): boolean => true;

  async run(model: Model, real: Real): Promise<void> {
    const known = real.keyed[this.#n % Math.max(real.keyed.length, 1)];
    if (!known) return;
    const { tool, input, by, result } = known;
    real.story.push(`${by}: the same again${this.#other ? ", otherwise" : ""}: ${tool} ${JSON.stringify(input)}`);
    const before = real.logBytes();
    const more = this.#other ? { expected_revision: 1_000_000 } : {};
    if (this.#other && (tool === "tasks_batch" || input.expected_revision !== undefined)) return;
    const reply = await real.call(tool, { ...input, ...more }, by);
    const said = { tool, code: reply.error?.code ?? null, replayed: reply.warnings.some((w) => w.code === "REPLAYED") };
    expect(said).toEqual({ tool, code: this.#other ? "IDEMPOTENCY_CONFLICT" : null, replayed: !this.#other });
    // A macro also shows views, and those show what is there now.
    if (!this.#other && !/macro|batch/.test(tool)) expect(reply.result).toEqual(result);
    expect(real.logBytes()).toBe(before);
    await compareAll(model, real, by);
  }

  toString = (): string => "again";
}

class Wait implements Command {
  readonly #seconds: number;

  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  check = (): boolean => true;

  run(_model: Model, real: Real): Promise<void> {
    real.now += this.#seconds * 1000;
    real.story.push(this.toString());
    return Promise.resolve();
  }

  toString = (): string => `wait ${this.#seconds} s`;
}

const VIEWS = [
  "tasks_radar",
  "tasks_handoff",
  "tasks_history",
  "tasks_mirror",
  "tasks_resume_super",
  "tasks_snapshot",
  "tasks_lint",
  "tasks_context_pack",
];

/** What the logs say does not depend on who read them when (LOG-23), and nothing of it is amiss (VERIFY-1). */
class Reopen implements Command {
  readonly #bare: boolean;

  constructor(bare: boolean) {
    this.#bare = bare;
  }

  check = (): boolean => true;

  async run(model: Model, real: Real): Promise<void> {
    real.story.push(this.toString());
    const before = await answers(model, real);
    await real.reopen(this.#bare);
    expect(await answers(model, real)).toEqual(before);
    expect(real.ws.verify().findings.filter((one) => !one.info)).toEqual([]);
    for (const { id } of model.live()) await compareOne(model, real, id, CALLERS[0]!);
  }

  toString = (): string => (this.#bare ? "reopen, with logs alone" : "reopen");
}

async function answers(model: Model, real: Real): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const by of CALLERS) {
    for (const tool of ["tasks_context", "tasks_focus_get", "tasks_delta"]) found.push(await ask(real, tool, {}, by));
    for (const { id } of model.live()) for (const tool of VIEWS) found.push(await ask(real, tool, { target: id }, by));
  }
  return found;
}

const drawn = fc.oneof(
  ...DRAWN.map(([weight, tools]) => ({ weight: weight * tools.length, arbitrary: fc.constantFrom(...tools) })),
);
const numbers = fc.noShrink(fc.nat());

export const anyCommands: fc.Arbitrary<Iterable<Command>> = fc.commands<Model, Real, false>(
  [
    ...Array.from({ length: 12 }, () =>
      fc.tuple(drawn, fc.constantFrom(...CALLERS.slice(0, 1), ...CALLERS), numbers).map((one) => new Call(...one)),
    ),
    fc.tuple(numbers, fc.boolean()).map((one) => new Again(...one)),
    fc.constantFrom(1, 10, 100, 1000).map((seconds) => new Wait(seconds)),
    fc.boolean().map((bare) => new Reopen(bare)),
  ],
  { maxCommands: 60, size: "max" },
);

/** A plan with a task of two steps, one of them with two below it: where there is something to get wrong at once. */
export async function begin(model: Model, real: Real): Promise<void> {
  const by = CALLERS[0]!;
  const step = (title: string) => ({ title, success_criteria: ["it works"], tests: ["npm test"] });
  const workspace = WORKSPACE;
  await call(model, real, "tasks_create", { workspace, title: "Plan" }, by);
  await call(
    model,
    real,
    "tasks_create",
    { workspace, parent: "PLAN-001", title: "Task", steps: [step("a"), step("b")] },
    by,
  );
  await call(
    model,
    real,
    "tasks_decompose",
    { workspace, task: "TASK-001", parent: "s:1", steps: [step("c"), step("d")] },
    by,
  );
}
