import { describe, expect, it } from "vitest";
import type { PatchOp } from "../../src/rules/patch_ops.ts";
import type { Given } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";

const NODE = "NODE-00000001";
type Op = Omit<PatchOp, "value"> & { value?: never };
/** One op, as short as it can be written. */
const op = (op: PatchOp["op"], field: string, value?: unknown): Op =>
  (value === undefined ? { op, field } : { op, field, value }) as Op;
const code = (given: Given, ...ops: Op[]): string => given.refusal("tasks_patch", { ops }).code;

function withNode(): Given {
  const given = givenTask("a", "b");
  given.call("tasks_task_add", { parent_step: "s:0", title: "n", risks: ["late"] });
  return given;
}

describe("patches", () => {
  it("[PATCH-1] are about what is named, and a kind may say the same", () => {
    const given = withNode();
    const titled = (title: string) => [op("set", "title", title)];
    const said: [object, string][] = [
      [{}, "task_edited"],
      [{ kind: "task_detail" }, "task_edited"],
      [{ path: "s:0" }, "step_defined"],
      [{ kind: "step", step_id: given.step("s:1").id }, "step_defined"],
      [{ path: "s:0.t:0" }, "task_node_defined"],
      [{ kind: "task", task_node_id: NODE }, "task_node_defined"],
      [{ plan: "PLAN-001" }, "plan_edited"],
    ];
    for (const [n, [more, type]] of said.entries()) {
      const told = given.call("tasks_patch", { ...more, ops: titled(`t${n}`) });
      expect(types(told), type).toEqual([type]);
      expect(told.result).toMatchObject({ changed: true });
    }
    const told = given.call("tasks_patch", { path: "s:0.t:0", ops: [op("set", "status", "DONE")] });
    expect(told.result["task_node"]).toMatchObject({ task_node_id: NODE, status: "DONE" });
    const step = given.call("tasks_patch", { path: "s:1", ops: titled("t") }).result["step"];
    expect(step).toMatchObject({ path: "s:1", title: "t" });
  });

  it("[PATCH-1] are refused where kind and selector disagree, or name nothing", () => {
    const given = withNode();
    const ops = [op("set", "title", "t")];
    const refused = (more: object): string => given.refusal("tasks_patch", { ...more, ops }).code;
    expect(refused({ kind: "task_detail", path: "s:0" })).toBe("INVALID_INPUT");
    expect(refused({ kind: "task", path: "s:0" })).toBe("INVALID_INPUT");
    expect(refused({ kind: "step", path: "s:0.t:0" })).toBe("INVALID_INPUT");
    expect(refused({ step_id: given.step("s:0").id, task_node_id: NODE })).toBe("INVALID_INPUT");
    expect(refused({ kind: "step" })).toBe("TARGET_REQUIRED");
    expect(refused({ kind: "task" })).toBe("TARGET_REQUIRED");
    expect(refused({ plan: "PLAN-001", path: "s:0" })).toBe("INVALID_INPUT");
  });

  it("[PATCH-2] apply their ops in order and write full values", () => {
    const given = givenTask("a");
    given.call("tasks_edit", { tags: ["x"] });
    const ops = [
      op("append", "tags", ["y", " y ", "x"]),
      op("remove", "tags", "x"),
      op("set", "phase", "two"),
      op("set", "context", "c"),
      op("unset", "context"),
      op("append", "tags", "z"),
      op("unset", "description"),
    ];
    const told = given.call("tasks_patch", { ops });
    expect(told.events[0]!["patch"]).toEqual({ tags: ["y", "z"], phase: "two" });
    expect(given.entity()).toMatchObject({ tags: ["y", "z"], phase: "two", context: null });
    given.call("tasks_undo", {});
    expect(given.entity()).toMatchObject({ tags: ["x"], phase: null });
  });

  it("[PATCH-2] [STEP-15] reopen a closed step by new criteria, and leave it closed by new blockers", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_patch", { path: "s:0", ops: [op("append", "blockers", "b")] });
    expect(given.step("s:0")).toMatchObject({ done: true, blockers: ["b"] });
    const told = given.call("tasks_patch", { path: "s:0", ops: [op("append", "success_criteria", "and fast")] });
    expect(types(told)).toEqual(["step_defined", "step_reopened"]);
    expect(given.step("s:0").success_criteria).toEqual(["it works", "and fast"]);
  });

  it("[PATCH-3] set every field that a kind has, and unset those that may be empty", () => {
    const given = withNode();
    const line = ["domain", "phase", "component", "assignee"];
    const task = [...line, "title", "description", "context", "priority"].map((f) => op("set", f, `new ${f}`));
    given.call("tasks_patch", { ops: [...task, op("set", "tags", ["t"]), op("set", "depends_on", ["PLAN-001"])] });
    expect(given.entity()).toMatchObject({ assignee: "new assignee", priority: "new priority", tags: ["t"] });
    expect(given.entity().depends_on).toMatchObject([{ id: "PLAN-001" }]);
    given.call("tasks_patch", {
      ops: [...line, "description", "context", "tags", "depends_on"].map((f) => op("unset", f)),
    });
    expect(given.entity()).toMatchObject({ assignee: null, description: "", context: null, tags: [], depends_on: [] });
    const plan = { plan: "PLAN-001" };
    given.call("tasks_patch", {
      ...plan,
      ops: [op("set", "contract", "c"), op("set", "contract_data", { a: [1] }), op("set", "contract_data", [2])],
    });
    expect(given.entity("PLAN-001")).toMatchObject({ contract: "c", contract_data: [2] });
    given.call("tasks_patch", { ...plan, ops: [op("unset", "contract_data"), op("set", "contract", null)] });
    expect(given.entity("PLAN-001")).toMatchObject({ contract: null, contract_data: null });
    given.call("tasks_patch", {
      path: "s:0.t:0",
      ops: [
        op("set", "status", "DONE"),
        op("set", "context", "c"),
        op("unset", "risks"),
        op("append", "problems", "p"),
      ],
    });
    const unset = [op("unset", "status"), op("unset", "context"), op("set", "priority", "HIGH")];
    given.call("tasks_patch", { path: "s:0.t:0", ops: unset });
    expect(given.entity().nodes.get(NODE)).toMatchObject({
      status: "TODO",
      context: null,
      risks: [],
      problems: ["p"],
      priority: "HIGH",
    });
  });

  it("[PATCH-3] are refused for a field or an op that is none, and change nothing", () => {
    const given = withNode();
    for (const field of ["id", "status", "steps", "__proto__", "constructor", "contract", "deleted"]) {
      expect(code(given, op("set", field, "x")), field).toBe("INVALID_INPUT");
    }
    expect(code(given, op("unset", "title"))).toBe("INVALID_INPUT");
    expect(code(given, op("unset", "priority"))).toBe("INVALID_INPUT");
    expect(code(given, op("append", "title", "x"))).toBe("INVALID_INPUT");
    expect(code(given, op("set", "title"))).toBe("INVALID_INPUT");
    expect(code(given, op("set", "title", 7))).toBe("INVALID_INPUT");
    expect(code(given, op("set", "title", null))).toBe("INVALID_INPUT");
    expect(code(given, op("set", "title", " "))).toBe("INVALID_INPUT");
    expect(code(given, op("set", "tags", "x"))).toBe("INVALID_INPUT");
    expect(code(given, op("append", "tags", [1]))).toBe("INVALID_INPUT");
    expect(code(given, op("append", "tags"))).toBe("INVALID_INPUT");
    expect(code(given, op("unset", "tags", "x"))).toBe("INVALID_INPUT");
    expect(code(given, op("set", "description", "x".repeat(300_000)))).toBe("CONTENT_TOO_LARGE");
    const error = given.refusal("tasks_patch", { path: "s:0.t:0", ops: [op("set", "status", "BUSY")] });
    expect(error.message).toContain("one of TODO, ACTIVE");
    expect(code(given, op("set", "title", "fine"), op("set", "nothing", "x"))).toBe("INVALID_INPUT");
    expect(given.entity().title).toBe("Write the parser");
    expect(given.refusal("tasks_patch", { path: "s:0", ops: [op("set", "proof", {})] }).code).toBe("INVALID_INPUT");
  });

  it("[PATCH-4] write only what changes, and nothing when nothing does", () => {
    const given = givenTask({ title: "a", tests: ["npm test"] });
    given.call("tasks_edit", { tags: ["x"] });
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    const title = op("set", "title", given.entity().title);
    for (const one of [op("append", "tags", "x"), op("remove", "tags", "y"), op("unset", "context"), title]) {
      const { revision } = given.entity();
      expect(given.call("tasks_patch", { ops: [one] }).result).toMatchObject({ changed: false, revision, events: [] });
    }
    const ops = [op("append", "tests", "npm test"), op("set", "title", "A")];
    given.call("tasks_patch", { path: "s:0", ops });
    expect(given.step("s:0").confirmed).toMatchObject({ criteria: true, tests: true });
    const same = given.call("tasks_patch", { path: "s:0", ops: [op("set", "tests", ["npm test"])] });
    expect(same.result).toMatchObject({ changed: false, step: { path: "s:0" } });
    expect(given.step("s:0").confirmed).toMatchObject({ criteria: true, tests: true });
    given.call("tasks_patch", { path: "s:0", ops: [op("set", "tests", ["npm run all"])] });
    expect(given.step("s:0").confirmed).toMatchObject({ criteria: true, tests: false });
  });

  it("[PATCH-4] [CLOSE-2] find data as they were in whatever order their keys stand", () => {
    const given = givenTask("a");
    const plan = "PLAN-001";
    const inner = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, { d: 1, c: [key] }]));
    given.call("tasks_edit", { plan, contract_data: inner(["a", "b"]) });
    const reordered = { b: { c: ["b"], d: 1 }, a: { d: 1, c: ["a"] } };
    const told = given.call("tasks_patch", { plan, ops: [op("set", "contract_data", reordered)] });
    expect(told.result).toMatchObject({ changed: false, events: [] });
    const patches = [{ ops: [op("set", "contract_data", { c: 1 })] }, { ops: [op("set", "contract_data", reordered)] }];
    expect(given.call("tasks_close_task", { plan, patches }).result["diff"]).not.toContainEqual(
      expect.objectContaining({ field: "contract_data" }),
    );
    const other = { ...reordered, a: { d: 1, c: ["b"] } };
    const changed = given.call("tasks_patch", { plan, ops: [op("set", "contract_data", other)] });
    expect(changed.result).toMatchObject({ changed: true });
  });

  it("[PATCH-3] name dependencies by id, and can remove one that is gone", () => {
    const given = givenTask();
    given.call("tasks_create", { kind: "task", title: "other" });
    given.call("tasks_patch", { ops: [op("append", "depends_on", ["TASK-002", "PLAN-001"])] });
    expect(given.entity().depends_on.map((ref) => ref.id)).toEqual(["TASK-002", "PLAN-001"]);
    expect(code(given, op("append", "depends_on", "TASK-001"))).toBe("INVALID_INPUT");
    given.call("tasks_delete", { task: "TASK-002" });
    given.call("tasks_patch", { ops: [op("remove", "depends_on", "TASK-002")] });
    expect(given.entity().depends_on.map((ref) => ref.id)).toEqual(["PLAN-001"]);
  });
});

describe("closing a task with patches", () => {
  const closed = (): Given => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    return given;
  };
  const patches = [
    { ops: [op("append", "tags", "shipped")] },
    { path: "s:0", ops: [op("append", "blockers", "none left")] },
    { ops: [op("append", "tags", "done")] },
  ];

  it("[CLOSE-1] applies them in order and completes, in one op", () => {
    const given = closed();
    const told = given.call("tasks_close_task", { apply: true, patches });
    expect(types(told)).toEqual(["task_edited", "step_defined", "task_edited", "task_completed"]);
    expect(told.result).toMatchObject({ id: "TASK-001", status: "DONE", apply: true, revision: 3 });
    expect(given.entity()).toMatchObject({ tags: ["shipped", "done"], status: "DONE" });
    given.call("tasks_undo", {});
    expect(given.entity()).toMatchObject({ tags: [], status: "TODO" });
    expect(types(given.call("tasks_close_task", { plan: "PLAN-001", apply: true }))).toEqual(["task_completed"]);
  });

  it("[CLOSE-1] is refused whole by what is unmet after the patches", () => {
    const given = closed();
    const opening = { path: "s:0", ops: [op("append", "tests", "and this")] };
    const error = given.refusal("tasks_close_task", { apply: true, patches: [...patches, opening] });
    expect(error.code).toBe("STEPS_OPEN");
    expect(given.entity()).toMatchObject({ tags: [], status: "TODO" });
    const bad = given.refusal("tasks_close_task", {
      apply: true,
      patches: [...patches, { ops: [op("unset", "title")] }],
    });
    expect(bad).toMatchObject({ code: "INVALID_INPUT", details: { patch: 3 } });
    expect(bad.message).toContain("patches[3]: ");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: audit"], checkpoint: "security" });
    expect(given.refusal("tasks_close_task", { apply: true }).code).toBe("CHECKPOINTS_NOT_CONFIRMED");
    given.call("tasks_verify", { path: "s:0", checkpoints: "all" });
    given.call("tasks_close_task", { apply: true });
    expect(given.refusal("tasks_close_task", { apply: true }).code).toBe("ALREADY_DONE");
  });

  it("[CLOSE-2] says without apply what would change, and offers the call that does it", () => {
    const given = closed();
    const told = given.call("tasks_close_task", { patches });
    expect(told.events).toEqual([]);
    expect(told.result).toMatchObject({ apply: false, ready: true, unmet: [], open_steps: [], revision: 2 });
    expect(told.result["diff"]).toEqual([
      { target: "TASK-001", field: "tags", before: [], after: ["shipped", "done"] },
      { target: "s:0", field: "blockers", before: [], after: ["none left"] },
      { target: "TASK-001", field: "status", before: "ACTIVE", after: "DONE" },
    ]);
    const [next] = told.suggestions!;
    expect(next).toMatchObject({ tool: "tasks_close_task", args: { task: "TASK-001", apply: true, patches } });
    given.call("tasks_close_task", next!.args as { apply: boolean });
    expect(given.entity().status).toBe("DONE");
  });

  it("[CLOSE-2] says everything that is unmet, and which steps are open", () => {
    const given = givenTask("a", { title: "b", proof: { tests: "require" } });
    given.call("tasks_task_add", { parent_step: "s:0", title: "n" });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: x"], checkpoint: "docs" });
    const told = given.call("tasks_close_task", {
      patches: [
        { path: "s:0.t:0", ops: [op("set", "status", "DONE")] },
        { ops: [op("append", "depends_on", "PLAN-001")] },
      ],
    });
    expect(told.result).toMatchObject({
      ready: false,
      unmet: [{ code: "STEPS_OPEN" }, { code: "CHECKPOINTS_NOT_CONFIRMED" }],
    });
    expect(told.result["open_steps"]).toMatchObject([{ path: "s:1", missing_proofs: ["tests"] }]);
    expect(told.result["diff"]).toEqual([
      { target: "s:0.t:0", field: "status", before: "TODO", after: "DONE" },
      { target: "TASK-001", field: "depends_on", before: [], after: ["PLAN-001"] },
    ]);
    expect(given.refusal("tasks_close_task", { patches: [{ ops: [op("unset", "title")] }] }).code).toBe(
      "INVALID_INPUT",
    );
  });
});
