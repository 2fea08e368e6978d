import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Suggestion, TaskfoldError } from "../../src/errors.ts";
import { isTaskfoldError } from "../../src/errors.ts";
import { lacksOf } from "../../src/state/checkpoint.ts";
import { CHECKPOINTS } from "../../src/state/entity.ts";
import { openChildren, pathOf, preOrder } from "../../src/state/tree.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import type { Told } from "../support/given.ts";
import { Given, validates, WORKSPACE } from "../support/given.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

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
  ["tasks_verify", fc.constant({ checkpoints: "all" })],
  ["tasks_progress", fc.record({ completed: flag, force: flag, reason })],
  ["tasks_progress", fc.constant({ force: true, reason: "so" })],
  ["tasks_progress", fc.constant({ force: true, reason: "so" })],
  ["tasks_block", fc.record({ blocked: flag, reason })],
  ["tasks_define", fc.record({ tests: fc.constant(["t"]) })],
  ["tasks_define", fc.record({ proof: fc.record({ tests: mode, docs: mode }) })],
  ["tasks_evidence_capture", fc.record({ checks: fc.constantFrom(["CMD: ls"], ["CMD: <fill>"]), checkpoint: names })],
  ["tasks_delete", fc.constant({})],
  ["tasks_note", fc.constant({ note: "n" })],
  ["tasks_complete", fc.record({ status: fc.constantFrom("DONE", "DONE", "DONE", "ACTIVE", "FAILED") })],
  ["tasks_decompose", fc.constant({ steps: [step] })],
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

/** What the call came to: told, refused, or nothing because there was no step to call it on. */
function run(given: Given, one: Call): Told | TaskfoldError | undefined {
  const input = inputOf(given, one);
  if (!input) return undefined;
  const clean = JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
  try {
    return given.call(one.tool, clean as never);
  } catch (e) {
    if (!isTaskfoldError(e) || e.code === "INTERNAL") throw e;
    return e;
  }
}

/** Suggestions whose arguments do not validate. */
function bad(suggestions: readonly Suggestion[]): Suggestion[] {
  return suggestions.filter(
    ({ tool, args }) => args["workspace"] !== WORKSPACE || !validates(TOOLS[tool]!.input, args),
  );
}

describe("any sequence of calls", () => {
  it("[STEP-15] [STEP-16] says by events exactly which steps were opened, and [STEP-20] holds", SWEEP, () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 5, maxLength: 60 }), (calls) => {
        const given = new Given();
        const steps = [step];
        given.call("tasks_create", { kind: "task", title: "t", steps });
        for (const one of calls) {
          const before = closed(given);
          const told = run(given, one);
          expect(bad(told?.suggestions ?? [])).toEqual([]);
          if (told === undefined || isTaskfoldError(told)) continue;
          const after = closed(given);
          const opened = [...before].filter((name) => !after.has(name)).toSorted();
          const said = told.drafts.flatMap(({ type, payload }) =>
            type === "step.reopened" ? [String(payload["step_id"])] : type === "task.reopened" ? ["the task"] : [],
          );
          // A status that was set away from DONE was not opened by anything below it.
          const set = told.drafts.some((d) => d.type === "status.changed") ? ["the task"] : [];
          expect(opened.filter((name) => !set.includes(name))).toEqual(said.toSorted());
          expect(faults(given, told)).toEqual([]);
        }
      }),
      runsOf(150),
    );
  });
});

/** What may not be so after any call. */
function faults(given: Given, told: Told): string[] {
  const entity = given.entity();
  const live = [...preOrder(entity.children)];
  const found = live
    .filter((s) => s.done && (s.blocked || (s.forced === null && openChildren(s).length > 0)))
    .map((s) => `${pathOf(s)} is closed, yet blocked or with open steps below`);
  const closing = told.drafts.find((d) => d.type === "step.done");
  const done = closing && entity.steps.get(closing.payload["step_id"] as string);
  if (done && !(done.done && lacksOf(done).length === 0))
    found.push(`${pathOf(done)} was closed, yet is open or its gate fails`);
  if (entity.status === "DONE" && !live.every((s) => s.done)) found.push("DONE with open steps");
  const completed = told.drafts.some((d) => d.type === "task.completed");
  if (completed && !live.every((one) => lacksOf(one).length === 0)) found.push("completed with a gate that fails");
  return found;
}
