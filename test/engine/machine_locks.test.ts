import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { TaskfoldError } from "../../src/errors.ts";
import { nodeDisk } from "../../src/disk.ts";
import { LockfileLocks } from "../../src/engine/locks/lockfile_lock.ts";
import { machineLocks } from "../../src/engine/locks/machine_locks.ts";
import type { LockKind, LockMakers } from "../../src/engine/locks/machine_locks.ts";
import { OsLocks } from "../../src/engine/locks/os_lock.ts";
import type { EngineContext } from "../../src/engine/core/context.ts";
import { Layout } from "../../src/files/layout.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { call, newTask, ok, openTemp } from "../support/workspace.ts";

onRealDisk();

const makers: LockMakers = {
  os: ({ disk, layout, now }) => new OsLocks(disk, layout, now),
  lockfile: (context) => new LockfileLocks(context),
};
/** A machine for which there is no binary of the optional package. */
const withoutOs: LockMakers = {
  ...makers,
  os: () => {
    throw new TaskfoldError("LOCK_UNAVAILABLE", "Expected locks of the operating system, found none.");
  },
};

function worldIn(root: string): EngineContext {
  return { disk: nodeDisk, layout: new Layout(root), now: Date.now, runtime: nodeRuntime } as EngineContext;
}

function kindFile(root: string): string {
  return join(root, ".coco/locks/kind");
}

function fix(root: string, text: string): void {
  mkdirSync(join(root, ".coco/locks"), { recursive: true });
  writeFileSync(kindFile(root), text);
}

describe("the kind of lock of a machine", () => {
  it.each(["mkfifo", "ln -s /dev/zero"])("[DUR-25] is chosen anew where the note of it is no file (%s)", (make) => {
    const root = tempFolder();
    mkdirSync(join(root, ".coco/locks"), { recursive: true });
    expect(spawnSync("sh", ["-c", `${make} "$0"`, kindFile(root)]).status).toBe(0);
    const locks = machineLocks(worldIn(root), "lockfile", makers);
    expect(locks.kind).toBe("lockfile");
    locks.close();
    expect(lstatSync(kindFile(root)).isFile()).toBe(true);
    expect(readFileSync(kindFile(root), "utf8")).toBe("lockfile\n");
  });

  it.each([
    [undefined, makers, "os"],
    ["os", makers, "os"],
    ["lockfile", makers, "lockfile"],
    [undefined, withoutOs, "lockfile"],
    ["lockfile", withoutOs, "lockfile"],
  ] as const)("[DUR-25] wanted %s: the first who locks chooses and writes it down", (wanted, available, expected) => {
    const root = tempFolder();
    expect(machineLocks(worldIn(root), wanted, available).kind).toBe(expected);
    expect(readFileSync(kindFile(root), "utf8")).toBe(`${expected}\n`);
  });

  it.each<[LockKind, LockKind]>([
    ["os", "lockfile"],
    ["lockfile", "os"],
  ])("[DUR-25] %s was chosen: it stays when %s is asked for", (chosen, wanted) => {
    const root = tempFolder();
    fix(root, `${chosen}\n`);
    expect(machineLocks(worldIn(root), wanted).kind).toBe(chosen);
    expect(machineLocks(worldIn(root)).kind).toBe(chosen);
    expect(readFileSync(kindFile(root), "utf8")).toBe(`${chosen}\n`);
  });

  it("[DUR-25] of two who choose at the same time both use the kind of the first", () => {
    const root = tempFolder();
    let first: LockKind | undefined;
    const second = machineLocks(worldIn(root), "os", {
      ...makers,
      os: (context) => {
        first = machineLocks(worldIn(root), "lockfile").kind as LockKind;
        return makers.os(context);
      },
    });
    expect([first, second.kind]).toEqual(["lockfile", "lockfile"]);
  });

  it.each(["", "o", "lockf"])("[DUR-25] a file that its writer did not finish counts as none: %j", (text) => {
    const root = tempFolder();
    fix(root, text);
    expect(machineLocks(worldIn(root), "lockfile").kind).toBe("lockfile");
    expect(readFileSync(kindFile(root), "utf8")).toBe("lockfile\n");
  });

  it.each([
    ["os\n", withoutOs],
    ["flock2\n", makers],
  ])("[DUR-25] %j that does not work here is refused, and nothing is written", (text, available) => {
    const root = tempFolder();
    fix(root, text);
    expect(() => machineLocks(worldIn(root), undefined, available)).toThrow(
      expect.objectContaining({ code: "LOCK_UNAVAILABLE" }),
    );
    expect(() => machineLocks(worldIn(root), "lockfile", available)).toThrow(
      expect.objectContaining({ code: "LOCK_UNAVAILABLE" }),
    );
    expect(readFileSync(kindFile(root), "utf8")).toBe(text);
  });

  it("[DUR-25] openWorkspace takes the kind for a root that has none; reading chooses nothing", async () => {
    const ws = openTemp({ lock: "lockfile" });
    await call(ws, "tasks_context", {});
    expect(existsSync(join(ws.root, ".coco"))).toBe(false);
    await newTask(ws);
    expect(readFileSync(kindFile(ws.root), "utf8")).toBe("lockfile\n");
    const other = openTemp({ root: ws.root, lock: "os" });
    await ok(other, "tasks_note", { task: "TASK-001", note: "by the same kind" });
    expect(existsSync(join(ws.root, ".coco/locks/TASK-001.lock"))).toBe(false);
  });

  it("[DUR-26] closing a workspace frees its locks", async () => {
    const ws = openTemp({ lock: "lockfile" });
    await newTask(ws);
    const busy = ws.call("tasks_note", { workspace: "acme/repo", task: "TASK-001", note: "last" });
    await ws.close();
    await busy;
    expect(existsSync(join(ws.root, ".coco/locks/TASK-001.lock.d"))).toBe(false);
    expect(existsSync(join(ws.root, ".coco/locks/workspace.lock.d"))).toBe(false);
  });
});

it("[DIR-50] a link in the place of a lock is refused and not followed, also where the lock was open", () => {
  const root = tempFolder();
  const { disk, layout } = worldIn(root);
  let now = 10_000;
  const locks = new OsLocks(disk, layout, () => now);
  locks.tryAcquire("TASK-001")!.release();
  rmSync(layout.lock("TASK-001"));
  const elsewhere = join(root, "elsewhere");
  writeFileSync(elsewhere, "theirs");
  symlinkSync(elsewhere, layout.lock("TASK-001"));
  now += 1000;
  expect(locks.tryAcquire("TASK-001")).toBeNull();
  expect(() => locks.tryAcquire("TASK-001")).toThrow(expect.objectContaining({ code: "PATH_UNSAFE" }));
  expect(readFileSync(elsewhere, "utf8")).toBe("theirs");
  locks.close();
});
