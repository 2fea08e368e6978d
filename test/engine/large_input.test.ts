// @module-tag rotating
import { describe, expect, it } from "vitest";
import { call, logLines, newTask, ok, openTemp } from "../support/workspace.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import type { Workspace } from "../../src/engine/workspace.ts";

const TASK = "TASK-001";
const WRITES = { kind: "write", path: "events.jsonl" } as const;
const steps = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ title: `Step ${i}`, success_criteria: ["it works"] }));

async function prepared(): Promise<Workspace> {
  const ws = openTemp();
  await newTask(ws);
  return ws;
}

/** The tool's first call waits for its validator; afterwards calls made together go out together. */
async function withDisk(): Promise<{ disk: FaultyDisk; ws: Workspace }> {
  const disk = new FaultyDisk();
  const ws = openTemp({ disk });
  await newTask(ws);
  for (const tool of ["tasks_decompose", "tasks_note"]) await ws.callTool(tool, {});
  disk.calls.length = 0;
  return { disk, ws };
}

describe("large input", () => {
  it("[regression ENG-15] 10,000 steps in one call, read back after reopening", async () => {
    const ws = await prepared();
    const reply = await ok(ws, "tasks_decompose", { task: TASK, steps: steps(10_000) });
    expect(reply["revision"]).toBe(2);
    await ws.close();
    const again = openTemp({ root: ws.root });
    await ok(again, "tasks_note", { task: TASK, path: "s:10001", note: "the last one" });
    expect(again.verify().findings).toEqual([]);
  });

  /** 1,000 steps that take so many bytes in all, in a language that takes three to a letter. */
  const long = (bytes: number) =>
    Array.from({ length: 1000 }, (_, i) => ({
      title: `Step ${i}`,
      success_criteria: ["\u8a9e".repeat(Math.floor(bytes / 3000))],
    }));

  it("[STEP-5] steps longer than a line are several events of one op, in order, and are undone as one", async () => {
    const ws = await prepared();
    const reply = await ok(ws, "tasks_decompose", { task: TASK, steps: long(3.5 * 1024 * 1024) });
    expect(reply["revision"]).toBe(2);
    const paths = (reply["steps"] as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(Array.from({ length: 1000 }, (_, i) => `s:${i + 2}`));
    expect(logLines(ws.root).slice(2).length).toBeGreaterThan(1);
    await ws.close();
    const again = openTemp({ root: ws.root });
    const last = { task: TASK, path: "s:1001", note: "the last one" };
    await ok(again, "tasks_undo", { task: TASK });
    expect((await call(again, "tasks_note", { ...last, path: "s:2" })).error?.code).toBe("UNKNOWN_ID");
    await ok(again, "tasks_redo", { task: TASK });
    await ok(again, "tasks_note", last);
    expect(again.verify().findings).toEqual([]);
  });

  it("[TOOL-16] a task comes with steps longer than a line", async () => {
    const ws = openTemp();
    const steps = long(3.5 * 1024 * 1024);
    const reply = await ok(ws, "tasks_create", { kind: "task", title: "Long", steps });
    expect(reply["revision"]).toBe(1);
    expect(reply["steps"]).toHaveLength(1000);
    expect(ws.verify().findings).toEqual([]);
  });

  it("[ENG-1] calls at once that are too large to share a write go one after the other, each once, and small ones behind them", async () => {
    const { disk, ws } = await withDisk();
    const input = { task: TASK, steps: long(3.5 * 1024 * 1024) };
    const note = { task: TASK, note: "small" };
    const replies = await Promise.all([
      call(ws, "tasks_decompose", input),
      call(ws, "tasks_decompose", input),
      call(ws, "tasks_note", note),
    ]);
    expect(replies.map((r) => r.error ?? r.result?.["revision"])).toEqual([2, 3, 4]);
    expect(disk.count(WRITES)).toBe(2);
    expect(ws.verify().findings).toEqual([]);
  });

  it("[ENG-1] [DUR-4] where the write of the first fails, who was refused with it is not written afterwards", async () => {
    const { disk, ws } = await withDisk();
    disk.fail(WRITES, "ENOSPC");
    const input = { task: TASK, steps: long(3.5 * 1024 * 1024) };
    const replies = await Promise.all([call(ws, "tasks_decompose", input), call(ws, "tasks_decompose", input)]);
    expect(replies.map((r) => r.error?.code)).toEqual(["STORAGE_FULL", "STORAGE_FULL"]);
    expect((await ok(ws, "tasks_note", { task: TASK, note: "next" }))["revision"]).toBe(2);
    expect(logLines(ws.root)).toHaveLength(3);
  });

  it("[STEP-5] steps longer than an op are refused, with what to do about it", async () => {
    const ws = await prepared();
    const { error } = await call(ws, "tasks_decompose", { task: TASK, steps: long(4.5 * 1024 * 1024) });
    expect(error).toMatchObject({ code: "OP_TOO_LARGE", recovery: expect.stringContaining("fewer steps") as string });
    expect(logLines(ws.root)).toHaveLength(2);
  });

  it("[regression ENG-15] a tree of steps 100 deep", async () => {
    const ws = await prepared();
    let path = "s:0";
    for (let depth = 1; depth < 100; depth++) {
      await ok(ws, "tasks_decompose", { task: TASK, parent: path, steps: steps(1) });
      path += ".s:0";
    }
    await ok(ws, "tasks_note", { task: TASK, path, note: "deep down" });
    await ws.close();
    const again = openTemp({ root: ws.root });
    await ok(again, "tasks_close_step", { task: TASK, path, checkpoints: "gate" });
    expect(again.verify().findings).toEqual([]);
  });

  it("[regression ENG-15] text of every kind comes back as it was", async () => {
    const ws = await prepared();
    const odd = "\u0000\u0007\u001b[31m \u2028\u2029\ufeff\ufffe <b> & ``` --- \r\n \u{1f680} é e\u0301";
    const reply = await ok(ws, "tasks_note", { task: TASK, note: odd });
    expect(reply["event"]).toMatchObject({ note: odd });
    await ws.close();
    const again = openTemp({ root: ws.root });
    const first = again.log(TASK);
    expect(JSON.stringify(first)).toContain(JSON.stringify(odd).slice(1, -1));
    expect(again.verify().findings).toEqual([]);
  });
});
