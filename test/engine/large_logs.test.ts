// @module-tag long
// @module-tag rotating
/** Logs that a hostile repository may hold: each costs its lines, or is refused alone while the others go on. */
import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { taskEdited } from "../../src/events/task.edited.ts";
import type { SealedOp } from "../../src/log/envelope.ts";
import { MAX_FOREIGN } from "../../src/log/limits.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { child } from "../support/child.ts";
import { PEAK_KIB } from "../support/peak_memory.ts";
import { creation, makeOp, minute, upon } from "../support/logs.ts";
import { call, code, logLines, logPath, newTask, ok, openTemp } from "../support/workspace.ts";

const TASK = "TASK-001";
const OTHER = "TASK-002";
const MIB = 1024 * 1024;

async function twoTasks(): Promise<Workspace> {
  const ws = openTemp();
  await newTask(ws);
  await newTask(ws, OTHER);
  return ws;
}

class Graph {
  readonly root = makeOp(0, { events: [creation("Made.") as never] });
  readonly ops = [this.root];

  op(...on: SealedOp[]): SealedOp {
    const n = this.ops.length;
    const edit = taskEdited.draft({ patch: { title: `title ${n}` }, message: "Edited." });
    const op = makeOp(n, { ...upon(...on), ts: minute(n), events: [edit as never] });
    this.ops.push(op);
    return op;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.ops.map((op) => op.bytes));
  }
}

/** A merge of nearly all heads, and then thousands of branches from it. */
function tangled(): Buffer {
  const graph = new Graph();
  const heads = Array.from({ length: 1500 }, () => graph.op(graph.root));
  const merge = graph.op(...heads.slice(1));
  for (let n = 0; n < 700; n++) graph.op(merge);
  return graph.bytes;
}

/** What every way to the task says, while the other task goes on; and whether its log is as it was. */
async function refusedAlone(ws: Workspace, task: string): Promise<boolean> {
  const before = readFileSync(logPath(ws.root, task));
  expect(await code(ws, "tasks_radar", { task })).toBe("LOG_UNREADABLE");
  expect(await code(ws, "tasks_note", { task, note: "n" })).toBe("LOG_UNREADABLE");
  expect(await ok(ws, "tasks_note", { task: OTHER, note: "n" })).toBeDefined();
  const told = ws.verify().findings.filter((finding) => !finding.info);
  expect(told.map((finding) => [finding.code, finding.file])).toEqual([
    ["LOG_UNREADABLE", `.coco/tasks/${task}/events.jsonl`],
  ]);
  const report = await ws.repair.resolve();
  expect(report.findings.filter((finding) => !finding.info).map((finding) => finding.code)).toContain("LOG_UNREADABLE");
  expect(report.entities).toEqual([]);
  return readFileSync(logPath(ws.root, task)).equals(before);
}

describe("large logs", () => {
  it("[LOG-61] two heads that merge crosswise, thousands of heads, and a merge of thousands fold to what was written", async () => {
    const ws = await twoTasks();
    const graph = new Graph();
    let [a, b] = [graph.op(graph.root), graph.op(graph.root)];
    for (let n = 0; n < 1500; n++) [a, b] = [graph.op(a, b), graph.op(a, b)];
    const heads = Array.from({ length: 1500 }, () => graph.op(a, b));
    writeFileSync(logPath(ws.root, TASK), graph.bytes);
    const { result } = await call(ws, "tasks_radar", { task: TASK });
    expect((result as { target: { title: string } }).target.title).toBe(`title ${graph.ops.length - 1}`);
    graph.op(...heads);
    writeFileSync(logPath(ws.root, TASK), graph.bytes);
    expect(await ok(ws, "tasks_note", { task: TASK, note: "after the merge" })).toMatchObject({ revision: 4505 });
    expect(ws.verify(TASK).events).toBe(4505);
  });

  it("[LOG-61] [VERIFY-9] [RESOLVE-40] a log whose branches know too much of each other is refused alone", async () => {
    const ws = await twoTasks();
    writeFileSync(logPath(ws.root, TASK), tangled());
    expect(await refusedAlone(ws, TASK)).toBe(true);
  });

  it("[LOG-61] [VERIFY-9] [RESOLVE-40] a log with too many lines of other programs is refused alone", async () => {
    const ws = await twoTasks();
    const lines = Array.from(
      { length: MAX_FOREIGN + 1 },
      (_, n) => `{"ts":"2026-01-01T00:00:00Z","type":"x.y","n":${n}}\n`,
    );
    appendFileSync(logPath(ws.root, TASK), lines.join(""));
    expect(await refusedAlone(ws, TASK)).toBe(true);
  });

  it("[LOG-61] thousands of lines of other programs get their places in several ops", async () => {
    const ws = await twoTasks();
    const lines = Array.from({ length: 90_000 }, (_, n) => `{"ts":"2026-01-01T00:00:00Z","type":"x.y","n":${n}}\n`);
    appendFileSync(logPath(ws.root, TASK), lines.join(""));
    for (let n = 0; n < 3; n++) await ok(ws, "tasks_note", { task: TASK, note: `note ${n}` });
    const events = logLines(ws.root).map((line) => JSON.parse(line) as { payload?: { hashes?: string[] } });
    const placed = events.map(({ payload }) => payload?.hashes ?? []);
    expect(placed.map((hashes) => hashes.length).filter((count) => count > 0)).toHaveLength(45);
    expect(placed.flat()).toHaveLength(90_000);
    expect(new Set(placed.flat()).size).toBe(90_000);
  });

  it("[LOG-61] [VERIFY-9] a line of 300 MiB is passed over: nothing of it is held", async () => {
    const ws = await twoTasks();
    const path = logPath(ws.root, TASK);
    truncateSync(path, readFileSync(path).length + 300 * MIB);
    appendFileSync(path, "\n");
    await ws.close();
    const body = `
      ${PEAK_KIB}
      const ws = openWorkspace({ root });
      const before = peakKiB();
      const radar = await call(ws, "tasks_radar", { task: "${TASK}" });
      const note = await call(ws, "tasks_note", { task: "${OTHER}", note: "n" });
      const findings = ws.verify().findings.filter((f) => !f.info).map((f) => f.code);
      const { entities } = await ws.repair.resolve();
      const mebibytes = Math.ceil((peakKiB() - before) / 1024);
      await ws.close();
      process.send({ radar: radar.success, warned: radar.warnings.map((w) => w.code), note: note.success, findings, entities, mebibytes });
    `;
    const said = (await child(ws.root, body)) as { mebibytes: number };
    expect(said).toMatchObject({ radar: true, note: true, findings: ["LOG_UNREADABLE"], entities: [] });
    expect(said).toMatchObject({ warned: ["LOG_DAMAGED"] });
    // A look at a whole file takes 128 MiB at most, and Node some ten to thirty beside it. The line alone has 300.
    expect(said.mebibytes).toBeLessThan(220);
  });
});
