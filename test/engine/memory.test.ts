import fc from "fast-check";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { keptIn, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

/** As long as a slow machine may take. */
const WAIT = { timeout: 60_000, interval: 10 };

/** Every answer of some work. */
function answersOf(root: string, numbers: number[], entitiesInMemory: number): Promise<JsonObject[]> {
  const answers: JsonObject[] = [];
  const work = new RandomWork(root, "memory", { entitiesInMemory });
  return work
    .do(numbers, (reply) => void answers.push(JSON.parse(JSON.stringify(reply)) as JsonObject))
    .then(() => work.ws.close())
    .then(() => answers);
}

describe("what stays in memory", () => {
  it("[regression ENG-61] no answer depends on how much of it does", SWEEP, async () => {
    await fc.assert(
      fc.asyncProperty(anyWork(25), async (numbers) => {
        const some = await inTempFolder((root) => answersOf(root, numbers, 1000));
        for (const few of [0, 1]) expect(await inTempFolder((root) => answersOf(root, numbers, few))).toEqual(some);
      }),
      runsOf(12),
    );
  });

  it("[regression ENG-61] as many as the opening says stay, those that were used last", async () => {
    const read: string[] = [];
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags) => {
        const id = /([^/]+)\/events\.jsonl$/.exec(path)?.[1];
        if (id !== undefined) read.push(id);
        return nodeDisk.open(path, flags);
      },
    };
    const made = openTemp();
    for (const id of ["TASK-1", "TASK-2", "TASK-3"]) await newTask(made, id);
    const ws = openTemp({ root: made.root, disk, entitiesInMemory: 2 });
    const radar = async (n: number): Promise<string[]> => {
      read.length = 0;
      await ok(ws, "tasks_radar", { task: `TASK-${n}` });
      return [...new Set(read)];
    };
    expect(await radar(1)).toEqual(["TASK-1"]);
    expect(await radar(2)).toEqual(["TASK-2"]);
    expect(await radar(1)).toEqual([]);
    expect(await radar(3)).toEqual(["TASK-3"]);
    expect(await radar(1)).toEqual([]);
    expect(await radar(2)).toEqual(["TASK-2"]);
  });

  it("[regression ENG-68] a change that waits for its sync keeps its entity there, and closing syncs it", async () => {
    const disk = new FaultyDisk(nodeDisk);
    const ws = openTemp({ disk, durability: "group", entitiesInMemory: 0, projections: "manual" });
    for (const id of ["TASK-1", "TASK-2"]) await newTask(ws, id);
    const synced = (id: string): number => disk.count({ kind: ["fdatasyncSync"], path: `${id}/events.jsonl` });
    // Their validators load at the first call. On a busy machine the sync may come between two calls: then it is tried again.
    for (const tool of ["tasks_note", "tasks_radar", "tasks_context"]) await ws.callTool(tool, {});
    let before: number;
    do {
      before = synced("TASK-1");
      const { revision } = await ok(ws, "tasks_note", { task: "TASK-1", note: "not synced yet" });
      // Another call's end, after which what was not used last would go.
      await ok(ws, "tasks_radar", { task: "TASK-2" });
      expect((await ok(ws, "tasks_context", {}))["tasks"]).toMatchObject([
        { id: "TASK-1", revision },
        { id: "TASK-2" },
      ]);
    } while (synced("TASK-1") > before);
    expect(new Set(notesOf(ws.root, "TASK-1"))).toEqual(new Set(["not synced yet"]));
    disk.calls.length = 0;
    await ws.close();
    const of = (path: string, kinds: readonly string[]): number =>
      disk.calls.findIndex((one) => one.path.endsWith(path) && kinds.includes(one.kind));
    expect(of("TASK-1/events.jsonl", ["fdatasyncSync"])).toBeGreaterThanOrEqual(0);
    // Not by the clock, but before anything else that closing does.
    expect(of("TASK-1/README.md", ["exchange", "rename"])).toBeGreaterThan(
      of("TASK-1/events.jsonl", ["fdatasyncSync"]),
    );
  });

  it("[regression ENG-68] a sync that fails after its entity could have gone leaves the bytes for the next writer", async () => {
    const disk = new FaultyDisk(nodeDisk);
    const ws = openTemp({ disk, durability: "group", entitiesInMemory: 0, projections: "manual" });
    for (const id of ["TASK-1", "TASK-2"]) await newTask(ws, id);
    disk.fail({ kind: ["fdatasyncSync"], path: "TASK-1/events.jsonl" }, "EIO");
    await ok(ws, "tasks_note", { task: "TASK-1", note: "one" });
    await ok(ws, "tasks_radar", { task: "TASK-2" });
    await vi.waitFor(() => {
      expect(keptIn(join(ws.root, ".coco/registry/unsynced/TASK-1"))).toContain('"one"');
    }, WAIT);
    await ok(ws, "tasks_note", { task: "TASK-1", note: "two" });
    expect([...new Set(notesOf(ws.root, "TASK-1"))]).toEqual(["one", "two"]);
  });

  it("[regression ENG-69] what goes to the archive is synced before its folder moves", async () => {
    const disk = new FaultyDisk(nodeDisk);
    const ws = openTemp({ disk, durability: "group" });
    await newTask(ws, "TASK-1");
    disk.calls.length = 0;
    await ok(ws, "tasks_delete", { task: "TASK-1" });
    const calls = disk.calls.filter(({ path }) => /TASK-1(?:\/events\.jsonl)?$/.test(path)).map(({ kind }) => kind);
    expect(calls.indexOf("rename")).toBeGreaterThan(calls.indexOf("fdatasyncSync"));
    expect(calls.indexOf("fdatasyncSync")).toBeGreaterThan(calls.indexOf("write"));
    await ws.close();
    expect(existsSync(join(ws.root, ".coco/registry/unsynced/TASK-1"))).toBe(false);
  });
});
