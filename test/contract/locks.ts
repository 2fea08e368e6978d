/** What every kind of lock has to do. Other processes run the build in dist. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquire } from "../../src/engine/core/lock.ts";
import type { Lock, LockProvider } from "../../src/engine/core/lock.ts";
import { waitingFor } from "../support/waiting_for.ts";
import { lockProcess } from "../support/lock_process.ts";
import type { LockProcess } from "../support/lock_process.ts";
import { sized, SWEEP } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";

const NAME = "TASK-001";
const PROCESSES = sized(5, 20);

type Kind = "os" | "lockfile";
type Open = (root: string) => LockProvider;

export function describeLocks(kind: Kind, open: Open): void {
  describe(`locks of kind ${kind}`, () => {
    const holdsIn = (locks: LockProvider, name = NAME): Lock => {
      const lock = locks.tryAcquire(name);
      expect(lock).not.toBeNull();
      return lock!;
    };

    it("[DUR-20] exclude each other in one process, by name", async () => {
      const root = tempFolder();
      const [one, two] = [open(root), open(root)];
      const lock = holdsIn(one);
      expect(one.tryAcquire(NAME)).toBeNull();
      expect(two.tryAcquire(NAME)).toBeNull();
      holdsIn(two, "TASK-002").release();
      lock.release();
      const next = await acquire(waitingFor(two), NAME);
      expect(one.tryAcquire(NAME)).toBeNull();
      next.release();
      one.close();
      two.close();
    });

    it("[DUR-20] exclude other processes", async () => {
      const root = tempFolder();
      const other = await lockProcess(kind, root);
      expect(await other.tell("acquire", { timeoutMs: 5000 })).toEqual({ ok: true });
      const locks = open(root);
      expect(locks.tryAcquire(NAME)).toBeNull();
      const waiting = acquire(waitingFor(locks), NAME);
      await other.tell("release");
      (await waiting).release();
      locks.close();
    });

    it("[DUR-20] processes that count a number up in a file lose nothing", SWEEP, async () => {
      const root = tempFolder();
      const file = join(root, "number");
      writeFileSync(file, "0");
      const workers = await Promise.all(Array.from({ length: PROCESSES }, () => lockProcess(kind, root)));
      const told = await Promise.all(workers.map((worker) => worker.tell("count", { file, times: 10 })));
      expect(told.filter(({ ok }) => !ok)).toEqual([]);
      expect(readFileSync(file, "utf8")).toBe(String(10 * PROCESSES));
    });

    it("[DUR-22] a killed process holds nothing", SWEEP, async () => {
      const root = tempFolder();
      const locks = open(root);
      for (let i = 0; i < sized(1, 3); i++) {
        const other = await lockProcess(kind, root);
        await other.tell("acquire", { timeoutMs: 5000 });
        expect(locks.tryAcquire(NAME)).toBeNull();
        await other.kill("SIGKILL");
        holdsIn(locks).release();
        locks.close();
      }
    });

    it("[DUR-22] waiting is bounded, and the refusal names the process that holds it and for how long", async () => {
      const root = tempFolder();
      const since = Date.now();
      const locks = open(root);
      const lock = holdsIn(locks);
      const other = await lockProcess(kind, root);
      const told = await other.tell("acquire", { timeoutMs: 150 });
      expect(told).toMatchObject({ ok: false, code: "LOCK_TIMEOUT", details: { pid: process.pid } });
      expect(told.text).toContain(`process ${process.pid} has held it for `);
      expect(told.details!.held_ms).toBeGreaterThanOrEqual(150);
      // To a second: a lock of the system counts whole ones.
      expect(told.details!.held_ms).toBeLessThanOrEqual(Date.now() - since + 1000);
      lock.release();
      locks.close();
      expect(await other.tell("acquire", { timeoutMs: 5000 })).toEqual({ ok: true });
    });

    it("[DUR-22] [DUR-20] a holder that stands still is waited for, and frees only what is its own", async () => {
      const root = tempFolder();
      const [stalled, second] = await Promise.all([lockProcess(kind, root), lockProcess(kind, root)]);
      await stalled.tell("acquire", { timeoutMs: 5000 });
      await stalled.kill("SIGSTOP");
      expect(await second.tell("acquire", { timeoutMs: 300 })).toMatchObject({ code: "LOCK_TIMEOUT" });
      await stalled.kill("SIGCONT");
      await stalled.tell("release");
      expect(await second.tell("acquire", { timeoutMs: 5000 })).toEqual({ ok: true });
      await freesNothing(open(root), stalled, second);
    });

    it("[DUR-26] closing frees at once what is held or kept", () => {
      const root = tempFolder();
      const [one, two] = [open(root), open(root)];
      holdsIn(one).release();
      holdsIn(one, "TASK-002");
      one.close();
      expect(two.tryAcquire(NAME)).not.toBeNull();
      expect(two.tryAcquire("TASK-002")).not.toBeNull();
      two.close();
    });

    it("[DUR-20] a lock is freed once: the second time does nothing to the next holder", async () => {
      const root = tempFolder();
      const locks = open(root);
      const first = holdsIn(locks);
      first.release();
      const second = await acquire(waitingFor(locks), NAME);
      first.release();
      expect(locks.tryAcquire(NAME)).toBeNull();
      second.release();
      locks.close();
    });
  });
}

/** For kinds that can take a holder for dead: `feignDeath` makes others believe that it has been for long. */
export function describeTakeover(kind: Kind, open: Open, feignDeath: (root: string, name: string) => void): void {
  describe(`a takeover of locks of kind ${kind}`, () => {
    it("[DUR-20] leaves a holder that wakes up nothing to free", async () => {
      const root = tempFolder();
      const [stalled, second] = await Promise.all([lockProcess(kind, root), lockProcess(kind, root)]);
      await stalled.tell("acquire", { timeoutMs: 5000 });
      await stalled.kill("SIGSTOP");
      feignDeath(root, NAME);
      expect(await second.tell("acquire", { timeoutMs: 5000 })).toEqual({ ok: true });
      await stalled.kill("SIGCONT");
      await freesNothing(open(root), stalled, second);
    });
  });
}

/** Whatever `late` frees, `holder` has the lock until it frees it itself. */
async function freesNothing(locks: LockProvider, late: LockProcess, holder: LockProcess): Promise<void> {
  await late.tell("release");
  await late.tell("release");
  await late.tell("close");
  expect(locks.tryAcquire(NAME)).toBeNull();
  expect(locks.holder(NAME)?.pid).toBe(holder.pid);
  await holder.tell("release");
  (await acquire(waitingFor(locks), NAME)).release();
  locks.close();
}
