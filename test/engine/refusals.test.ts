import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inputFaults } from "../../src/engine/core/input/input_faults.ts";
import { nearest, nearIds } from "../../src/engine/core/input/near.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { validates } from "../support/given.ts";
import { mutationsOf, samplesOf } from "../support/schema_samples.ts";
import { newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

async function refusal(ws: Workspace, tool: string, input: object) {
  const { error, suggestions } = await ws.callTool(tool as string, { workspace: WORKSPACE, ...input });
  expect(error).not.toBeNull();
  return { ...error!, details: (error!.details ?? {}) as JsonObject, suggestions };
}

/** Keywords that say what an input may be, and those that say nothing of it. */
const KEYWORDS = new Set(
  "type enum anyOf items properties required additionalProperties pattern minLength maxLength minimum maximum minItems maxItems title description default".split(
    " ",
  ),
);

/** Keywords of a schema and of all schemas in it; names of properties are none. */
function keywordsIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keywordsIn);
  if (typeof schema !== "object" || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => [
    keyword,
    ...(keyword === "properties" ? Object.values(value as object).flatMap(keywordsIn) : keywordsIn(value)),
  ]);
}

describe("a refusal leads out in one step", () => {
  it("[ERR-20] names all faults of an input at once, each with what is allowed", async () => {
    const ws = openTemp();
    const { code, message, details } = await refusal(ws, "tasks_close_step", {
      tsk: "TASK-001",
      path: 0,
      checkpoints: { tests: "yes" },
      expected_revision: -1,
    });
    expect(code).toBe("INVALID_INPUT");
    expect(message).toContain('no field "tsk" (did you mean task?)');
    expect(message).toContain("Expected path to be a text of 0 to 2000 characters; found 0.");
    expect(message).toContain("Expected expected_revision to be a whole number from 0; found -1.");
    expect((details["faults"] as { at: string }[]).map((fault) => fault.at)).toEqual([
      "",
      "path",
      "checkpoints.tests",
      "expected_revision",
    ]);
  });

  it.each([[["tests"]], [true], ["tests"], [3]])(
    "[ERR-20] checkpoints %j and a proof that is a word name the forms there are",
    async (checkpoints) => {
      const ws = openTemp();
      const at = { task: "TASK-001", path: "s:0" };
      const { message } = await refusal(ws, "tasks_close_step", { ...at, checkpoints });
      expect(message).toMatch(
        /one of gate, all, or an object with criteria, tests, security, perf, docs .*true or false/,
      );
      const proof = await refusal(ws, "tasks_define", { ...at, proof: "require" });
      expect(proof.message).toContain("an object with tests, security, perf, docs that are one of off, warn, require");
    },
  );

  it(
    "[ENG-16] [ERR-20] agrees with ajv: has words for whatever the schemas refuse, and none for what they take",
    SWEEP,
    () => {
      for (const { name, input, examples } of Object.values(TOOLS)) {
        for (const one of examples) expect(inputFaults(input, one), name).toEqual([]);
        const some = samplesOf(input).chain((value) => fc.oneof(fc.constant(value), mutationsOf(value)));
        const agrees = fc.property(some, (value) => inputFaults(input, value).length > 0 === !validates(input, value));
        fc.assert(agrees, runsOf(40));
      }
    },
  );

  it("[ERR-20] names a member of a map whose keys the caller chooses, and what is allowed there", async () => {
    const ws = openTemp();
    const inputs = { zz: 1, "user_request.md": "Read it.", "context_pack.md": null };
    const { message, details } = await refusal(ws, "packet_define", { task: "TASK-001", manifest: {}, inputs });
    expect(message).toBe(
      "Expected inputs.zz to be a text; found 1. Expected inputs.context_pack.md to be a text; found null.",
    );
    expect((details["faults"] as { at: string }[]).map(({ at }) => at)).toEqual([
      "inputs.zz",
      "inputs.context_pack.md",
    ]);
  });

  it("[ERR-20] knows every keyword that an input schema uses", () => {
    const unknown = Object.values(TOOLS).flatMap(({ name, input }) =>
      keywordsIn(input).flatMap((keyword) => (KEYWORDS.has(keyword) ? [] : [`${name}: ${keyword}`])),
    );
    expect(unknown).toEqual([]);
  });

  it("[ERR-21] names near ids and tools", async () => {
    const ws = openTemp();
    await newTask(ws);
    for (const id of ["TASK-1", "task-001", "1", "TASK_001", "TASK-0001", "TSK-001", "acme/repo:TASK-001"]) {
      const { code, details, message, suggestions } = await refusal(ws, "tasks_radar", { target: id });
      expect([code, details["near"]], id).toEqual(["UNKNOWN_ID", ["TASK-001"]]);
      expect(message).toContain("Did you mean TASK-001?");
      expect(suggestions[0]).toMatchObject({ tool: "tasks_radar", args: { target: "TASK-001" } });
    }
    for (const target of ["another", "other/repo:TASK-001"])
      expect((await refusal(ws, "tasks_radar", { target })).details).not.toHaveProperty("near");
    expect((await refusal(ws, "tasks_creat", {})).message).toContain("Did you mean tasks_create");
    expect((await refusal(ws, "close_step", {})).details["nearest"]).toContain("tasks_close_step");
    expect(nearest("zzzzzz", Object.keys(TOOLS))).toEqual([]);
    expect(nearIds("2", ["TASK-002-k3f9", "PLAN-002", "TASK-020"])).toEqual(["TASK-002-k3f9", "PLAN-002"]);
  });

  it("[ERR-21] names every open step where a path or step is wrong", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_decompose", { task: "TASK-001", steps: [{ title: "second", success_criteria: [] }] });
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_delete", { task: "TASK-001", path: "s:1" });
    for (const selector of [
      { path: "s:7" },
      { path: "second" },
      { path: "" },
      { step_id: "STEP-00000000" },
      { step_id: "STEP-1" },
      { step_id: "" },
      {},
    ]) {
      const { recovery, details } = await refusal(ws, "tasks_done", { task: "TASK-001", ...selector });
      expect(recovery).toContain('s:2 "second"');
      expect(details["open_steps"]).toMatchObject([{ path: "s:2", title: "second" }]);
    }
  });

  it("[ERR-21] names the open tasks of a plan where a task is needed", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "Plan" });
    for (const title of ["one", "two", "three"]) await ok(ws, "tasks_create", { parent: "PLAN-001", title });
    await ok(ws, "tasks_complete", { task: "TASK-002" });
    for (const [tool, more] of [
      ["tasks_done", { path: "s:0" }],
      ["tasks_decompose", { steps: [{ title: "x", success_criteria: [] }] }],
      ["tasks_mirror", { path: "s:0" }],
      ["tasks_macro_close_step", {}],
    ] as const) {
      const { code, recovery, details, suggestions } = await refusal(ws, tool, { task: "PLAN-001", ...more });
      expect(code, tool).toBe("INVALID_INPUT");
      expect(recovery).toContain("TASK-001 (one), TASK-003 (three)");
      expect(details["open_tasks"]).toMatchObject([{ id: "TASK-001", status: "TODO" }, { id: "TASK-003" }]);
      expect(suggestions.map((one) => one.args["task"])).toEqual(["TASK-001", "TASK-003"]);
    }
  });

  it("[ERR-21] says which kind a tool takes, where the caller named the other", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_create", { title: "Plan" });
    for (const [tool, input, takes] of [
      ["tasks_plan", { plan: "TASK-001" }, "plan"],
      ["tasks_contract", { target: { id: "TASK-001", kind: "plan" } }, "plan"],
      ["tasks_done", { target: { id: "PLAN-001", kind: "task" } }, "task"],
    ] as const) {
      const { code, recovery, suggestions } = await refusal(ws, tool, input);
      expect([code, recovery]).toEqual(["TARGET_CONTRADICTION", `${tool} takes a ${takes}: name the id of one.`]);
      expect(suggestions.map((one) => one.tool)).toEqual(["tasks_context"]);
    }
    const { recovery } = await refusal(ws, "tasks_radar", { plan: "TASK-001" });
    expect(recovery).toBe("Name it as target, or as task.");
  });

  it("[TOOL-9] no refusal offers a change that sets a field to what it holds", async () => {
    const ws = openTemp();
    await newTask(ws);
    const { task_node } = await ok(ws, "tasks_task_add", { task: "TASK-001", parent_step: "s:0", title: "node" });
    const { task_node_id } = task_node as { task_node_id: string };
    await ok(ws, "tasks_note", { task: "TASK-001", note: "n" });
    const unset = { ops: [{ op: "unset", field: "title" }] };
    for (const [tool, input] of [
      ["tasks_patch", { path: "s:0", ...unset }],
      ["tasks_patch", unset],
      ["tasks_patch", { task_node_id, ...unset }],
      ["tasks_edit", {}],
      ["tasks_edit", { contract: "c" }],
      ["tasks_edit", { depends_on: ["TASK-001"] }],
      ["tasks_define", { path: "s:0" }],
      ["tasks_task_define", { task_node_id }],
    ] as const) {
      const { code, suggestions } = await refusal(ws, tool, { task: "TASK-001", ...input });
      expect(code).toBe("INVALID_INPUT");
      expect(suggestions, tool).toHaveLength(1);
      const { tool: offered, args } = suggestions[0]!;
      const isChange = offered !== "tasks_resume";
      expect([isChange, args["title"]], tool).toEqual([isChange, isChange ? "<fill: its new title>" : undefined]);
      expect((await ws.callTool(offered, args as never)).error).toBeNull();
    }
  });

  it("[ERR-21] names missing checkpoints and missing proofs together", async () => {
    const ws = openTemp();
    const steps = [{ title: "a", success_criteria: ["x"], proof: { tests: "require" as const } }];
    await ok(ws, "tasks_create", { kind: "task", title: "t", steps });
    const { code, message, details, suggestions } = await refusal(ws, "tasks_done", { task: "TASK-001", path: "s:0" });
    expect(code).toBe("CHECKPOINTS_NOT_CONFIRMED");
    expect(message).toContain("Proof of tests is asked for too");
    expect(details).toMatchObject({ missing: ["criteria", "tests"], missing_proofs: ["tests"] });
    expect(suggestions.map((one) => one.tool)).toEqual(["tasks_verify", "tasks_evidence_capture"]);
  });
});
