import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { WORKSPACE_LOCK } from "../../src/engine/core/lock.ts";
import { OsLocks } from "../../src/engine/locks/os_lock.ts";
import { isKnownType } from "../../src/events/index.ts";
import { Layout } from "../../src/files/layout.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import { child } from "../support/child.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { call, code, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

onRealDisk();

function verified(root: string): { ops: number; forked: boolean } {
  const { ops, report } = readOps(bytesSource(readFileSync(logPath(root))), { isKnownType });
  expect(report.problems).toEqual([]);
  return { ops: ops.length, forked: !report.linear };
}

describe("two workspaces of one process on one root", () => {
  it("[ENG-1] take turns: nothing is lost, nothing is torn, the log does not fork", async () => {
    const a = openTemp();
    const id = await newTask(a);
    const b = openTemp({ root: a.root });
    const writes = Array.from({ length: 40 }, (_, i) =>
      ok(i % 2 === 0 ? a : b, "tasks_note", { task: id, note: `note ${i}` }),
    );
    await Promise.all(writes);
    expect(notesOf(a.root).toSorted()).toEqual(Array.from({ length: 40 }, (_, i) => `note ${i}`).toSorted());
    expect(verified(a.root)).toEqual({ ops: 41, forked: false });
    const seen = await Promise.all([a, b].map((ws) => ok(ws, "tasks_radar", { task: id })));
    expect(seen[0]).toEqual(seen[1]);
  });

  it("[ENG-5] of two creations of one id one wins; numbers that are made are never the same", async () => {
    const a = openTemp();
    const b = openTemp({ root: a.root });
    const named = await Promise.all(
      [a, b, a, b].map((ws) => code(ws, "tasks_create", { kind: "task", id: "TASK-007", title: "Mine" })),
    );
    expect(named.map((c) => c ?? "ok").toSorted()).toEqual(["ID_TAKEN", "ID_TAKEN", "ID_TAKEN", "ok"]);
    const made = await Promise.all([a, b, a, b].map((ws) => ok(ws, "tasks_create", { kind: "task", title: "Any" })));
    expect(made.map((r) => r["id"] as string).toSorted()).toEqual(["TASK-008", "TASK-009", "TASK-010", "TASK-011"]);
  });

  it("[DUR-22] waiting ends: LOCK_TIMEOUT names the holder's process and how long it has had the lock, and nothing was written", async () => {
    const a = openTemp();
    const id = await newTask(a);
    const before = readFileSync(logPath(a.root));
    const locks = new OsLocks(nodeDisk, new Layout(a.root), () => Date.now() - 5000);
    const held = locks.tryAcquire(id);
    expect(held).not.toBeNull();
    const waiting = openTemp({ root: a.root, lockTimeoutMs: 30, now: Date.now });
    const reply = await call(waiting, "tasks_note", { task: id, note: "late" });
    expect(reply.error?.code).toBe("LOCK_TIMEOUT");
    expect(reply.error?.details?.["pid"]).toBe(process.pid);
    expect(Number(reply.error?.details?.["held_ms"])).toBeGreaterThanOrEqual(5000);
    expect(reply.error?.message).toContain(`process ${process.pid} has held it for`);
    expect(readFileSync(logPath(a.root))).toEqual(before);
    // Reading waits for nobody.
    await ok(waiting, "tasks_radar", { task: id });
    held?.release();
    await ok(waiting, "tasks_note", { task: id, note: "in time" });
    locks.close();
    expect(notesOf(a.root)).toEqual(["in time"]);
  });

  it("[DUR-22] a clock that stands still or runs backwards neither ends the waiting early nor makes it endless", async () => {
    const a = openTemp();
    const id = await newTask(a);
    const locks = new OsLocks(nodeDisk, new Layout(a.root), Date.now);
    const held = locks.tryAcquire(id);
    let ms = Date.UTC(2026, 5, 1);
    const backwards = openTemp({ root: a.root, lockTimeoutMs: 30, now: () => (ms -= 1000) });
    expect(await code(backwards, "tasks_note", { task: id, note: "late" })).toBe("LOCK_TIMEOUT");
    held?.release();
    locks.close();
  });
});

describe("names of locks", () => {
  it("[regression ID-4] are no ids: a creation holds no other writer up, by any name", async () => {
    const a = openTemp({ lockTimeoutMs: 300 });
    const ids = ["workspace", "kind", "registry", "TASK-files", "files"];
    for (const id of ids) await newTask(a, id);
    const locks = new OsLocks(nodeDisk, new Layout(a.root), Date.now);
    const held = [WORKSPACE_LOCK, ...ids.map((id) => `${id}.files`)].map((name) => locks.tryAcquire(name));
    expect(held).not.toContain(null);
    const quiet = openTemp({ root: a.root, lockTimeoutMs: 300, projections: "manual" });
    for (const task of ids) expect(await code(quiet, "tasks_note", { task, note: "n" })).toBeUndefined();
    expect(await code(a, "tasks_create", { title: "Next" })).toBe("LOCK_TIMEOUT");
    for (const lock of held) lock?.release();
    locks.close();
    for (const id of [".workspace", "TASK-001.files"])
      expect(await code(a, "tasks_create", { title: "Next", id })).toBe("ID_UNSAFE");
  });
});

describe("two processes on one root", () => {
  const writer = (name: string, count: number): string => `
    const ws = openWorkspace({ root, by: "agent:${name}" });
    const failed = [];
    for (let i = 0; i < ${count}; i++) {
      const reply = await call(ws, "tasks_note", { task: "TASK-001", note: "${name} " + i, idempotency_key: "${name} " + i });
      if (reply.error) failed.push(reply.error);
    }
    await ws.close();
    process.send({ failed });
  `;

  it(
    "[ENG-1] write the same task at once: every note is there once, in the order each wrote them",
    ROTATING,
    async () => {
      const ws = openTemp();
      await newTask(ws);
      const done = await Promise.all([child(ws.root, writer("a", 60)), child(ws.root, writer("b", 60))]);
      expect(done).toEqual([{ failed: [] }, { failed: [] }]);
      const notes = notesOf(ws.root);
      expect(notes).toHaveLength(120);
      for (const name of ["a", "b"]) {
        expect(notes.filter((note) => note.startsWith(name))).toEqual(
          Array.from({ length: 60 }, (_, i) => `${name} ${i}`),
        );
      }
      expect(verified(ws.root)).toEqual({ ops: 121, forked: false });
      expect(ws.verify().findings).toEqual([]);
    },
  );

  it.each(["os", "lockfile"] as const)(
    "[DUR-29] that the system kills lose no note that was acknowledged, and free their locks: %s",
    ROTATING,
    async (lock) => {
      const ws = openTemp({ lock });
      await newTask(ws);
      const told = join(ws.root, "told");
      /** Three notes at a time. It is killed right after it has told of the last one, in the middle of others. */
      const killed = (name: string): string => `
        import { appendFileSync } from "node:fs";
        const ws = openWorkspace({ root, by: "agent:${name}", lock: "${lock}" });
        const notes = async (from) => {
          for (let i = from; ; i += 3) {
            const note = "${name} " + i;
            const { error } = await call(ws, "tasks_note", { task: "TASK-001", note, idempotency_key: note });
            appendFileSync(${JSON.stringify(told)}, (error ? error.code : note) + "\\n");
            if (i > 30) process.kill(process.pid, "SIGKILL");
          }
        };
        for (const from of [0, 1, 2]) void notes(from);
      `;
      const ends = await Promise.all(["a", "b"].map((name) => child(ws.root, killed(name))));
      expect(ends).toEqual(["exited: null", "exited: null"]);
      await ok(ws, "tasks_note", { task: "TASK-001", note: "after" });
      const notes = notesOf(ws.root);
      expect(new Set(notes).size).toBe(notes.length);
      const acknowledged = readFileSync(told, "utf8").trimEnd().split("\n");
      expect(acknowledged.length).toBeGreaterThan(60);
      expect(notes).toEqual(expect.arrayContaining(acknowledged));
      expect(verified(ws.root).forked).toBe(false);
    },
  );

  it("[ENG-5] create the same id at once: one wins, the other is told", ROTATING, async () => {
    const root = tempFolder();
    const creator = `
      const ws = openWorkspace({ root });
      const codes = [];
      for (let i = 0; i < 20; i++) {
        const reply = await call(ws, "tasks_create", { kind: "task", id: "job-" + i, title: "Job " + i });
        codes.push(reply.error ? reply.error.code : "ok");
      }
      await ws.close();
      process.send(codes);
    `;
    const [a, b] = (await Promise.all([child(root, creator), child(root, creator)])) as [string[], string[]];
    const pairs = a.map((mine, i) => [mine, b[i]!].toSorted());
    expect(pairs).toEqual(Array.from({ length: 20 }, () => ["ID_TAKEN", "ok"]));
    const found = openTemp({ root }).verify();
    expect(found.findings).toEqual([]);
  });
});
