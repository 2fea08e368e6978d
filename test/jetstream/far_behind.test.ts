import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { openWorkspace } from "../../src/testing.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { logPath, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const TASKS = ["TASK-001", "TASK-002", "TASK-003"];

/** More messages than a machine takes in one by one: notes, a transaction, a deletion, an archived task. */
async function muchWork(ws: Workspace): Promise<void> {
  for (const id of TASKS) await newTask(ws, id, ["one", "two"]);
  for (let i = 0; i < 60; i++) await ok(ws, "tasks_note", { task: TASKS[i % 3]!, note: `note ${i}` });
  const blocking = (task: string) => ({ tool: "tasks_block", args: { task, path: "s:1", reason: "waits" } });
  await ok(ws, "tasks_batch", { atomic: true, operations: TASKS.map(blocking) });
  await ok(ws, "tasks_delete", { task: "TASK-003" });
  for (let i = 60; i < 90; i++) await ok(ws, "tasks_note", { task: TASKS[i % 2]!, note: `note ${i}` });
}

/** A disk that counts how often a file of this name is put in place, and appended to. */
function counting(name: string): { disk: Disk; placed: () => number } {
  let placed = 0;
  const rename: Disk["rename"] = (from, to) => {
    if (to.endsWith(name)) placed++;
    nodeDisk.rename(from, to);
  };
  return { disk: { ...nodeDisk, rename }, placed: () => placed };
}

/** A disk that knows how many descriptors of files of this name were open at once. */
function holding(name: string): { disk: Disk; most: () => number } {
  const open = new Set<number>();
  let most = 0;
  const disk: Disk = {
    ...nodeDisk,
    open: (path, flags) => {
      const fd = nodeDisk.open(path, flags);
      if (path.endsWith(name)) open.add(fd);
      most = Math.max(most, open.size);
      return fd;
    },
    close: (fd) => {
      open.delete(fd);
      nodeDisk.close(fd);
    },
  };
  return { disk, most: () => most };
}

describe("a machine that is far behind", () => {
  it("[regression SHARED-38] has the same files in the end, and folds each plan or task once and not for each message", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await muchWork(a!);
    const { disk, placed } = counting("TASK-001/task.yaml");
    const b = machine(server.url, { disk });
    await b.shared.sync(WORKSPACE);
    expect(placed()).toBe(1);
    expect(notesOf(b.root)).toEqual(notesOf(a!.root));
    expect(filesOf(b.root)).toEqual(filesOf(a!.root));
    expect(b.verify().findings).toEqual([]);
    expect((await b.shared.verify()).findings).toEqual([]);
    await ok(b, "tasks_note", { task: "TASK-001", note: "goes on" });
    await a!.shared.sync();
    expect(filesOf(a!.root)).toEqual(filesOf(b.root));
  });

  it("[regression SHARED-38] folds what it took in before the disk refused a log midway", async () => {
    const server = await natsServer();
    const disk = new FaultyDisk();
    const a = machine(server.url);
    const b = machine(server.url, { disk });
    await a.shared.init(WORKSPACE);
    for (const id of TASKS) await newTask(a, id);
    await b.shared.sync(WORKSPACE);
    await b.close();
    for (let i = 0; i < 60; i++) await ok(a, "tasks_note", { task: TASKS[i % 3]!, note: `note ${i}` });
    const again = machine(server.url, { root: b.root, disk });
    disk.fail({ kind: "write", path: logPath(b.root, "TASK-002") }, "ENOSPC");
    await expect(again.shared.sync(WORKSPACE)).rejects.toThrow("ENOSPC");
    expect(notesOf(b.root, "TASK-001")).toHaveLength(20);
    await again.shared.sync(WORKSPACE);
    expect(filesOf(b.root)).toEqual(filesOf(a.root));
  });

  it("[regression SHARED-38] closes the logs that it syncs, and holds no descriptor for each", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    for (let i = 0; i < 55; i++) await newTask(a!, `TASK-${i + 100}`);
    const { disk, most } = holding("/events.jsonl");
    const b = machine(server.url, { disk, durability: "fsync" });
    await b.shared.sync(WORKSPACE);
    await b.close();
    expect(most()).toBeLessThan(20);
  });

  it("[SHARED-16] [regression SHARED-38] takes messages in again without a change, and joins what it wrote alone", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    await muchWork(a!);
    await b!.shared.sync(WORKSPACE);
    await b!.close();
    const before = filesOf(b!.root);
    rmSync(join(b!.root, ".coco/registry"), { recursive: true });
    const again = machine(server.url, { root: b!.root });
    await again.shared.sync();
    expect(filesOf(b!.root)).toEqual(before);
    await again.close();
    const alone = openWorkspace({ root: b!.root, durability: "os" });
    onTestFinished(() => alone.close());
    await ok(alone, "tasks_note", { task: "TASK-001", note: "written alone" });
    await alone.close();
    for (let i = 0; i < 80; i++) await ok(a!, "tasks_note", { task: TASKS[i % 2]!, note: `later ${i}` });
    const back = machine(server.url, { root: b!.root });
    await back.shared.sync();
    await a!.shared.sync();
    expect(notesOf(a!.root)).toContain("written alone");
    expect(filesOf(b!.root)).toEqual(filesOf(a!.root));
    expect(back.verify().findings).toEqual([]);
    expect((await back.shared.verify()).findings).toEqual([]);
  });
});
