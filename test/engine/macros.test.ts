/** Calls made of several calls: batches, bootstrap and the macros, by what they keep, reply and refuse. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, newTask, notesOf, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";

const step = (title: string) => ({ title, success_criteria: ["it works"], tests: ["npm test"] });
const codes = ({ warnings }: Reply): string[] => warnings.map((w) => w.code);
const ids = (root: string): string[] =>
  existsSync(join(root, ".coco/tasks")) ? readdirSync(join(root, ".coco/tasks")).toSorted() : [];

interface Operation {
  index: number;
  tool: string;
  response: Reply;
}

describe("batches", () => {
  it("[BATCH-1] that are atomic take four tools, and are looked at whole before anything is done", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const task = await newTask(ws);
    const before = tree(join(root, ".coco/tasks"));
    const good = { tool: "tasks_block", args: { task, path: "s:0" } };
    for (const bad of [
      { tool: "tasks_note", args: { task, note: "n" } },
      { tool: "tasks_nothing", args: {} },
      { tool: "tasks_batch", args: { operations: [] } },
      { tool: "tasks_block", args: { task, path: "s:0", idempotency_key: "k" } },
      { tool: "tasks_block", args: { task, path: "s:0", workspace: "other/repo" } },
      { tool: "tasks_block", args: { task, path: "s:0", colour: "red" } },
    ]) {
      const { error } = await call(ws, "tasks_batch", { atomic: true, operations: [good, bad] });
      expect(error, JSON.stringify(bad)).toMatchObject({
        code: "INVALID_INPUT",
        details: { index: 1, tool: bad.tool },
      });
    }
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
    const made = await ok(ws, "tasks_patch", { task, ops: [{ op: "set", field: "title", value: "New" }] });
    const { operations } = await ok(ws, "tasks_batch", {
      atomic: true,
      operations: [
        { tool: "tasks_patch", args: { task, ops: [{ op: "set", field: "priority", value: "HIGH" }] } },
        good,
        { tool: "tasks_progress", args: { task, path: "s:1", completed: true, force: true, reason: "r" } },
      ].slice(0, 2),
    });
    const revisions = (operations as unknown as Operation[]).map((o) => o.response.result!["revision"]);
    expect(revisions).toEqual([1, 2].map((n) => (made["revision"] as number) + n));
  });

  it("[BATCH-3] take name and arguments for tool and args, and one of both", async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    const given = { name: "tasks_block", arguments: { task, path: "s:0", reason: "waits" } };
    for (const atomic of [true, false]) {
      const { operations } = await ok(ws, "tasks_batch", { atomic, compact: true, operations: [given] });
      expect(operations).toMatchObject([{ index: 0, tool: "tasks_block", success: true, task }]);
    }
    const own = { tool: "tasks_block", args: given.arguments };
    const before = tree(ws.root);
    for (const bad of [
      { ...own, ...given },
      { tool: own.tool },
      { args: own.args },
      { ...own, name: "tasks_note" },
      {},
    ])
      for (const atomic of [true, false]) {
        const { error } = await call(ws, "tasks_batch", { atomic, operations: [own, bad] });
        expect(error, JSON.stringify(bad)).toMatchObject({ code: "INVALID_INPUT", details: { index: 1 } });
      }
    expect(tree(ws.root)).toEqual(before);
  });

  it("[BATCH-2] [BATCH-4] that are not atomic end at the first refusal, and a repeated one makes none twice", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const task = await newTask(ws);
    const input = {
      idempotency_key: "k",
      operations: [
        { tool: "tasks_note", args: { task, note: "first" } },
        { tool: "tasks_close_step", args: { task, path: "s:0", checkpoints: { criteria: true } } },
        { tool: "tasks_note", args: { task, note: "second" } },
      ],
    };
    const { success, result, error, suggestions } = await call(ws, "tasks_batch", input);
    expect({ success, result }).toEqual({ success: false, result: null });
    expect(error).toMatchObject({
      code: "BATCH_FAILED",
      details: { index: 1, tool: "tasks_close_step", code: "CHECKPOINTS_NOT_CONFIRMED", failed: 1, not_made: 1 },
    });
    const operations = error!.details!["operations"] as Operation[];
    expect(operations.map(({ response }) => response.success)).toEqual([true, false]);
    expect(suggestions).toEqual(operations[1]!.response.suggestions);
    expect(suggestions).not.toEqual([]);
    expect(notesOf(root)).toEqual(["first"]);
    await ok(ws, "tasks_verify", { task, path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_batch", input);
    expect(notesOf(root)).toEqual(["first", "second"]);
  });

  it("[BATCH-2] that go on after a refusal make each call by itself, and are refused at the end", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const task = await newTask(ws);
    const input = {
      idempotency_key: "k",
      on_error: "continue" as const,
      operations: [
        { tool: "tasks_note", args: { task, note: "first" } },
        { tool: "tasks_close_step", args: { task, path: "s:9", checkpoints: "gate" } },
        { tool: "tasks_radar", args: { task } },
        { tool: "tasks_nothing", args: {} },
        { tool: "tasks_note", args: { task, note: "second" } },
      ],
    };
    const reply = await call(ws, "tasks_batch", input);
    const { code: refused, details } = reply.error!;
    expect({ refused, details }).toMatchObject({
      refused: "BATCH_FAILED",
      details: { workspace: WORKSPACE, atomic: false, failed: 2, index: 1, not_made: 0 },
    });
    const operations = details!["operations"] as Operation[];
    expect(operations.map((o) => o.response.error?.code)).toEqual([
      undefined,
      "UNKNOWN_ID",
      undefined,
      "UNKNOWN_TOOL",
      undefined,
    ]);
    await call(ws, "tasks_batch", input);
    expect(notesOf(root)).toEqual(["first", "second"]);
    expect(await code(ws, "tasks_batch", { operations: [{ tool: "tasks_batch", args: {} }] })).toBe("INVALID_INPUT");
    const block = { tool: "tasks_block", args: { task, path: "s:0" } };
    const both = { atomic: true, on_error: "continue" as const, operations: [block] };
    expect(await code(ws, "tasks_batch", both)).toBe("INVALID_INPUT");
  });

  it("[PATCH-4] [TXN-2] that are atomic take an operation that changes nothing, and a repeated one makes none twice", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const one = await newTask(ws);
    const two = await newTask(ws, "TASK-002");
    const same = { tool: "tasks_patch", args: { task: one, ops: [{ op: "unset", field: "context" }] } };
    const tag = { tool: "tasks_patch", args: { task: one, ops: [{ op: "set", field: "tags", value: ["x"] }] } };
    const block = { tool: "tasks_block", args: { task: two, path: "s:0", reason: "waits" } };
    const changedBy = async (operations: object[], more: object = {}) => {
      const reply = await call(ws, "tasks_batch", { atomic: true, operations, ...more } as never);
      expect(reply.error).toBeNull();
      const told = reply.result!["operations"] as unknown as Operation[];
      expect(told.map(({ tool }) => tool)).toEqual(operations.map((one) => (one as Operation).tool));
      expect(ws.verify().findings).toEqual([]);
      return told.map(({ response }) => response.result!["changed"] ?? response.result!["step"] !== undefined);
    };
    const before = tree(join(root, ".coco/tasks"));
    expect(await changedBy([same])).toEqual([false]);
    expect(await changedBy([same, same])).toEqual([false, false]);
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
    for (const [key, operations] of Object.entries({
      a: [same, block],
      b: [same, tag, block],
      c: [tag, same, block],
    })) {
      const first = await changedBy(operations, { idempotency_key: key });
      expect(first).toEqual(operations.map((one) => one !== same));
      const after = tree(join(root, ".coco/tasks"));
      expect(await changedBy(operations, { idempotency_key: key })).toEqual(first);
      expect(tree(join(root, ".coco/tasks"))).toEqual(after);
      await ok(ws, "tasks_edit", { task: one, tags: [] });
    }
  });

  it("[BATCH-3] say of each operation all of its answer, or with compact the least", async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    const operations = [
      { tool: "tasks_note", args: { task, note: "n" } },
      { tool: "tasks_note", args: { task: "TASK-404", note: "n" } },
    ];
    const toldBy = async (input: object) =>
      (await call(ws, "tasks_batch", { operations, ...input })).error!.details!["operations"] as Operation[];
    const whole = await toldBy({});
    expect(whole[0]).toMatchObject({
      index: 0,
      tool: "tasks_note",
      response: { success: true, intent: "tasks_note", error: null },
    });
    expect(await toldBy({ compact: true })).toEqual([
      { index: 0, tool: "tasks_note", success: true, task, revision: 3 },
      {
        index: 1,
        tool: "tasks_note",
        success: false,
        code: "UNKNOWN_ID",
        message: expect.stringContaining("TASK-404"),
      },
    ]);
  });
});

describe("bootstrap", () => {
  it("[MACRO-1] makes plan, checklist, task, steps and cards in one call", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const made = await ok(ws, "tasks_bootstrap", {
      plan_title: "Version 2",
      plan_template: "basic-plan",
      task_title: "Parser",
      steps: [step("a"), step("b")],
      think: { frame: "What is ambiguous?", decision: "Use a table." },
    });
    expect(made).toMatchObject({
      workspace: WORKSPACE,
      plan: { id: "PLAN-001", qualified_id: `${WORKSPACE}:PLAN-001`, created: true },
      task: { id: "TASK-001", qualified_id: `${WORKSPACE}:TASK-001`, revision: 2 },
      steps: [{ path: "s:0" }, { path: "s:1" }],
      think_pipeline: { cards: [{ stage: "frame" }, { stage: "decision" }] },
    });
    expect((made["events"] as { type: string }[]).map((e) => e.type)).toEqual([
      "task_created",
      "plan_updated",
      "task_created",
      "steps_added",
      "card_added",
      "card_added",
      "step_noted",
    ]);
    expect(ws.verify().findings).toEqual([]);
    const more = await ok(ws, "tasks_bootstrap", { parent: "PLAN-001", task_title: "Next", template: "basic-task" });
    expect(more).toMatchObject({ plan: { id: "PLAN-001", created: false }, task: { id: "TASK-002", revision: 1 } });
    expect((more["steps"] as unknown[]).length).toBe(3);
  });

  it("[MACRO-1] [MACRO-6] refuses what does not go together, and leaves nothing", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    await ok(ws, "tasks_create", { title: "There" });
    const before = tree(join(root, ".coco/tasks"));
    const task = { task_title: "T", steps: [step("a")] };
    const refused: [object, string][] = [
      [{ ...task, plan: "PLAN-001", plan_title: "P" }, "TARGET_CONTRADICTION"],
      [{ ...task, plan: "PLAN-001", parent: "PLAN-002" }, "TARGET_CONTRADICTION"],
      [{ ...task, plan: "PLAN-009" }, "UNKNOWN_ID"],
      [{ ...task, plan: "PLAN-001", template: "basic-task" }, "INVALID_INPUT"],
      [{ task_title: "T", plan_title: "P" }, "INVALID_INPUT"],
      [{ ...task, plan: "PLAN-001", plan_template: "basic-plan" }, "INVALID_INPUT"],
      [{ ...task, plan_title: "P", plan_template: "nothing" }, "UNKNOWN_ID"],
      [{ task_title: "T", plan_title: "P", template: "basic-plan" }, "INVALID_INPUT"],
      [{ ...task, plan_title: "P", task_title: " " }, "INVALID_INPUT"],
      [{ plan_title: "P", task_title: "T", steps: [{ ...step("a"), tests: ["none", " "] }] }, "INVALID_INPUT"],
      [{ plan_title: "P", task_title: "T", steps: [{ ...step("a"), success_criteria: [] }] }, "INVALID_INPUT"],
      [{ ...task, plan_title: "P", think: {} }, "INVALID_INPUT"],
      [{ ...task, plan_title: "P", expected_revision: 3 }, "REVISION_MISMATCH"],
    ];
    for (const [input, expected] of refused)
      expect(await code(ws, "tasks_bootstrap", input as never), JSON.stringify(input)).toBe(expected);
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
    expect(ids(root)).toEqual(["PLAN-001"]);
  });

  it("[MACRO-4] leaves out reasoning that fails for another reason than its form, and says so", async () => {
    const ws = openTemp();
    const think = { frame: { title: "f", text: "x".repeat(300 * 1024) } };
    const reply = await call(ws, "tasks_bootstrap", {
      plan_title: "P",
      task_title: "T",
      template: "basic-task",
      think,
    });
    expect(reply.error).toBeNull();
    expect(codes(reply)).toEqual(["THINK_FAILED"]);
    expect(reply.result).not.toHaveProperty("think_pipeline");
    expect(ws.verify().findings).toEqual([]);
  });
});

describe("macro_start", () => {
  it("[MACRO-2] goes to the focused plan, else to that of the focused task, else to Inbox", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const start = async (task_title: string) => (await ok(ws, "tasks_macro_start", { task_title }))["plan_id"];
    expect(await code(ws, "tasks_bootstrap", { task_title: "T", template: "basic-task" })).toBe("TARGET_REQUIRED");
    expect(await start("first")).toBe("PLAN-001");
    await ok(ws, "tasks_create", { title: "Other" });
    await ok(ws, "tasks_focus_set", { plan: "PLAN-002" });
    expect(await start("in the plan")).toBe("PLAN-002");
    expect(await start("beside the focused task")).toBe("PLAN-002");
    await newTask(ws, "TASK-009");
    await ok(ws, "tasks_focus_set", { task: "TASK-009" });
    expect(await start("of no plan")).toBe("PLAN-001");
    await ok(ws, "tasks_focus_set", { task: "TASK-009" });
    await ok(ws, "tasks_delete", { task: "TASK-009" });
    const made = { task_title: "done", steps: [step("s")] };
    expect(await ok(ws, "tasks_macro_create_done", made)).toMatchObject({
      bootstrap: { plan: { id: "PLAN-001", created: false } },
    });
    expect((await ok(ws, "tasks_radar", { plan: "PLAN-001" }))["target"]).toMatchObject({ title: "Inbox" });
  });

  it("[MACRO-1] [MACRO-4] has a template of its own, and frames a principal task", async () => {
    const ws = openTemp();
    const plain = await ok(ws, "tasks_macro_start", { task_title: "Plain" });
    expect(plain["steps"]).toHaveLength(3);
    expect(plain).not.toHaveProperty("think_pipeline");
    const input = { task_title: "Dear", description: "What it costs.", template: "principal-task" };
    expect(await ok(ws, "tasks_macro_start", input)).toMatchObject({
      steps: { length: 5 },
      think_pipeline: { cards: [{ stage: "frame", title: "Dear" }] },
    });
    const own = await ok(ws, "tasks_macro_start", { ...input, think: { hypothesis: "h" } });
    expect(own).toMatchObject({ think_pipeline: { cards: [{ stage: "hypothesis" }] } });
    const { plan } = (await ok(ws, "tasks_bootstrap", { ...input, plan_title: "P" })) as { plan: { id: string } };
    const { memory } = (await ok(ws, "tasks_resume_super", { task: "TASK-004" })) as { memory: object };
    expect(memory).toMatchObject({
      cards: { entries: [{ stage: "frame", title: "Dear", text: "What it costs." }] },
    });
    expect(plan.id).toBe("PLAN-002");
  });

  it("[MACRO-5] [MACRO-11] focuses the task, says so, and answers with the super-resume", async () => {
    const ws = openTemp();
    const first = await ok(ws, "tasks_macro_start", { task_title: "One" });
    expect(first).toMatchObject({
      task_id: "TASK-001",
      task_qualified_id: `${WORKSPACE}:TASK-001`,
      plan_id: "PLAN-001",
      focus_restored: true,
      focus_previous: null,
    });
    expect(await ok(ws, "tasks_focus_get", {})).toMatchObject({ focus: "TASK-001" });
    const second = await ok(ws, "tasks_macro_start", { task_title: "Two", resume_max_chars: 1500 });
    expect(second).toMatchObject({ focus_previous: "TASK-001", focus_restored: true });
    expect(JSON.stringify(second["resume"]).length).toBeLessThanOrEqual(1500);
    const seen = await ok(ws, "tasks_resume_super", { task: "TASK-002", max_chars: 1500 });
    expect((second["resume"] as { radar: unknown }).radar).toEqual(seen["radar"]);
    await ok(ws, "tasks_focus_clear", {});
    await ok(ws, "tasks_macro_close_step", { task: "TASK-001" });
    expect(await ok(ws, "tasks_focus_get", {})).toMatchObject({ focus: null });
  });
});

/** Codes of the warnings but that of the room, which nearly every answer lacks. */
const ofWork = (reply: { warnings: { code: string }[] }): string[] =>
  reply.warnings.map((one) => one.code).filter((name) => name !== "BUDGET_TRUNCATED");

describe("macro_close_step", () => {
  async function started(ws: Workspace, template = "basic-task"): Promise<void> {
    await ok(ws, "tasks_macro_start", { task_title: "T", template });
  }

  it("[MACRO-6] [MACRO-11] notes, proves and closes the first open step of the focused task", async () => {
    const ws = openTemp();
    await started(ws);
    const closed = await ok(ws, "tasks_macro_close_step", {
      note: "done so far",
      proof: "npm test\nhttps://ci.example/1",
      expected_revision: 1,
      resume_max_chars: 2000,
    });
    expect(closed).toMatchObject({
      task: "TASK-001",
      revision: 4,
      step: { path: "s:0", done: true },
      note_event: { type: "step_noted", note: "done so far" },
      evidence_event: { type: "evidence_captured", checkpoints: ["tests"] },
      events: [{ type: "step_verified" }, { type: "step_done" }],
      resume: { radar: { now: expect.stringContaining("TASK-001") as string }, budget: {} },
    });
    expect(JSON.stringify(closed["resume"]).length).toBeLessThanOrEqual(2000);
    const named = await ok(ws, "tasks_macro_close_step", { path: "s:2", checkpoints: { criteria: true, tests: true } });
    expect(named).toMatchObject({ step: { path: "s:2" }, note_event: null, evidence_event: null });
    expect(await code(ws, "tasks_macro_close_step", { expected_revision: 1 })).toBe("REVISION_MISMATCH");
    expect(await code(ws, "tasks_macro_close_step", { path: "s:9", expected_revision: 1 })).toBe("REVISION_MISMATCH");
    expect(await code(ws, "tasks_macro_close_step", { plan: "PLAN-001" })).toBe("INVALID_INPUT");
  });

  it("[MACRO-6] finishes a task without open steps, once", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    await started(ws);
    for (let i = 0; i < 3; i++) await ok(ws, "tasks_macro_close_step", {});
    const finished = await ok(ws, "tasks_macro_close_step", { note: "over" });
    expect(finished).toMatchObject({ status: "DONE", step: null, events: [{ type: "task_completed" }] });
    const before = tree(join(root, ".coco/tasks"));
    const again = await call(ws, "tasks_macro_close_step", {});
    expect([again.success, ofWork(again)]).toEqual([true, ["ALREADY_DONE"]]);
    expect(again.result).toMatchObject({ status: "DONE", revision: finished["revision"], events: [] });
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
    expect(ofWork(await call(ws, "tasks_macro_close_step", { note: "late" }))).toEqual(["ALREADY_DONE"]);
    expect(notesOf(root)).toEqual(["over", "late"]);
  });

  it("[MACRO-6] leaves neither note nor evidence when it is refused, and suggests itself where proof is missing", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    await started(ws, "principal-task");
    for (let i = 0; i < 3; i++) await ok(ws, "tasks_macro_close_step", {});
    const before = tree(join(root, ".coco/tasks"));
    const refused = await call(ws, "tasks_macro_close_step", { note: "n", proof: ["CMD: <fill: x>"] });
    expect(refused.error).toMatchObject({ code: "PROOF_REQUIRED", details: { index: 1, tool: "tasks_close_step" } });
    expect(refused.suggestions[0]).toMatchObject({
      tool: "tasks_macro_close_step",
      args: {
        task: "TASK-001",
        proof: {
          checkpoint: ["tests"],
          items: [{ kind: "run", command: expect.any(String), stdout: expect.stringContaining("<fill") }],
        },
      },
    });
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
    expect(await ok(ws, "tasks_macro_close_step", { proof: { checks: ["npm test"] } })).toMatchObject({
      step: { path: "s:3" },
    });
  });

  it("[TXN-1] [regression MACRO-12] names no evidence that it did not keep, and offers to keep the failed run", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    await newTask(ws);
    await ok(ws, "tasks_define", { task: "TASK-001", path: "s:0", proof: { tests: "require" } });
    const run = { kind: "CMD", command: "npm test", exit_code: 1, stdout: "boom" };
    const long = { ...run, command: "make", stdout: "x".repeat(500) };
    const before = tree(join(root, ".coco/tasks"));
    const proof = { checkpoint: "tests" as const, items: [run, long] };
    const refused = await call(ws, "tasks_macro_close_step", { task: "TASK-001", note: "n", proof });
    expect(refused.error).toMatchObject({
      code: "PROOF_FAILED",
      details: { failed: [{ evidence: null, command: "npm test", exit_code: 1 }, { evidence: null }] },
    });
    expect(refused.error!.message).toContain('the run of this call "npm test", which ended with exit code 1');
    expect(refused.error!.recovery).toContain("A refused call records nothing");
    expect(JSON.stringify(refused)).not.toMatch(/evidence:cmd-|cmd-[0-9a-f]{8}/);
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
    const [keep, again] = refused.suggestions;
    expect([keep!.tool, again!.tool]).toEqual(["tasks_evidence_capture", "tasks_macro_close_step"]);
    expect(keep!.args).toMatchObject({ checkpoint: "tests", items: [run, { stdout: "<fill: the same stdout>" }] });
    await ok(ws, "tasks_evidence_capture", { ...keep!.args, items: proof.items });
    const cited = await call(ws, "tasks_macro_close_step", { task: "TASK-001", note: "n" });
    expect(cited.error!.message).toMatch(/evidence:cmd-[0-9a-f]{20}-1 "npm test"/);
    const other = { checkpoint: "tests" as const, items: [{ ...run, command: "tsc" }] };
    const both = await call(ws, "tasks_macro_close_step", { task: "TASK-001", proof: other });
    expect(both.error!.message).toMatch(/evidence:cmd-[0-9a-f]{20}-1 "npm test", .*the run of this call "tsc"/);
  });

  it("[TXN-1] says that nothing is kept where a checkpoint is missing, too, and names no run to be put aside", async () => {
    const ws = openTemp();
    await newTask(ws, "TASK-001", ["First"]);
    await ok(ws, "tasks_define", { task: "TASK-001", path: "s:0", proof: { tests: "require" } });
    const proof = { checkpoint: "tests" as const, items: [{ kind: "run", command: "npm test", exit_code: 1 }] };
    const kept = "A refused call records nothing";
    for (const checkpoints of [{ criteria: true }, "gate"] as const) {
      const { error, suggestions } = await call(ws, "tasks_macro_close_step", { task: "TASK-001", proof, checkpoints });
      expect(error!.code).toBe(checkpoints === "gate" ? "PROOF_FAILED" : "CHECKPOINTS_NOT_CONFIRMED");
      expect(error!.message).toContain("the run of this call");
      expect(error!.recovery).toContain(kept);
      expect(error!.recovery).not.toContain("supersede");
      expect(suggestions.filter(({ args }) => args["supersedes"])).toEqual([]);
    }
    await ok(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", ...proof });
    const recorded = await call(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    expect(recorded.error!.recovery).toContain("Or supersede the failed run");
    expect(recorded.error!.recovery).not.toContain(kept);
  });

  it("[PROOF-39] [regression MACRO-12] offers no call that closes without the run that failed, where no proof is required", async () => {
    const ws = openTemp();
    await newTask(ws);
    const proof = { checkpoint: "tests" as const, items: [{ kind: "run", command: "npm test", exit_code: 1 }] };
    const refused = await call(ws, "tasks_macro_close_step", { task: "TASK-001", path: "s:0", proof });
    expect(refused.error!.code).toBe("PROOF_FAILED");
    const closing = refused.suggestions.filter(({ tool }) => tool !== "tasks_evidence_capture");
    expect(closing.map(({ args }) => JSON.stringify(args)).filter((args) => !args.includes("<fill"))).toEqual([]);
    await ok(ws, refused.suggestions[0]!.tool as "tasks_evidence_capture", refused.suggestions[0]!.args as never);
    expect((await call(ws, "tasks_macro_close_step", { task: "TASK-001", path: "s:0" })).error!.code).toBe(
      "PROOF_FAILED",
    );
  });

  it("[PROOF-3] [PROOF-5] ignores proof that is still to be filled in, warns that it is weak, and closes what asks for none", async () => {
    const ws = openTemp();
    await newTask(ws);
    const blank = await call(ws, "tasks_macro_close_step", { task: "TASK-001", proof: "<fill: the command>" });
    expect([blank.error, ofWork(blank)]).toEqual([null, ["PLACEHOLDER_IGNORED", "PROOF_WEAK"]]);
    expect(blank.warnings.find(({ code: name }) => name === "PROOF_WEAK")!.message).toMatch(
      /^s:0 .* has proof of tests without a command .* and a link /,
    );
    expect(blank.result).toMatchObject({ evidence_event: null, step: { path: "s:0", done: true } });
    const half = await call(ws, "tasks_macro_close_step", {
      task: "TASK-001",
      proof: ["make", "LINK: <fill: where>"],
      resume_max_chars: 9_000,
    });
    expect(codes(half)).toContain("PLACEHOLDER_IGNORED");
    expect(half.result!["evidence_event"]).toMatchObject({ items: [{ command: "make" }] });
    const warned = await newTask(ws, "TASK-007");
    await ok(ws, "tasks_define", { task: warned, path: "s:0", proof: { tests: "warn" } });
    const once = await call(ws, "tasks_macro_close_step", { task: warned, proof: ["CMD: <fill: x>"] });
    expect(ofWork(once).toSorted()).toEqual(["PLACEHOLDER_IGNORED", "PROOF_WEAK"]);
  });

  it("[regression TXN-11] says once what the capture and the closing both say of proof that is half there", async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    for (const path of ["s:0", "s:1"]) await ok(ws, "tasks_define", { task, path, proof: { tests: "warn" } });
    const closing = { task, proof: ["CMD: npm test"], idempotency_key: "k" };
    const { warnings } = await call(ws, "tasks_macro_close_step", closing);
    expect(ofWork({ warnings })).toEqual(["PROOF_WEAK"]);
    expect(warnings[0]!.message).toMatch(/^s:0 .* has proof of tests without a link /);
    const repeated = await call(ws, "tasks_macro_close_step", closing);
    expect(ofWork(repeated)).toEqual(["REPLAYED", "PROOF_WEAK"]);
    const none = await call(ws, "tasks_macro_close_step", { task });
    expect(ofWork(none)).toEqual(["PROOF_WEAK"]);
    expect(none.warnings[0]!.message).toMatch(/^s:1 .* was closed without proof of tests/);
  });
});

describe("macro_finish and macro_create_done", () => {
  it("[MACRO-11] finishes and hands over; a second time it only reports", async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    expect(await code(ws, "tasks_macro_finish", { task })).toBe("STEPS_OPEN");
    const canceled = await ok(ws, "tasks_macro_finish", { task, status: "CANCELED", handoff_max_chars: 1200 });
    expect(canceled).toMatchObject({ task, status: "CANCELED", event: { type: "status_changed" } });
    expect(JSON.stringify(canceled["handoff"]).length).toBeLessThanOrEqual(1200);
    for (const path of ["s:0", "s:1"]) await ok(ws, "tasks_close_step", { task, path, checkpoints: "gate" });
    expect(await ok(ws, "tasks_macro_finish", { task })).toMatchObject({
      status: "DONE",
      handoff: { handoff: { remaining: [] } },
    });
    const again = await call(ws, "tasks_macro_finish", { task });
    expect([again.result!["status"], codes(again)]).toEqual(["DONE", ["ALREADY_DONE"]]);
  });

  it("[MACRO-10] records a task of one step as done, or nothing", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const done = await ok(ws, "tasks_macro_create_done", { plan_title: "P", task_title: "T", steps: [step("s")] });
    expect(done).toMatchObject({
      bootstrap: { plan: { created: true }, task: { id: "TASK-001" }, steps: [{ path: "s:0" }] },
      close: { step: { done: true }, events: [{ type: "step_verified" }, { type: "step_done" }] },
      complete: { id: "TASK-001", status: "DONE" },
    });
    for (const steps of [[], [step("a"), step("b")]])
      expect(await code(ws, "tasks_macro_create_done", { plan_title: "Q", task_title: "T", steps })).toBe(
        "INVALID_INPUT",
      );
    const unproved = { ...step("s"), proof: { tests: "require" as const } };
    expect(await code(ws, "tasks_macro_create_done", { plan_title: "Q", task_title: "T", steps: [unproved] })).toBe(
      "PROOF_REQUIRED",
    );
    expect(ids(root)).toEqual(["PLAN-001", "TASK-001"]);
    expect(ws.verify().findings).toEqual([]);
  });
});

describe("macros and tasks that end with their last step", () => {
  it("[MACRO-10] [STEP-79] records a task as done once, where its plan asks for that already", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "P", complete_when_done: true });
    const one = { task_title: "T", steps: [step("s")] };
    for (const input of [
      { plan: "PLAN-001", ...one, idempotency_key: "a" },
      { plan_title: "Q", ...one, idempotency_key: "b" },
    ]) {
      const done = await ok(ws, "tasks_macro_create_done", input);
      expect(done).toMatchObject({
        close: { steps: { total: 1, open: 0, ready: 0 } },
        complete: { kind: "task", title: "T", status: "DONE", event: { type: "task_completed" } },
      });
      const again = await ok(ws, "tasks_macro_create_done", input);
      expect(again).toEqual(done);
    }
    expect(ws.verify().findings).toEqual([]);
  });

  it("[MACRO-6] [STEP-11] [STEP-72] close ordered steps one after the other, count what is left, and complete the task", async () => {
    const ws = openTemp();
    const task = { task_title: "T", steps: [step("a"), step("b")], ordered: true, complete_when_done: true };
    const id = (await ok(ws, "tasks_macro_start", task))["task_id"] as string;
    expect(await code(ws, "tasks_macro_close_step", { task: id, path: "s:1" })).toBe("STEP_WAITS");
    const first = await ok(ws, "tasks_macro_close_step", { task: id, note: "n" });
    expect(first).toMatchObject({ status: "ACTIVE", steps: { total: 2, open: 1, ready: 1 }, step: { path: "s:0" } });
    const last = await ok(ws, "tasks_macro_close_step", { task: id });
    expect(last).toMatchObject({ status: "DONE", steps: { total: 2, open: 0, ready: 0 } });
    expect(last["events"]).toMatchObject([
      { type: "step_verified" },
      { type: "step_done" },
      { type: "task_completed" },
    ]);
    const idle = await call(ws, "tasks_macro_close_step", { task: id });
    expect(idle.result).toMatchObject({ steps: { open: 0 } });
    expect(codes(idle)).toContain("ALREADY_DONE");
  });
});

describe("scaffold", () => {
  it("[TPL-3] makes the plan with the task, both or neither", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    const input = { kind: "task" as const, template: "basic-task", title: "T", plan_title: "P", idempotency_key: "k" };
    const made = await ok(ws, "tasks_scaffold", input);
    expect(made).toMatchObject({ plan: { id: "PLAN-001" }, task: { id: "TASK-001" }, template: { id: "basic-task" } });
    expect(await ok(ws, "tasks_scaffold", input)).toEqual(made);
    expect(await code(ws, "tasks_scaffold", { ...input, idempotency_key: "l", parent: "PLAN-001" })).toBe(
      "INVALID_INPUT",
    );
    expect(await code(ws, "tasks_scaffold", { ...input, idempotency_key: "m", id: "TASK-001" })).toBe("ID_TAKEN");
    expect(await code(ws, "tasks_scaffold", { ...input, idempotency_key: "n", template: "no" })).toBe("UNKNOWN_ID");
    expect(ids(root)).toEqual(["PLAN-001", "TASK-001"]);
  });
});

describe("a task that waits for another one", () => {
  const WAITS = "Waits for TASK-001 (TODO: one)";
  type Told = { radar?: { blockers: string[] }; signals?: { blockers: string[] }; capsule?: Told };
  const said = ({ radar, signals, capsule }: Told): string[][] => [
    ...(radar ? [radar.blockers] : []),
    ...(signals ? [signals.blockers] : []),
    ...(capsule ? said(capsule) : []),
  ];

  it("[VIEW-7] [RESUME-4] the radar says so, also in the resume family and in a macro's answer", async () => {
    const ws = openTemp();
    const plan = (await ok(ws, "tasks_create", { title: "Plan" }))["id"] as string;
    await ok(ws, "tasks_create", { parent: plan, title: "one", steps: [step("a")] });
    const steps = [step("b"), step("c")];
    const began = await ok(ws, "tasks_macro_start", { plan, task_title: "two", depends_on: ["TASK-001"], steps });
    const task = began["task_id"] as string;
    const closed = await ok(ws, "tasks_macro_close_step", { task, checkpoints: "all" });
    const told = [began["resume"], closed["resume"]] as unknown as Told[];
    for (const tool of [
      "tasks_radar",
      "tasks_handoff",
      "tasks_resume",
      "tasks_context_pack",
      "tasks_resume_pack",
      "tasks_resume_super",
      "tasks_snapshot",
    ] as const)
      told.push((await ok(ws, tool, { task })) as unknown as Told);
    for (const answer of told) for (const blockers of said(answer)) expect(blockers).toContain(WAITS);
    const past = (await ok(ws, "tasks_radar", { task, at: 1 })) as unknown as Told;
    expect(past.radar!.blockers).not.toContain(WAITS);
  });
});
