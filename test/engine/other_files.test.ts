import fs, { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Mock } from "vitest";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { Layout } from "../../src/files/layout.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { FolderWatches } from "../../src/files/folder_watches.ts";
import { pollFiles } from "../../src/poll_files.ts";
import { OtherFiles } from "../../src/engine/watch/other_files.ts";
import type { WatchChange, WatchOptions } from "../../src/engine/watch/watch_options.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { watchPolling } from "../../src/hosts/cli/watch_polling.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { newTask, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

onRealDisk();

const OTHER = "OTHER-1";

/** A workspace with a task of ours and a folder of another program, watched. */
async function watched(options: Omit<WatchOptions, "onChange">, disk: Partial<Disk> = {}) {
  const ws = openTemp({ disk: { ...nodeDisk, ...disk } });
  await newTask(ws);
  const path = (file: string): string => join(ws.root, file);
  put(path(`.coco/tasks/${OTHER}/task.yaml`), "state: working\n");
  put(path(".coco/tasks/TASK-001/inputs/plan.md"), "a plan\n");
  put(path("configs/servant/codex.yaml"), "one: 1\n");
  const told: WatchChange[] = [];
  follow(ws, { ...options, onChange: (changes) => told.push(...changes) });
  return { ws, path, told };
}

function follow(ws: Workspace, options: WatchOptions): void {
  const stop = new AbortController();
  const events = ws.watch({ ...options, signal: stop.signal });
  const running = (async () => {
    while (!(await events.next()).done);
  })();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** As many editors save: another file gets the name. */
function save(path: string, text: string): void {
  put(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

function openFiles(ws: Workspace, hinted: () => void): OtherFiles {
  const context = { disk: nodeDisk, layout: new Layout(ws.root), runtime: nodeRuntime };
  const names = () => readdirSync(context.layout.tasks);
  const files = new OtherFiles(context, { polling: false, names }, hinted);
  onTestFinished(() => files.close());
  return files;
}

function looksAt(ws: Workspace): () => string[] {
  const files = openFiles(ws, () => undefined);
  return () => files.look();
}

/** Looks until no hint of what was done before comes any more. */
async function settled(hinted: Mock<() => void>, files: OtherFiles): Promise<void> {
  do {
    hinted.mockClear();
    files.look();
    await setTimeout(100);
  } while (hinted.mock.calls.length > 0);
}

describe("files that other programs write", () => {
  const kinds: [string, string, string][] = [
    ["a file of people", ".coco/tasks/TASK-001/shared/human-notes.md", "TASK-001"],
    ["task.yaml of a folder without a log of ours", `.coco/tasks/${OTHER}/task.yaml`, OTHER],
    ["an input of a packet", ".coco/tasks/TASK-001/inputs/plan.md", "TASK-001"],
    ["a file of configs, for a task with inputs", "configs/servant/codex.yaml", "TASK-001"],
  ];

  it.each(kinds)(
    "[WATCH-8] a watch with `files` tells of %s, written in place and by a rename",
    async (_what, file, id) => {
      const { path, told } = await watched({ files: true });
      for (const write of [writeFileSync, save]) {
        told.length = 0;
        let n = 0;
        // Hints begin a moment after the watch: what is written before them a look finds, and the test waits for no look.
        await vi.waitFor(
          () => {
            write(path(file), `text ${n++}\n`);
            expect(told).toContainEqual({ id, what: "changed" });
          },
          { timeout: 10_000, interval: 50 },
        );
      }
    },
  );

  it("[WATCH-8] a watch without `files`, or without `onChange`, watches none of them", async () => {
    const hints: string[] = [];
    const watch: Disk["watch"] = (path, changed, failed) => (hints.push(path), nodeDisk.watch(path, changed, failed));
    const { ws, path } = await watched({}, { watch });
    follow(ws, { files: true });
    expect(hints).not.toContain(path("configs/servant"));
    follow(ws, { files: true, onChange: () => undefined });
    expect(hints).toContain(path("configs/servant"));
  });

  it("[WATCH-8] each file counts, however many there are, and attachments", async () => {
    const { ws, path } = await watched({});
    const inputs = path(".coco/tasks/TASK-001/inputs");
    for (let n = 0; n < 150; n++) put(join(inputs, `in-${String(n).padStart(3, "0")}.md`), "x");
    put(join(inputs, "attachments/a.md"), "x");
    const look = looksAt(ws);
    for (const file of ["in-000.md", "in-149.md", "attachments/a.md"]) {
      writeFileSync(join(inputs, file), "other");
      expect([file, look()]).toEqual([file, ["TASK-001"]]);
    }
    expect(look()).toEqual([]);
  });

  it("[WATCH-8] task.yaml does not count once there is a log of this engine in its folder", async () => {
    const { ws, path } = await watched({});
    const look = looksAt(ws);
    const task = path(`.coco/tasks/${OTHER}/task.yaml`);
    writeFileSync(task, "state: completed\n");
    expect(look()).toEqual([OTHER]);
    cpSync(path(".coco/tasks/TASK-001/events.jsonl"), path(`.coco/tasks/${OTHER}/events.jsonl`));
    writeFileSync(task, "state: of this engine\n");
    expect(look()).toEqual([]);
  });

  const ways: [string, (file: string) => void][] = [
    ["is moved away and made anew", (file) => (renameSync(file, `${file}~`), put(file, "new"), rmSync(`${file}~`))],
    ["is deleted and comes back", (file) => (rmSync(file), put(file, "new"))],
    ["has its folder replaced", (file) => (rmSync(dirname(file), { recursive: true }), put(file, "new"))],
    ["has two folders replaced", (file) => (rmSync(dirname(dirname(file)), { recursive: true }), put(file, "new"))],
  ];

  it.each(ways)("[WATCH-8] hints go on for a file that %s", async (_what, change) => {
    const { ws, path } = await watched({});
    const file = path("configs/servant/codex.yaml");
    const hinted = vi.fn<() => void>();
    const files = openFiles(ws, hinted);
    const isTold = () => vi.waitFor(() => expect(hinted).toHaveBeenCalled(), { timeout: 10_000, interval: 10 });
    change(file);
    await isTold();
    // Hints of one change may come late: a change is told of once no hint has come for a while.
    for (const text of ["one", "two"]) {
      await settled(hinted, files);
      writeFileSync(file, text);
      await isTold();
    }
  });

  it("[WATCH-8] hints come for a file whose folders are all made later", async () => {
    const { ws, path } = await watched({});
    rmSync(path("configs"), { recursive: true });
    const hinted = vi.fn<() => void>();
    const files = openFiles(ws, hinted);
    for (const step of [
      () => mkdirSync(path("configs")),
      () => mkdirSync(path("configs/servant")),
      () => writeFileSync(path("configs/servant/codex.yaml"), "new"),
    ]) {
      await settled(hinted, files);
      step();
      await vi.waitFor(() => expect(hinted).toHaveBeenCalled(), { timeout: 10_000, interval: 10 });
    }
  });

  it("[WATCH-8] an error that the system tells of a watch ends nothing, and the next look begins anew", async () => {
    const folder = tempFolder();
    const made: fs.FSWatcher[] = [];
    const real = fs.watch;
    const noted = (...args: Parameters<typeof real>): fs.FSWatcher => {
      const watcher = real(...args);
      made.push(watcher);
      return watcher;
    };
    fs.watch = noted as typeof real;
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.watch = real;
      syncBuiltinESMExports();
    });
    const changed = vi.fn<() => void>();
    const files = new FolderWatches(nodeDisk, changed);
    onTestFinished(() => files.close());
    const wanted = new Map([[folder, null]]);
    files.set(wanted);
    expect(made).toHaveLength(1);
    made[0]!.emit("error", Object.assign(new Error("EPERM"), { code: "EPERM" }));
    files.set(wanted);
    expect(made).toHaveLength(2);
    put(join(folder, "a.md"), "x");
    await vi.waitFor(() => expect(changed).toHaveBeenCalled(), { timeout: 20_000 });
  });

  it("[WATCH-8] a watch is on folders alone, and ends with them", () => {
    const folder = tempFolder();
    for (let n = 0; n < 20; n++) put(join(folder, `inputs/${n}.md`), "x");
    const open = new Set<string>();
    const watch: Disk["watch"] = (path) => {
      open.add(path);
      return () => open.delete(path);
    };
    const files = new FolderWatches({ ...nodeDisk, watch }, () => undefined);
    files.set(new Map([folder, join(folder, "inputs")].map((path) => [path, null])));
    expect([...open]).toEqual([folder, join(folder, "inputs")]);
    files.set(new Map([[folder, null]]));
    expect([...open]).toEqual([folder]);
    files.close();
    files.set(new Map([[folder, null]]));
    expect([...open]).toEqual([]);
  });

  it("[WATCH-4] with `polling` no hint of the system is asked for, and files are looked at", ROTATING, async () => {
    const hints: string[] = [];
    const asked = vi.fn<NonNullable<Disk["pollFiles"]>>(() => ({ set: () => undefined, close: () => undefined }));
    const watch: Disk["watch"] = (path, changed, failed) => (hints.push(path), nodeDisk.watch(path, changed, failed));
    const { path, told } = await watched({ files: true, polling: true }, { watch, pollFiles: asked });
    expect(hints.filter((one) => one.includes("tasks"))).toEqual([]);
    expect(asked).toHaveBeenCalledTimes(1);
    writeFileSync(path(`.coco/tasks/${OTHER}/task.yaml`), "state: completed\n");
    await vi.waitFor(() => expect(told).toContainEqual({ id: OTHER, what: "changed" }), { timeout: 10_000 });
  });

  it(
    "[WATCH-4] a file that is polled is told of, also one that comes later",
    { ...ROTATING, timeout: 60_000 },
    async () => {
      const folder = tempFolder();
      const changed = vi.fn<() => void>();
      const files = pollFiles(changed);
      onTestFinished(() => files.close());
      files.set(new Map([[folder, new Set(["later.md"])]]));
      const isTold = () => vi.waitFor(() => expect(changed).toHaveBeenCalled(), { timeout: 20_000 });
      await isTold();
      let n = 0;
      for (const write of [writeFileSync, save]) {
        changed.mockClear();
        const writes = () => write(join(folder, "later.md"), "x".repeat(n++));
        writes();
        const again = setInterval(writes, 5000);
        await isTold().finally(() => clearInterval(again));
      }
    },
  );

  it(
    "[WATCH-4] polling opens no watch of the system, also if CHOKIDAR_USEPOLLING of the environment is 0",
    ROTATING,
    async () => {
      vi.stubEnv("CHOKIDAR_USEPOLLING", "0");
      onTestFinished(() => void vi.unstubAllEnvs());
      const folder = tempFolder();
      const changed = vi.fn<() => void>();
      const files = pollFiles(changed);
      onTestFinished(() => files.close());
      files.set(new Map([[folder, null]]));
      await import("chokidar");
      await setTimeout(200);
      put(join(folder, "a.md"), "x");
      await setTimeout(200);
      expect(changed).not.toHaveBeenCalled();
    },
  );

  it("[WATCH-4] the commands ask for polling by TASKFOLD_WATCH_POLLING", () => {
    expect([undefined, "", "0", "1"].map((TASKFOLD_WATCH_POLLING) => watchPolling({ TASKFOLD_WATCH_POLLING }))).toEqual(
      [false, false, false, true],
    );
    expect(() => watchPolling({ TASKFOLD_WATCH_POLLING: "yes" })).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT" }) as Error,
    );
  });
});
