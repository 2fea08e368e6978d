import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { call, newTask, ok, openTemp } from "../support/workspace.ts";

const create = async (ws: ReturnType<typeof openTemp>, kind: "plan" | "task"): Promise<string> =>
  (await ok(ws, "tasks_create", { kind, title: "One" }))["id"] as string;

describe("ids of new entities", () => {
  it("[ID-1] making one does not list the folders while nobody else changed them", async () => {
    let listed = 0;
    const disk: Disk = {
      ...nodeDisk,
      readdir: (path) => {
        if (path.endsWith("tasks")) listed++;
        return nodeDisk.readdir(path);
      },
    };
    const ws = openTemp({ disk, durability: "os" });
    expect([await create(ws, "task"), await create(ws, "plan"), await create(ws, "task")]).toEqual([
      "TASK-001",
      "PLAN-001",
      "TASK-002",
    ]);
    listed = 0;
    for (let n = 3; n < 9; n++) expect(await create(ws, "task")).toBe(`TASK-00${n}`);
    expect(listed).toBe(0);
  });

  it("[ID-2] numbers of others count, whoever made them and wherever they are now", async () => {
    const ws = openTemp({ durability: "os" });
    expect(await create(ws, "task")).toBe("TASK-001");
    const other = openTemp({ root: ws.root, durability: "os" });
    expect(await create(other, "task")).toBe("TASK-002");
    await ok(other, "tasks_delete", { task: "TASK-002" });
    expect(await create(ws, "task")).toBe("TASK-003");
    await newTask(other, "TASK-040", []);
    expect(await create(ws, "task")).toBe("TASK-041");
    // Two changes in one tick of the file system's clock look like one.
    await new Promise((done) => setTimeout(done, 50));
    mkdirSync(join(ws.root, ".coco", "tasks", "task-050", "agents"), { recursive: true });
    expect(await create(ws, "task")).toBe("TASK-051");
  });

  it("[ID-3] a number that is taken is not given, also when the folder looks as it did", async () => {
    // A file system whose clock stands still: every change falls into one tick.
    const still: Disk = {
      ...nodeDisk,
      stat: (path) => {
        const stat = nodeDisk.stat(path);
        return stat && { ...stat, mtimeMs: 0, ctimeMs: 0 };
      },
    };
    const a = openTemp({ disk: still, durability: "os" });
    const other = openTemp({ root: a.root, disk: still, durability: "os" });
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) ids.push(await create(a, "task"), await create(other, "task"));
    expect(new Set(ids).size).toBe(8);
    await ok(a, "tasks_delete", { task: ids.at(-1)! });
    expect(ids).not.toContain(await create(other, "task"));
    rmSync(join(a.root, ".coco", "registry"), { recursive: true });
    expect((await call(a, "tasks_create", { kind: "task", title: "One" })).error).toBeNull();
  });
});
