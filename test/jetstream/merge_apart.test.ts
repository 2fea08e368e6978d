/** What machines in mode merge did while they were apart meets: nothing keeps one of them from going on. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { droppingProxy, natsServer } from "../support/nats.ts";
import { REVIEW, reviewed, runStage } from "../support/packet_work.ts";
import { newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const MERGE = { durability: "fsync", log: { mode: "merge", timeoutMs: 500 } } as const;

async function synced(...all: Workspace[]): Promise<void> {
  for (const one of [...all, ...all]) await one.shared.sync(WORKSPACE);
}

/** Two machines of one workspace, of which the second can be cut off. */
async function two() {
  const server = await natsServer();
  const proxy = await droppingProxy(server.port);
  const [a] = await machines(server.url, 1, MERGE);
  const b = machine(proxy.url, MERGE);
  const meet = async (): Promise<void> => {
    proxy.heal();
    await expect.poll(() => b.shared.catchUp(WORKSPACE), { timeout: 20_000 }).toBe(true);
    await synced(a!, b);
  };
  return { a: a!, b, proxy, meet };
}

describe("machines in mode merge that were apart", () => {
  it("[regression SHARED-63] take in a transaction about a task that another process of theirs archived, and go on", async () => {
    const { a, b, proxy, meet } = await two();
    for (const id of ["TASK-001", "TASK-002"]) await newTask(a, id);
    await synced(a, b);
    await ok(b, "tasks_note", { task: "TASK-001", note: "in memory" });
    await synced(b, a);
    proxy.drop("both");
    const second = machine(proxy.url, { ...MERGE, root: b.root });
    await ok(second, "tasks_complete", { task: "TASK-001", status: "CANCELED", reason: "dropped" });
    await ok(second, "tasks_archive", { task: "TASK-001" });
    await second.close();
    const blocking = (task: string) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } });
    await ok(a, "tasks_batch", { atomic: true, operations: ["TASK-001", "TASK-002"].map(blocking) });
    await a.shared.sync();
    await meet();
    await ok(a, "tasks_note", { task: "TASK-002", note: "goes on" });
    await synced(a, b);
    expect(notesOf(b.root, "TASK-002")).toEqual(["goes on"]);
    expect(filesOf(b.root)).toEqual(filesOf(a.root));
    for (const one of [a, b]) expect(one.verify().findings.filter(({ info }) => info !== true)).toEqual([]);
  });

  it("[regression SHARED-64] have the outputs and prompts of a stage that each of them ran at the same names", async () => {
    const { a, b, proxy, meet } = await two();
    const id = await reviewed(a);
    for (const one of [a, b, a]) await one.shared.sync(WORKSPACE, { blobs: "all" });
    proxy.drop("both");
    const again = { task: id, stage: "gemini_review", reason: "it was too short" };
    await ok(b, "packet_stage_reopen", again);
    await runStage(b, id, "gemini_review", `${REVIEW}\nof b\n`);
    await ok(a, "packet_stage_reopen", again);
    await ok(a, "packet_input_set", { task: id, path: "context_pack.md", text: "# Context\n\nOf a.\n" });
    await ok(a, "packet_stage_start", { task: id, stage: "gemini_review" });
    await meet();
    const outputs = (one: Workspace) => readdirSync(join(one.root, ".coco/tasks", id, "outputs"));
    expect(outputs(b)).not.toContain("gemini_review.gemini.out");
    for (const one of [a, b, a]) await one.shared.sync(WORKSPACE, { blobs: "all" });
    expect(filesOf(b.root)).toEqual(filesOf(a.root));
    for (const one of [a, b]) expect(one.verify().findings).toEqual([]);
  });

  it("[regression SHARED-66] fold the files of a task that one of them deleted and the other one changed", async () => {
    const { a, b, proxy, meet } = await two();
    await newTask(a, "TASK-001");
    await synced(a, b);
    proxy.drop("both");
    await ok(b, "tasks_delete", { task: "TASK-001" });
    await ok(a, "tasks_edit", { task: "TASK-001", title: "Changed" });
    await a.shared.sync();
    await meet();
    expect(filesOf(b.root)).toEqual(filesOf(a.root));
    expect(Object.entries(filesOf(b.root)).filter(([path]) => path.endsWith("README.md"))).toEqual([
      [".coco/archive/TASK-001/README.md", expect.stringContaining("Changed")],
    ]);
  });

  it("[regression SHARED-66] fold what an earlier process took in and could not fold", async () => {
    const { a, b, proxy } = await two();
    await newTask(a, "TASK-001");
    await synced(a, b);
    proxy.drop("both");
    await ok(a, "tasks_create", { kind: "task", id: "TASK-002", title: "Of a" });
    await ok(b, "tasks_create", { kind: "task", id: "TASK-002", title: "Of b" });
    await a.shared.sync();
    await b.close();
    proxy.heal();
    const disk = new FaultyDisk();
    const folded = /TASK-002-[0-9a-f]{6}.README\.md$/;
    disk.fail({ kind: ["rename", "exchange", "lstat", "open"], path: folded }, "EIO", { times: Infinity });
    const failing = machine(proxy.url, { ...MERGE, root: b.root, disk });
    await failing.shared.sync(WORKSPACE);
    expect(Object.keys(filesOf(b.root)).filter((path) => folded.test(path))).toEqual([]);
    await failing.close();
    const next = machine(proxy.url, { ...MERGE, root: b.root });
    await synced(next, a, next);
    expect(filesOf(next.root)).toEqual(filesOf(a.root));
    expect(next.verify().findings.filter(({ info }) => info !== true)).toEqual([]);
  });
});
