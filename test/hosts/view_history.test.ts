/** What the history tells of each op: the fields that it wrote, with both values, and the evidence that it captured. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HistoryAnswer, HistoryItem } from "../../src/views/viewer/api.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";

const TASK = "TASK-001";

async function withTask(): Promise<Workspace> {
  const ws = openTemp({ by: "agent:ada" });
  const steps = [{ title: "Old title", success_criteria: ["it parses"], tests: ["npm test"] }];
  await ok(ws, "tasks_create", { title: "Version 2" });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser", description: "Of all samples", steps });
  return ws;
}

async function historyOf(root: string, task = TASK): Promise<HistoryItem[]> {
  return (await read<HistoryAnswer>(viewerOf(root), `entities/${task}/history/0.json`)).ops;
}

/** Label, value before and value after of each change of the last op. */
async function lastOf(ws: Workspace): Promise<unknown[][]> {
  const op = (await historyOf(ws.root)).at(-1)!;
  expect(op.changes_total).toBe(op.changes.length);
  return op.changes.map(({ label, before, after }) => [label, before, after]);
}

describe("what an op wrote", () => {
  it("[VIEWER-9] a claim tells its place, its holder and its end, a release also the reason", async () => {
    const ws = await withTask();
    await ok(ws, "tasks_claim", { task: TASK, path: "s:0", ttl_s: 600 });
    const claimed = await lastOf(ws);
    expect(claimed).toEqual([
      ["s:0 lease.by", null, "agent:ada"],
      ["s:0 lease.expires_at", null, expect.stringMatching(/^\d{4}-.*Z$/)],
    ]);
    await ok(ws, "tasks_claim", { task: TASK, path: "s:0", ttl_s: 1200, fence: 2 });
    expect(await lastOf(ws)).toEqual([["s:0 lease.expires_at", claimed[1]![2], expect.any(String)]]);
    await ok(ws, "tasks_release", { task: TASK, path: "s:0", reason: "lunch" });
    expect(await lastOf(ws)).toEqual([
      ["s:0 lease.by", "agent:ada", null],
      ["s:0 lease.expires_at", expect.any(String), null],
      ["reason", null, "lunch"],
    ]);
  });

  it("[VIEWER-9] the first op tells title, texts and steps, and a section of the Taskdoc both texts, cut to the limit", async () => {
    const ws = await withTask();
    const [created] = await historyOf(ws.root);
    expect(created!.changes).toMatchObject([
      { label: "title", before: null, after: "A parser" },
      { label: "description", before: null, after: "Of all samples" },
      { label: "parent", before: null, after: "PLAN-001" },
      { label: "s:0", before: null, after: "Old title" },
    ]);
    await ok(ws, "change_mind", { task: TASK, selector: "goals", content: "It parses." });
    expect(await lastOf(ws)).toEqual([["taskdoc.tsk/goals.md", "", "It parses."]]);
    await ok(ws, "change_mind", { task: TASK, selector: "goals", content: "x".repeat(5000) });
    const [[label, before, after]] = (await lastOf(ws)) as [[string, string, string]];
    expect([label, before, after.length]).toEqual(["taskdoc.tsk/goals.md", "It parses.", 2000]);
  });

  it("[VIEWER-9] a report tells its text and what it says of each agent", async () => {
    const ws = await withTask();
    await ok(ws, "tasks_report", {
      task: TASK,
      title: "Parsed",
      summary: "All samples parse",
      agents: [{ instance: "ada-1", status: "success", summary: "wrote it" }],
    });
    const told = await lastOf(ws);
    expect(told).toContainEqual(["report.summary", null, "All samples parse"]);
    expect(told).toContainEqual([
      "report ada-1",
      null,
      expect.objectContaining({ status: "success", summary: "wrote it" }),
    ]);
  });

  it("[VIEWER-9] evidence tells of each entry its kind, command, exit code, step and checkpoints", async () => {
    const ws = await withTask();
    const items = [{ kind: "run", command: "npm test", exit_code: 1, stdout: "red\n" }];
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", checkpoint: "tests", items });
    const op = (await historyOf(ws.root)).at(-1)!;
    expect(op).toMatchObject({
      changes: [],
      evidence_total: 1,
      evidence: [
        {
          id: expect.stringMatching(/^cmd-[0-9a-f]{20}-1$/),
          kind: "command-execution",
          command: "npm test",
          exit_code: 1,
          step: "s:0",
          checkpoints: ["tests"],
        },
      ],
    });
  });

  it("[regression VIEWER-112] stages of a packet tell attempt, model, result, gate, reason, outputs and what was paid", async () => {
    const root = tempFolder();
    cpSync(join(ROOT, "test/golden/packet/.coco"), join(root, ".coco"), { recursive: true });
    const ops = [...(await historyOf(root, "TASK-PACKET")), ...(await historyOf(root, "TASK-FAILS"))];
    const told = (type: string): unknown[][] =>
      ops
        .filter(({ events }) => events.includes(type))
        .flatMap(({ changes }) => changes.map(({ label, before, after }) => [label, before, after]));
    expect(told("stage.started")).toContainEqual(["paid_calls", 0, 1]);
    expect(told("stage.started")).toContainEqual([expect.stringMatching(/^\w+ 1 model$/), null, expect.any(String)]);
    const passed = told("stage.passed");
    expect(passed).toContainEqual([expect.stringMatching(/ 1 how$/), null, "passed"]);
    expect(passed).toContainEqual([expect.stringMatching(/ 1 exit_code$/), null, 0]);
    expect(passed).toContainEqual([expect.stringMatching(/ 1 gate$/), null, "passed"]);
    expect(passed).toContainEqual([
      expect.stringMatching(/ 1 files$/),
      [],
      expect.arrayContaining([expect.stringMatching(/^out \(\d+ B, /)]),
    ]);
    expect(told("stage.failed")).toContainEqual([expect.stringMatching(/ gate$/), null, "failed"]);
    expect(ops.filter(({ changes, evidence }) => changes.length + evidence.length === 0)).toEqual([]);
  });

  it("[VIEWER-9] names what an op wrote as it was called then", async () => {
    const ws = await withTask();
    await ok(ws, "tasks_define", { task: TASK, path: "s:0", title: "New title" });
    const ops = await historyOf(ws.root);
    expect(JSON.stringify(ops.slice(0, -1))).not.toContain("New title");
    expect(ops[0]!.changes).toContainEqual(expect.objectContaining({ label: "s:0", before: null, after: "Old title" }));
    expect(ops.at(-1)!.changes).toMatchObject([{ label: "s:0 title", before: "Old title", after: "New title" }]);
  });

  it("[regression VIEWER-114] an undo tells the fields that it restored, and the texts of notes and cards that went or came again", async () => {
    const ws = await withTask();
    await ok(ws, "tasks_note", { task: TASK, path: "s:0", note: "see the grammar" });
    await ok(ws, "tasks_undo", { task: TASK });
    expect(await lastOf(ws)).toEqual([["s:0 note", "see the grammar", null]]);
    await ok(ws, "tasks_redo", { task: TASK });
    expect(await lastOf(ws)).toEqual([["s:0 note", null, "see the grammar"]]);
    await ok(ws, "tasks_think", { task: TASK, decision: "Recursive descent" });
    await ok(ws, "tasks_undo", { task: TASK });
    expect(await lastOf(ws)).toContainEqual(["card Recursive descent", "Recursive descent", null]);
    await ok(ws, "tasks_edit", { task: TASK, title: "A better parser" });
    await ok(ws, "tasks_undo", { task: TASK });
    expect(await lastOf(ws)).toEqual([["title", "A better parser", "A parser"]]);
  });
});
