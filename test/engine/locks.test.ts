import native from "fs-native-extensions";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { acquire } from "../../src/engine/core/lock.ts";
import { LockfileLocks } from "../../src/engine/locks/lockfile_lock.ts";
import { OsLocks } from "../../src/engine/locks/os_lock.ts";
import { Layout } from "../../src/files/layout.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { describeLocks, describeTakeover } from "../contract/locks.ts";
import { waitingFor } from "../support/waiting_for.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { lockProcess } from "../support/lock_process.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

onRealDisk();

describeLocks("os", (root) => new OsLocks(nodeDisk, new Layout(root), Date.now));
describeLocks("lockfile", openLockfile);
describeTakeover("lockfile", openLockfile, (root, name) => rewriteOwner(root, name, 61_000));

const NAME = "TASK-001";
/** Elsewhere the system does not say when a process began. */
const onLinux = process.platform === "linux";

function openLockfile(root: string): LockfileLocks {
  return lockfileLocks(nodeDisk, root);
}

function lockfileLocks(disk: Disk, root: string): LockfileLocks {
  return new LockfileLocks({ disk, layout: new Layout(root), now: Date.now, runtime: nodeRuntime });
}

function folderOf(root: string, name = NAME): string {
  return join(root, `.coco/locks/${name}.lock.d`);
}

function ownerFile(root: string, name = NAME): string {
  return join(folderOf(root, name), readdirSync(folderOf(root, name))[0]!);
}

/** The owner is on another host now, and has not stirred for so long. */
function rewriteOwner(root: string, name: string, ageMs: number): void {
  const path = ownerFile(root, name);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), host: "elsewhere" }));
  const then = new Date(Date.now() - ageMs);
  utimesSync(path, then, then);
}

describe("a lock of the system", () => {
  it("[DUR-20] is asked for anew, within a second, where somebody cleared the folder of locks", () => {
    const root = tempFolder();
    const layout = new Layout(root);
    let now = 10_000;
    const [first, second] = [1, 2].map(() => new OsLocks(nodeDisk, layout, () => now)) as [OsLocks, OsLocks];
    first.tryAcquire(NAME)!.release();
    rmSync(layout.locks, { recursive: true });
    const theirs = second.tryAcquire(NAME)!;
    now += 1000;
    expect(first.tryAcquire(NAME)).toBeNull();
    theirs.release();
    const own = first.tryAcquire(NAME)!;
    expect(second.tryAcquire(NAME)).toBeNull();
    own.release();
    first.close();
    second.close();
  });

  it("[DUR-22] names the process that holds it, also where another one signed last", ROTATING, async () => {
    const root = tempFolder();
    const locks = new OsLocks(nodeDisk, new Layout(root), () => 1000);
    const [second, third] = await Promise.all([lockProcess("os", root), lockProcess("os", root)]);
    locks.tryAcquire(NAME)!.release();
    await second.tell("acquire", { timeoutMs: 5000 });
    await second.tell("release");
    const lock = locks.tryAcquire(NAME)!;
    const told = await third.tell("acquire", { timeoutMs: 100 });
    expect(told.details).toEqual({ pid: process.pid });
    expect(told.text).toContain(`process ${process.pid} holds it`);
    lock.release();
    expect(await third.tell("acquire", { timeoutMs: 5000 })).toEqual({ ok: true });
    expect(locks.holder(NAME)?.pid).toBe(third.pid);
    await third.tell("release");
    expect(locks.holder(NAME)).toBeUndefined();
    locks.close();
  });

  it("[DUR-22] [DUR-60] says by the range alone since when it is held, and leaves the file empty", async () => {
    const root = tempFolder();
    const path = new Layout(root).lock(NAME);
    const now = Date.UTC(2026, 10, 23, 12, 0, 7);
    const locks = new OsLocks(nodeDisk, new Layout(root), () => now + 999);
    const other = await lockProcess("os", root);
    const lock = locks.tryAcquire(NAME)!;
    const told = await other.tell("acquire", { timeoutMs: 100 });
    expect(told.details).toEqual({ pid: process.pid, held_ms: expect.any(Number) as number });
    expect(locks.holder(NAME)).toEqual({ pid: process.pid, since: now });
    lock.release();
    await other.tell("acquire", { timeoutMs: 5000 });
    const theirs = locks.holder(NAME)!;
    expect(theirs.pid).toBe(other.pid);
    expect(Math.abs(Date.now() - theirs.since!)).toBeLessThan(60_000);
    await other.tell("release");
    expect(readFileSync(path)).toHaveLength(0);
    locks.close();
  });

  it.each([Number.NaN, -1, 0, 1e15, Number.POSITIVE_INFINITY])(
    "[DUR-22] [DUR-60] names its process where the clock says %s",
    (now) => {
      const layout = new Layout(tempFolder());
      const [first, second] = [1, 2].map(() => new OsLocks(nodeDisk, layout, () => now)) as [OsLocks, OsLocks];
      const lock = first.tryAcquire(NAME)!;
      expect(second.tryAcquire(NAME)).toBeNull();
      expect(second.holder(NAME)).toEqual({ pid: process.pid });
      lock.release();
      first.close();
      second.close();
    },
  );

  it("[DUR-22] where all of the file is locked, as systems without ranges do it, names who signed it", () => {
    const root = tempFolder();
    const locks = new OsLocks(nodeDisk, new Layout(root), () => 1000);
    locks.tryAcquire(NAME)!.release();
    const fd = openSync(new Layout(root).lock(NAME), "r+");
    writeSync(fd, "4711 900 ".padEnd(63), 0);
    expect(native.tryLock(fd, 0, 0)).toBe(true);
    expect(locks.tryAcquire(NAME)).toBeNull();
    expect(locks.holder(NAME)).toEqual({ pid: 4711, since: 900 });
    expect(locks.tryAcquire(NAME)).toBeNull();
    closeSync(fd);
    locks.tryAcquire(NAME)!.release();
    locks.close();
  });
});

describe("a lock folder", () => {
  it("[DUR-24] of an owner on another host is left alone until it has not stirred for 60 seconds", () => {
    const root = tempFolder();
    const [one, two] = [openLockfile(root), openLockfile(root)];
    one.tryAcquire(NAME);
    rewriteOwner(root, NAME, 40_000);
    expect(two.tryAcquire(NAME)).toBeNull();
    rewriteOwner(root, NAME, 61_000);
    expect(two.tryAcquire(NAME)).not.toBeNull();
    one.close();
    two.close();
  });

  it.skipIf(!onLinux)(
    "[DUR-24] a machine of the same name is another host, whatever its process numbers say here",
    async () => {
      const root = tempFolder();
      const elsewhere = (path: string, most: number): Buffer =>
        path.endsWith("boot_id") ? Buffer.from("another start\n") : nodeDisk.outside.readFile(path, most);
      const disk = { ...nodeDisk, outside: { ...nodeDisk.outside, readFile: elsewhere } };
      const there = lockfileLocks(disk, root);
      const here = openLockfile(root);
      there.tryAcquire(NAME);
      const path = ownerFile(root);
      const owner = JSON.parse(readFileSync(path, "utf8")) as { pid: number; started: string };
      // No process of that number runs on this machine.
      writeFileSync(path, JSON.stringify({ ...owner, pid: 2 ** 22 + 1 }));
      expect(here.tryAcquire(NAME)).toBeNull();
      writeFileSync(path, JSON.stringify(owner));
      const old = new Date(Date.now() - 61_000);
      utimesSync(path, old, old);
      expect(here.tryAcquire(NAME)).not.toBeNull();
      here.close();
      there.close();
    },
  );

  it("[DUR-24] a dead owner's file is moved to quarantine, not removed", async () => {
    const root = tempFolder();
    const other = await lockProcess("lockfile", root);
    await other.tell("acquire", { timeoutMs: 5000 });
    const written = readFileSync(ownerFile(root), "utf8");
    await other.kill("SIGKILL");
    const locks = openLockfile(root);
    locks.tryAcquire(NAME);
    const quarantine = join(root, ".coco/registry/quarantine");
    const [name, ...more] = readdirSync(quarantine);
    expect(more).toEqual([]);
    expect(name).toBe(`lock-${NAME}-${(JSON.parse(written) as { token: string }).token}`);
    expect(readFileSync(join(quarantine, name!), "utf8")).toBe(written);
    locks.close();
  });

  it("[DUR-24] a number that was given to another process since is no sign of life", () => {
    const root = tempFolder();
    const [one, two] = [openLockfile(root), openLockfile(root)];
    one.tryAcquire(NAME);
    const path = ownerFile(root);
    const owner = JSON.parse(readFileSync(path, "utf8")) as { started: string };
    expect(owner.started).toMatch(onLinux ? /^\d+$/ : /^$/);
    writeFileSync(path, JSON.stringify({ ...owner, started: "1" }));
    const taken = two.tryAcquire(NAME);
    expect(taken !== null).toBe(onLinux);
    one.close();
    two.close();
  });

  it.each([
    ["no owner", undefined],
    ["an owner's file that was not written to its end", '{"token":"ab'],
  ])("[DUR-24] with %s is somebody on the way in, for a second", (_what, text) => {
    const root = tempFolder();
    const folder = folderOf(root);
    mkdirSync(folder, { recursive: true });
    const path = text === undefined ? folder : join(folder, "owner-ab");
    if (text !== undefined) writeFileSync(path, text);
    const locks = openLockfile(root);
    expect(locks.tryAcquire(NAME)).toBeNull();
    const then = new Date(Date.now() - 2000);
    utimesSync(path, then, then);
    expect(locks.tryAcquire(NAME)).not.toBeNull();
    locks.close();
  });

  it.each(["lstat", "readFile"] as const)(
    "[DUR-22] whose owner offers it and takes it back around the %s of another is not robbed",
    (call) => {
      const root = tempFolder();
      const owner = openLockfile(root);
      owner.tryAcquire(NAME)!.release();
      owner.tryAcquire(NAME);
      const held = ownerFile(root);
      const then = new Date(Date.now() - 2000);
      utimesSync(held, then, then);
      let times = 0;
      const offered = join(folderOf(root), basename(held).replace("owner-", "idle-"));
      const around = <T>(path: string, run: () => T): T => {
        if (path !== held || times++ > 0) return run();
        renameSync(held, offered);
        try {
          return run();
        } finally {
          renameSync(offered, held);
        }
      };
      const disk: Disk = {
        ...nodeDisk,
        [call]: (path: string, most: number) => around(path, () => nodeDisk[call](path, most)),
      };
      expect(lockfileLocks(disk, root).tryAcquire(NAME)).toBeNull();
      expect(times).toBeGreaterThan(0);
      expect(existsSync(held)).toBe(true);
      owner.close();
    },
  );

  it("[DUR-22] that the system does not let us read is not a dead one's", () => {
    const root = tempFolder();
    const owner = openLockfile(root);
    owner.tryAcquire(NAME);
    const then = new Date(Date.now() - 2000);
    utimesSync(ownerFile(root), then, then);
    const disk = new FaultyDisk();
    disk.fail({ kind: "readFile", path: /owner-/ }, "EMFILE", { times: 9 });
    expect(lockfileLocks(disk, root).tryAcquire(NAME)).toBeNull();
    expect(openLockfile(root).tryAcquire(NAME)).toBeNull();
    owner.close();
  });

  it("[DUR-26] that the disk does not let us free is freed once it does, though no caller here asks again", () => {
    const root = tempFolder();
    const disk = new FaultyDisk();
    let later: { call: () => void }[] = [];
    const after = (_ms: number, call: () => void): (() => void) => {
      const one = { call };
      later.push(one);
      return () => void (later = later.filter((other) => other !== one));
    };
    const runtime = { ...nodeRuntime, after };
    const owner = new LockfileLocks({ disk, layout: new Layout(root), now: Date.now, runtime });
    const lock = owner.tryAcquire(NAME)!;
    disk.fail({ kind: ["rename", "unlink", "rmdir"], path: /lock\.d/ }, "EACCES", { times: Infinity });
    lock.release();
    for (const { call } of later.splice(0)) call();
    expect(() => owner.tryAcquire(NAME)).toThrow("EACCES");
    expect(openLockfile(root).tryAcquire(NAME)).toBeNull();
    disk.mend();
    for (const { call } of later.splice(0)) call();
    expect(existsSync(folderOf(root))).toBe(false);
    expect(later).toEqual([]);
  });

  it("[DUR-20] that was made by an owner who stood still on the way in, is another's then", () => {
    const root = tempFolder();
    const quick = openLockfile(root);
    let entering: number | undefined;
    const disk: Disk = {
      ...nodeDisk,
      open: (path: string, ...rest) => {
        const fd = nodeDisk.open(path, ...rest);
        if (path.startsWith(folderOf(root))) entering = fd;
        return fd;
      },
      write: (fd: number, ...rest) => {
        const written = nodeDisk.write(fd, ...rest);
        if (fd !== entering) return written;
        entering = undefined;
        // It looks like a process that died here, and one that comes takes the lock.
        const path = ownerFile(root);
        writeFileSync(path, "{");
        const then = new Date(Date.now() - 2000);
        utimesSync(path, then, then);
        expect(quick.tryAcquire(NAME)).not.toBeNull();
        return written;
      },
    };
    expect(lockfileLocks(disk, root).tryAcquire(NAME)).toBeNull();
    expect(quick.holder(NAME)?.pid).toBe(process.pid);
    expect(openLockfile(root).tryAcquire(NAME)).toBeNull();
    quick.close();
  });

  it("[DUR-20] a late owner whose folder was made again by another gets nothing and leaves it as it is", () => {
    const root = tempFolder();
    const late = openLockfile(root);
    const disk = {
      ...nodeDisk,
      // Between making the folder and writing the owner's file, the folder is found empty and made again.
      mkdir: (path: string) => {
        nodeDisk.mkdir(path);
        if (path !== folderOf(root)) return;
        nodeDisk.rmdir(path);
        expect(late.tryAcquire(NAME)).not.toBeNull();
      },
    };
    expect(lockfileLocks(disk, root).tryAcquire(NAME)).toBeNull();
    expect(readdirSync(folderOf(root))).toHaveLength(1);
    expect(openLockfile(root).tryAcquire(NAME)).toBeNull();
    late.close();
    expect(existsSync(folderOf(root))).toBe(false);
  });
});

describe("a burst", () => {
  it("[DUR-26] a freed lock is anybody's at once, whatever the process that freed it does next", async () => {
    const root = tempFolder();
    const [one, two] = [openLockfile(root), openLockfile(root)];
    one.tryAcquire(NAME)!.release();
    const theirs = two.tryAcquire(NAME);
    expect(theirs).not.toBeNull();
    expect(one.tryAcquire(NAME)).toBeNull();
    expect(readdirSync(folderOf(root))).toHaveLength(1);
    one.close();
    expect(openLockfile(root).tryAcquire(NAME)).toBeNull();
    theirs!.release();
    two.close();
    expect(existsSync(folderOf(root))).toBe(false);
    const ws = openTemp({ lock: "lockfile" });
    await newTask(ws);
    await ok(ws, "tasks_note", { task: NAME, note: "x" });
    // Nothing else has had its turn since the reply: no timer, no input.
    const others = openLockfile(ws.root);
    for (const name of [NAME, "workspace"]) expect(others.tryAcquire(name), name).not.toBeNull();
    others.close();
  });

  it("[DUR-26] keeps a freed lock for the next change of the same process, and then lets go", async () => {
    const root = tempFolder();
    const calls: string[] = [];
    const disk = {
      ...nodeDisk,
      mkdir: (path: string) => {
        calls.push(path);
        nodeDisk.mkdir(path);
      },
    };
    const locks = lockfileLocks(disk, root);
    const made = (): number => calls.filter((path) => path === folderOf(root)).length;
    for (let i = 0; i < 40; i++) locks.tryAcquire(NAME)?.release();
    // One folder, unless this process was held up in between.
    expect(made()).toBeLessThan(20);
    while (existsSync(folderOf(root))) await new Promise((done) => setTimeout(done, 5));
    const before = made();
    (await acquire(waitingFor(locks), NAME)).release();
    expect(made()).toBe(before + 1);
    locks.close();
  });

  it("[DUR-26] who writes on and on leaves timers and signals their turn", async () => {
    const ws = openTemp({ lock: "lockfile", durability: "os", projections: "manual" });
    await newTask(ws);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    onTestFinished(() => clearInterval(timer));
    const end = performance.now() + 10_000;
    while (turns < 3 && performance.now() < end) await ok(ws, "tasks_note", { task: NAME, note: "x" });
    expect(turns).toBe(3);
  });

  it("[DUR-26] stands back when somebody else waits", async () => {
    const root = tempFolder();
    const [busy, waiting] = [openLockfile(root), openLockfile(root)];
    let theirs = 0;
    let stop = false;
    const work = (async () => {
      while (!stop) {
        busy.tryAcquire(NAME)?.release();
        await new Promise((done) => setImmediate(done));
      }
    })();
    while (theirs < 3) {
      const lock = waiting.tryAcquire(NAME);
      if (lock) {
        theirs++;
        lock.release();
        waiting.close();
      }
      await new Promise((done) => setTimeout(done, 16));
    }
    stop = true;
    await work;
    expect(theirs).toBe(3);
    busy.close();
  });
});

describe("a disk that fails", () => {
  it("[DUR-20] freeing never throws, not even on a timer; what stayed is ours and serves the next change", async () => {
    const root = tempFolder();
    let broken = false;
    const disk = {
      ...nodeDisk,
      unlink: (path: string) => {
        if (broken) throw Object.assign(new Error("EIO"), { code: "EIO" });
        nodeDisk.unlink(path);
      },
    };
    const locks = lockfileLocks(disk, root);
    locks.tryAcquire(NAME)!.release();
    broken = true;
    await new Promise((done) => setTimeout(done, 30));
    expect(openLockfile(root).tryAcquire(NAME)).toBeNull();
    const again = locks.tryAcquire(NAME);
    expect(again).not.toBeNull();
    broken = false;
    again!.release();
    locks.close();
    expect(existsSync(folderOf(root))).toBe(false);
  });
});
