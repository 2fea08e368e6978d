// @module-tag long
/** Every tool with everything that is bad in every field, driven from the tools' own schemas: a new tool is in here by being one. */
import type { JsonObject } from "../../src/state/json.ts";
import fc from "fast-check";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { ERROR_CODES } from "../../src/errors.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { machinePath } from "../support/machine.ts";
import { validates } from "../support/given.ts";
import { samplesOf } from "../support/schema_samples.ts";
import { sampleOf, sized, SWEEP } from "../support/sweep.ts";
import { counting, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

/** What nobody may be told for an input: these say that the engine, or the disk, is at fault. */
const NEVER = new Set(["INTERNAL", "STORAGE_FAILED", "STORAGE_FULL", "UNKNOWN_OUTCOME", "UNKNOWN_TOOL"]);

/** Tools in a sample, and inputs of each. */
const TOOLS_OF_SAMPLE = 24;
const SAMPLE = 20;

/** Paths of a workspace that goes on. Each call looks at all of them, so that one which makes tasks gets slower with each that is taken. */
const PATHS = 150;

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const LONG = "x".repeat(1 << 20);

const HOSTILE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  "",
  " \t",
  LONG,
  "a\ud800b",
  "a\0b",
  "a\nb",
  "../../../../etc/passwd",
  "/etc/passwd",
  "C:\\x",
  "CON",
  "__proto__",
  "constructor",
  "\u202Etxt.exe",
  "$(touch hacked)",
  "TASK-001/../PLAN-001",
  "s:99999999999999999999",
  "s:0.t:99999999999999999999",
  `(${"a+".repeat(200)})+$`,
  [],
  [null],
  Array.from({ length: 3000 }, (_, i) => `item ${i}`),
  {},
  JSON.parse('{"__proto__":{"a":1}}'),
  { toString: "x", length: -1 },
  nested(80),
];

/** A few of them, for places that many tools share or that lie deep. */
const SOME = [null, 1.5, "", LONG, "a\ud800b", "../../../../etc/passwd", "__proto__", [], {}, nested(80)];

/** Fields that every tool has from one definition. */
const SHARED = /^(?:workspace|task|plan|target|expected_.*|idempotency_key|fence|read_only|max_chars|at)$/;

interface ObjectSchema {
  properties: Record<string, object>;
  required: string[];
}

/**
 * Names, sizes and times of all that lasts. Locks say who had them last, the index of keys is a cache that asking brings up to date, and
 * a shared log is taken in beside all calls.
 */
function stamp(root: string): string[] {
  const found: string[] = [];
  const left = new Set([join(root, ".coco", "locks"), machinePath(root, "index"), machinePath(root, "shared")]);
  const look = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (left.has(path)) continue;
      const s = lstatSync(path);
      found.push([path, s.ino, s.size, s.mtimeMs].join(" "));
      if (s.isDirectory()) look(path);
    }
  };
  look(root);
  return found;
}

async function prepared(): Promise<{ ws: Workspace; inputs: (name: string) => Record<string, unknown>[] }> {
  // The same ids each time: inputs name them, and a later workspace has to know them.
  const ws = openTemp({ durability: "os", newId: counting("bad input") });
  await ok(ws, "tasks_create", { id: "PLAN-001", title: "Plan" });
  await newTask(ws);
  const added = await ok(ws, "tasks_task_add", { task: "TASK-001", parent_step: "s:0", title: "Node" });
  const { task_node_id, step_id } = added["task_node"] as { task_node_id: string; step_id: string };
  const inputs = (name: string): Record<string, unknown>[] => {
    const text = JSON.stringify(TOOLS[name]!.examples)
      .replaceAll("STEP-0A1B2C3D", step_id)
      .replaceAll("NODE-0A1B2C3D", task_node_id);
    return JSON.parse(text) as Record<string, unknown>[];
  };
  return { ws, inputs };
}

/** The value with `bad` at each of the places inside it, in turn. */
function* spoiled(value: unknown, bad: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value).slice(0, 12)) {
    for (const inner of [bad, ...spoiled((value as Record<string, unknown>)[key], bad)]) {
      const copy: unknown = structuredClone(value);
      (copy as Record<string, unknown>)[key] = inner;
      yield copy;
    }
  }
}

/** Inputs that lack something, have something too much, or have something bad in one place. */
function* badInputs(
  name: string,
  base: Record<string, unknown>,
  seen: Set<string>,
): Generator<Record<string, unknown>> {
  const { properties, required } = TOOLS[name]!.input as unknown as ObjectSchema;
  for (const key of required) {
    const { [key]: _left, ...rest } = base;
    yield rest;
  }
  yield { ...base, no_such_field: 1 };
  yield { ...base, ...(JSON.parse('{"__proto__":{"polluted":true}}') as object) };
  for (const [key, schema] of Object.entries(properties)) {
    // A later example is there for the fields that the earlier ones do not have.
    if (seen.has(key)) continue;
    const value = key in base ? base[key] : fc.sample(samplesOf(schema), { numRuns: 1, seed: 7 })[0];
    for (const bad of SHARED.test(key) ? SOME : HOSTILE) yield { ...base, [key]: bad };
    for (const bad of SOME) for (const worse of spoiled(value, bad)) yield { ...base, [key]: worse };
    seen.add(key);
  }
}

/** What is wrong with a reply to such an input. */
function faults(ws: Workspace, fits: boolean, reply: Reply, unchanged: boolean): string[] {
  const { error } = reply;
  if (!error) return fits ? [] : ["an input that does not fit its schema was taken"];
  const { code, message, recovery = "" } = error;
  const found: string[] = [];
  if (!Object.hasOwn(ERROR_CODES, code) || NEVER.has(code)) found.push(`${code}: ${message}`);
  // Tools of the Taskdoc have a refusal of their own for each thing that is wrong with a section's name (TASKDOC rules).
  const isOwn = TOOLS[reply.intent]!.explainInvalidInput !== undefined && code.startsWith("TASKDOC_");
  if (!fits && code !== "INVALID_INPUT" && !isOwn)
    found.push(`${code} for an input that does not fit its schema: ${message}`);
  if (message.length + recovery.length >= 4000) found.push(`${code} says ${message.length} characters`);
  if (JSON.stringify(reply).includes(ws.root)) found.push(`${code} names a path of the machine`);
  if (!unchanged) found.push(`${code}, yet something was changed`);
  return found;
}

/** The workspace answers, and every log in it is right. */
async function expectSound(ws: Workspace): Promise<void> {
  expect((await ws.call("tasks_context", { workspace: WORKSPACE })).error).toBeNull();
  expect(ws.verify().findings.filter((f) => !f.info)).toEqual([]);
}

describe("every tool", () => {
  it.each(sampleOf(Object.keys(TOOLS), TOOLS_OF_SAMPLE))(
    "[ENG-12] %s refuses what is missing, extra, wrong, oversized or hostile with a code, and changes nothing",
    SWEEP,
    async (name) => {
      const { ws: first, inputs } = await prepared();
      let ws = first;
      const told = { refused: 0, taken: 0, misfits: 0 };
      const seen = new Set<string>();
      let before = stamp(ws.root);
      const all = inputs(name).flatMap((base) => [...badInputs(name, base, seen)]);
      for (const input of sampleOf(all, SAMPLE)) {
        const fits = validates(TOOLS[name]!.input, input);
        const reply = await ws.callTool(name, input as JsonObject);
        const after = stamp(ws.root);
        const found = faults(ws, fits, reply, isDeepStrictEqual(after, before));
        expect(found, JSON.stringify(input).slice(0, 300)).toEqual([]);
        told[reply.success ? "taken" : "refused"]++;
        if (!fits) told.misfits++;
        before = after;
        if (after.length > PATHS) {
          await expectSound(ws);
          ({ ws } = await prepared());
          before = stamp(ws.root);
        }
      }
      expect(existsSync("hacked")).toBe(false);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
      expect(told.misfits).toBeGreaterThan(sized(0, 10));
      await expectSound(ws);
    },
  );
});

it("[ENG-12] a workspace id that is no text is refused with a code too", async () => {
  const ws = openTemp();
  for (const id of [undefined, null, 1, { workspace: "acme/repo" }])
    await expect(ws.init(id as never)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  expect(readdirSync(ws.root)).toEqual([]);
});
