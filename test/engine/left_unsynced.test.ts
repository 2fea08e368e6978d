/** A killed process may leave files and folders that it made and did not sync. A process that relies on one syncs it first. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EngineContext } from "../../src/engine/core/context.ts";
import type { Finding } from "../../src/engine/core/finding.ts";
import type { GitPort } from "../../src/engine/core/git_port.ts";
import { restoreBlobs } from "../../src/engine/repair/restore_blobs.ts";
import { Layout } from "../../src/files/layout.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { tempFolder } from "../support/temp.ts";
import { logPath, newTask, ok, openTemp } from "../support/workspace.ts";

/** Makes these folders, as a process does that is killed before it syncs one. */
function killedAfter(disk: FaultyDisk, root: string, ...paths: string[]): void {
  for (const path of paths) disk.mkdir(join(root, path));
}

describe("what a killed process left unsynced", () => {
  it("[DUR-113] [DUR-1] a new plan or task survives a power cut in a folder of tasks that a killed process had made", async () => {
    const { root } = openTemp();
    await newTask(openTemp({ root }), "TASK-001");
    rmSync(join(root, ".coco/tasks"), { recursive: true });
    const disk = new FaultyDisk();
    killedAfter(disk, root, ".coco/tasks");
    await newTask(openTemp({ root, disk }), "TASK-002");
    disk.losePower();
    expect(existsSync(logPath(root, "TASK-002"))).toBe(true);
  });

  it("[DUR-113] [DUR-1] so does one in a folder of tasks that was taken away while the workspace was open", async () => {
    const disk = new FaultyDisk();
    const { root } = openTemp();
    const ws = openTemp({ root, disk });
    await newTask(ws, "TASK-001");
    rmSync(join(root, ".coco/tasks"), { recursive: true });
    await newTask(ws, "TASK-002");
    disk.losePower();
    expect(existsSync(logPath(root, "TASK-002"))).toBe(true);
  });

  it("[DUR-113] the mark of a task whose files are behind survives a power cut in a folder that a killed process had made", async () => {
    const { root } = openTemp();
    await newTask(openTemp({ root }), "TASK-001");
    const [machine = ""] = readdirSync(join(root, ".coco/registry")).filter((name) => name.startsWith("machine-"));
    rmSync(join(root, ".coco/registry"), { recursive: true });
    const disk = new FaultyDisk();
    const own = `.coco/registry/${machine}`;
    killedAfter(disk, root, ".coco/registry", own, `${own}/dirty`);
    await ok(openTemp({ root, disk }), "tasks_note", { task: "TASK-001", note: "behind" });
    // Files that are folded from a log are not synced: the mark alone says that they may be behind.
    disk.losePower();
    const marks = join(root, own, "dirty");
    expect(readdirSync(marks).map((name) => readFileSync(join(marks, name), "utf8"))).toEqual(["\nTASK-001\n"]);
  });

  it("[DUR-113] [GIT-14] bytes that git gives back survive a power cut in folders that a killed process had made", () => {
    const root = tempFolder();
    const disk = new FaultyDisk();
    const folder = ".coco/tasks/TASK-001";
    const blobs = `${folder}/shared/evidence/blobs`;
    const ways = [".coco", ".coco/tasks", folder, `${folder}/shared`, `${folder}/shared/evidence`, blobs];
    killedAfter(disk, root, ...ways);
    disk.syncFolder(root);
    const bytes = Buffer.from("captured");
    const file = `${blobs}/${createHash("sha256").update(bytes).digest("hex")}`;
    const context = { disk, layout: new Layout(root) } as unknown as EngineContext;
    const git = { lastVersion: (path: string) => (path === file ? bytes : undefined) } as unknown as GitPort;
    const finding = { code: "BLOB_MISSING", file } as unknown as Finding;
    expect(restoreBlobs(context, git, [finding]).captured).toEqual([{ id: "TASK-001", files: 1 }]);
    disk.losePower();
    expect(readFileSync(join(root, file))).toEqual(bytes);
  });
});
