import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { watchFiles } from "../../src/watch_files.ts";
import type { WatchChange, WatchOptions } from "../../src/engine/watch/watch_options.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { watchPolling } from "../../src/hosts/cli/watch_polling.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { newTask, openTemp } from "../support/workspace.ts";

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

describe("files that other programs write", () => {
  const kinds: [string, string, string][] = [
    ["a file of people", ".coco/tasks/TASK-001/shared/human-notes.md", "TASK-001"],
    ["task.yaml of a folder without a log of ours", `.coco/tasks/${OTHER}/task.yaml`, OTHER],
    ["an input of a packet", ".coco/tasks/TASK-001/inputs/plan.md", "TASK-001"],
    ["a file of configs, for a task with inputs", "configs/servant/codex.yaml", "TASK-001"],
  ];

  it.each(kinds)(
    "[WATCH-12] a watch with `files` tells of %s, written in place and by a rename",
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

  it("[WATCH-12] a watch without `files`, or without `onChange`, watches none of them", async () => {
    const asked = vi.fn<NonNullable<Disk["watchFiles"]>>(() => ({ set: () => undefined, close: () => undefined }));
    const { ws } = await watched({}, { watchFiles: asked });
    follow(ws, { files: true });
    expect(asked).not.toHaveBeenCalled();
    follow(ws, { files: true, onChange: () => undefined });
    expect(asked.mock.calls.map(([options]) => options)).toEqual([{ polling: false }]);
  });

  it("[WATCH-13] with `polling` no hint of the system is asked for, and files are looked at", async () => {
    const hints: string[] = [];
    const asked = vi.fn<NonNullable<Disk["watchFiles"]>>(() => ({ set: () => undefined, close: () => undefined }));
    const watch: Disk["watch"] = (path, changed, failed) => (hints.push(path), nodeDisk.watch(path, changed, failed));
    const { path, told } = await watched({ files: true, polling: true }, { watch, watchFiles: asked });
    expect(hints.filter((one) => one.includes("tasks"))).toEqual([]);
    expect(asked.mock.calls.map(([options]) => options)).toEqual([{ polling: true }]);
    writeFileSync(path(`.coco/tasks/${OTHER}/task.yaml`), "state: completed\n");
    await vi.waitFor(() => expect(told).toContainEqual({ id: OTHER, what: "changed" }), { timeout: 10_000 });
  });

  it.each([false, true])(
    "[WATCH-13] a file is told of with polling %s, also one that comes later",
    { timeout: 60_000 },
    async (polling) => {
      const folder = tempFolder();
      const changed = vi.fn<() => void>();
      const files = watchFiles({ polling }, changed);
      onTestFinished(() => files.close());
      files.set([join(folder, "later.md")]);
      const isTold = () => vi.waitFor(() => expect(changed).toHaveBeenCalled(), { timeout: 20_000 });
      await isTold();
      let n = 0;
      for (const write of [writeFileSync, writeFileSync, save]) {
        changed.mockClear();
        const writes = () => write(join(folder, "later.md"), "x".repeat(n++));
        writes();
        // A change within 50 ms of another is not told.
        const again = setInterval(writes, polling ? 5000 : 200);
        await isTold().finally(() => clearInterval(again));
      }
    },
  );

  it("[WATCH-13] the commands ask for polling by TASKFOLD_WATCH_POLLING", () => {
    expect([undefined, "", "0", "1"].map((TASKFOLD_WATCH_POLLING) => watchPolling({ TASKFOLD_WATCH_POLLING }))).toEqual(
      [false, false, false, true],
    );
    expect(() => watchPolling({ TASKFOLD_WATCH_POLLING: "yes" })).toThrow(
      expect.objectContaining({ code: "INVALID_INPUT" }) as Error,
    );
  });
});
