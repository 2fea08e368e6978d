/** What may happen next: a call, the same call again with its key, time that passes, the workspace opened anew. */
import fc from "fast-check";
import { expect } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { validates } from "../support/given.ts";
import { randomFrom } from "../support/random.ts";
import { CALLERS, DRAWN, inputFor } from "./calls.ts";
import { ask, compareAll, compareOne } from "./compare.ts";
import type { Input } from "./input.ts";
import type { Template } from "./macros.ts";
import { TEMPLATES } from "./macros.ts";
import { Model, WORKSPACE } from "./model.ts";
import type { Real } from "./real.ts";
import { MODEL_TOOLS } from "./tools.ts";

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
    const { operations } = (reply.result ?? reply.error!.details) as {
      operations: { response: { error?: { code: string } | null } }[];
    };
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

/** What may happen, by a name that a counterexample shows. */
class Happening implements Command {
  readonly #name: string;
  readonly run: (model: Model, real: Real) => Promise<void>;

  constructor(name: string, run: (model: Model, real: Real) => Promise<void>) {
    this.#name = name;
    this.run = run;
  }

  check = (): boolean => true;

  toString = (): string => this.#name;
}

/** TOOL-14: the first call's result, and nothing is changed; `otherwise`: with other input the key is refused. */
async function again(model: Model, real: Real, n: number, otherwise: boolean): Promise<void> {
  const known = real.keyed[n % Math.max(real.keyed.length, 1)];
  if (!known || (otherwise && known.tool === "tasks_batch")) return;
  const { tool, input, by, result } = known;
  real.story.push(`${by}: the same again${otherwise ? ", otherwise" : ""}: ${tool} ${JSON.stringify(input)}`);
  const before = real.logBytes();
  const reply = await real.call(tool, { ...input, ...(otherwise ? { expected_revision: 1_000_000 } : {}) }, by);
  const said = { tool, code: reply.error?.code ?? null, replayed: reply.warnings.some((w) => w.code === "REPLAYED") };
  expect(said).toEqual({ tool, code: otherwise ? "IDEMPOTENCY_CONFLICT" : null, replayed: !otherwise });
  // A macro also shows views, and those show what is there now.
  if (!otherwise && !/macro|batch/.test(tool)) expect(reply.result).toEqual(result);
  expect(real.logBytes()).toBe(before);
  // MACRO-5: the first call may have ended before it moved the focus.
  const { task_id } = result as { task_id?: string };
  const begun = model.state.entities[task_id ?? ""];
  if (!otherwise && begun && !begun.deleted && !begun.archived) model.setFocus(by, begun.id);
  await compareAll(model, real, by);
}

const VIEWS = ["radar", "handoff", "history", "mirror", "resume_super", "snapshot", "lint", "context_pack"];

/** ENG-17: what the logs say does not depend on who read them when, and nothing of it is amiss (VERIFY-1). */
async function reopen(model: Model, real: Real, bare: boolean): Promise<void> {
  real.story.push(bare ? "opened anew, with logs alone" : "opened anew");
  const before = await answers(model, real);
  await real.reopen(bare);
  expect(await answers(model, real)).toEqual(before);
  expect(real.ws.verify().findings.filter((one) => !one.info)).toEqual([]);
  for (const { id } of model.live()) await compareOne(model, real, id, CALLERS[0]!);
}

async function answers(model: Model, real: Real): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const by of CALLERS) {
    for (const tool of ["tasks_context", "tasks_focus_get", "tasks_delta"]) found.push(await ask(real, tool, {}, by));
    for (const { id } of model.live())
      for (const view of VIEWS) found.push(await ask(real, `tasks_${view}`, { target: id }, by));
  }
  return found;
}

/** The same numbers choose the same call on the same state. */
const aCall = fc
  .tuple(fc.constantFrom(...DRAWN), fc.constantFrom(CALLERS[0]!, ...CALLERS), fc.noShrink(fc.nat()))
  .map(
    ([tool, by, n]) =>
      new Happening(tool, (model, real) => call(model, real, tool, inputFor(tool, randomFrom(n), model), by)),
  );
const aRepetition = fc
  .tuple(fc.noShrink(fc.nat()), fc.boolean())
  .map(([n, otherwise]) => new Happening("again", (model, real) => again(model, real, n, otherwise)));
const aWait = fc.constantFrom(1, 10, 100, 1000).map(
  (seconds) =>
    new Happening(`wait ${seconds} s`, async (_model, real) => {
      real.now += seconds * 1000;
      real.story.push(`wait ${seconds} s`);
    }),
);
const anOpening = fc.boolean().map((bare) => new Happening("reopen", (model, real) => reopen(model, real, bare)));

/** Nearly always a call. */
export const anyCommands: fc.Arbitrary<Iterable<Command>> = fc.commands<Model, Real, false>(
  [...Array.from({ length: 12 }, () => aCall), aRepetition, aWait, anOpening],
  { maxCommands: 60, size: "max" },
);

/** Returns the model of a workspace that is just begun, beside it. */
export async function begun<R extends Real>(real: R): Promise<{ model: Model; real: R }> {
  const model = new Model(real.now, MODEL_TOOLS);
  for (const one of (await ask(real, "tasks_templates_list", {}, "human:ada"))["templates"] as Template[])
    TEMPLATES.set(one.id, one);
  await begin(model, real);
  return { model, real };
}

/** A plan with a task of two steps, one of them with two below it: where there is something to get wrong at once. */
async function begin(model: Model, real: Real): Promise<void> {
  const by = CALLERS[0]!;
  const step = (title: string) => ({ title, success_criteria: ["it works"], tests: ["npm test"] });
  const proven = { ...step("d"), proof: { tests: "require" } };
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
    { workspace, task: "TASK-001", parent: "s:1", steps: [step("c"), proven] },
    by,
  );
}
