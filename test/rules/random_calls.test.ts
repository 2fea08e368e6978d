import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTaskfoldError } from "../../src/errors.ts";
import { gateHolds } from "../../src/state/checkpoint.ts";
import { CHECKPOINTS } from "../../src/state/checkpoint.ts";
import { pathOf, preOrder } from "../../src/state/tree.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { ToolName } from "../../src/tools/index.ts";
import type { Told } from "../support/given.ts";
import { Given, validates, WORKSPACE } from "../support/given.ts";

/** A call on TASK-001; `pick` chooses among the steps that are there. */
interface Call {
  tool: ToolName;
  pick: number | null;
  args: Record<string, unknown>;
}

const flag = fc.boolean();
const mode = fc.constantFrom("off", "warn", "require");
const names = fc.uniqueArray(fc.constantFrom(...CHECKPOINTS), { minLength: 1, maxLength: 3 });
const marks = fc.record(Object.fromEntries(CHECKPOINTS.map((c) => [c, flag])), { requiredKeys: [] });
const checkpoints = fc.oneof(fc.constantFrom("gate", "all"), fc.constantFrom("gate", "all"), marks);
const step = { title: "more", success_criteria: ["x"] };
const reason = fc.constantFrom(undefined, "so");

const argsOf: [ToolName, fc.Arbitrary<Record<string, unknown>>][] = [
  ["tasks_verify", fc.record({ checkpoints })],
  ["tasks_close_step", fc.record({ checkpoints })],
  ["tasks_close_step", fc.record({ checkpoints: fc.constant("all") })],
  ["tasks_done", fc.constant({})],
  ["tasks_progress", fc.record({ completed: flag, force: flag, reason })],
  ["tasks_block", fc.record({ blocked: flag, reason })],
  ["tasks_define", fc.record({ tests: fc.constant(["t"]) })],
  ["tasks_define", fc.record({ proof: fc.record({ tests: mode, docs: mode }) })],
  ["tasks_evidence_capture", fc.record({ checks: fc.constantFrom(["CMD: ls"], ["CMD: <fill>"]), checkpoint: names })],
  ["tasks_delete", fc.constant({})],
  ["tasks_note", fc.constant({ note: "n" })],
  ["tasks_complete", fc.record({ status: fc.constantFrom("DONE", "DONE", "DONE", "ACTIVE", "FAILED") })],
  ["tasks_decompose", fc.constant({ steps: [step] })],
];

const call: fc.Arbitrary<Call> = fc
  .constantFrom(...argsOf)
  .chain(([tool, args]) => fc.record({ tool: fc.constant(tool), pick: fc.nat({ max: 50 }), args }));

/** The input, with a step or parent picked from those that are there; undefined when there is none to pick. */
function inputOf(given: Given, { tool, pick, args }: Call): Record<string, unknown> | undefined {
  if (tool === "tasks_complete") return args;
  const steps = [...preOrder(given.entity().children)];
  const picked = steps[(pick ?? 0) % (steps.length + (tool === "tasks_decompose" ? 1 : 0))];
  if (tool === "tasks_decompose") return picked ? { ...args, parent: pathOf(picked) } : args;
  return picked && { ...args, step_id: picked.id };
}

/** What was closed and is DONE, by name. */
function closed(given: Given): Set<string> {
  const steps = [...given.entity().steps.values()].filter((s) => s.done).map((s) => s.id);
  return new Set(given.entity().status === "DONE" ? [...steps, "the task"] : steps);
}

function run(given: Given, one: Call): Told | undefined {
  const input = inputOf(given, one);
  if (!input) return undefined;
  const clean = JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
  try {
    return given.call(one.tool, clean as never);
  } catch (e) {
    if (!isTaskfoldError(e) || e.code === "INTERNAL") throw e;
    for (const { tool, args } of e.suggestions) expect(validates(TOOLS[tool]!.input, args), e.message).toBe(true);
    return undefined;
  }
}

describe("any sequence of calls", () => {
  it("[STEP-15] [STEP-16] says by events exactly which steps were opened, and [STEP-20] holds", () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 5, maxLength: 60 }), (calls) => {
        const given = new Given();
        const steps = [step, step];
        given.call("tasks_create", { kind: "task", title: "t", steps });
        for (const one of calls) {
          const before = closed(given);
          const told = run(given, one);
          if (!told) continue;
          const after = closed(given);
          const opened = [...before].filter((name) => !after.has(name)).toSorted();
          const said = told.drafts.flatMap(({ type, payload }) =>
            type === "step.reopened" ? [String(payload["step_id"])] : type === "task.reopened" ? ["the task"] : [],
          );
          // A status that was set away from DONE was not opened by anything below it.
          const set = told.drafts.some((d) => d.type === "status.changed") ? ["the task"] : [];
          expect(opened.filter((name) => !set.includes(name))).toEqual(said.toSorted());
          check(given, told);
        }
      }),
      { numRuns: 150 },
    );
  });
});

function check(given: Given, told: Told): void {
  const entity = given.entity();
  const live = [...preOrder(entity.children)];
  const closing = told.events.find((e) => e.type === "step_done");
  if (closing) {
    const done = entity.steps.get(String(closing["step_id"]))!;
    expect(done.done && gateHolds(done) && !done.blocked).toBe(true);
  }
  if (told.events.some((e) => e.type === "task_completed")) {
    expect(live.every((s) => s.done && gateHolds(s))).toBe(true);
  }
  for (const s of live) {
    if (!s.done) continue;
    expect(s.blocked).toBe(false);
    if (s.forced === null) expect(s.children.every((c) => c.deleted || c.done)).toBe(true);
  }
  if (entity.status === "DONE") expect(live.every((s) => s.done)).toBe(true);
  for (const { tool, args } of told.suggestions ?? []) {
    expect(args["workspace"]).toBe(WORKSPACE);
    expect(validates(TOOLS[tool]!.input, args)).toBe(true);
  }
}
