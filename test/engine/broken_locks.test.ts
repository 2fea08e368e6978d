/** Locks that exclude no process: what two processes do to the same logs and to one entry of the journal, step by step. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { brokenLocks } from "../support/broken_locks.mjs";
import type { Workspace } from "../../src/engine/workspace.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { ROOT } from "../support/source.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { call, code, logPath, newTask, notesOf, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

onRealDisk();

const SECOND = join(ROOT, "test/support/second_writer.mjs");
const STEP = { title: "One", success_criteria: ["it works"], tests: ["npm test"] };
const BOOTSTRAP = { plan_title: "P", task_title: "T", steps: [STEP], idempotency_key: "boot" };
const blocking = (task: string) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } });
const BOTH = {
  atomic: true,
  operations: [blocking("TASK-001"), blocking("TASK-002")],
  idempotency_key: "both",
};
const note = (task: string, text: string) => ({ task, note: text, idempotency_key: text.slice(0, 20) });

/** Another process makes these calls now, and is killed before it changes a path with this text. */
function second(root: string, calls: readonly (readonly [string, object])[], diesAt?: string): void {
  const inputs = calls.map(([tool, input]) => [tool, { workspace: WORKSPACE, ...input }]);
  const args = [SECOND, root, JSON.stringify(inputs), ...(diesAt === undefined ? [] : [diesAt])];
  const { stdout, stderr, signal } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ stdout, stderr, signal }).toEqual(
    diesAt === undefined
      ? { stdout: JSON.stringify(calls.map(() => null)), stderr: "", signal: null }
      : { stdout: "", stderr: "", signal: "SIGKILL" },
  );
}

/** A workspace with these tasks, on a disk that lets another process in. */
async function given(...tasks: string[]): Promise<{ ws: Workspace; root: string; disk: FaultyDisk }> {
  const disk = new FaultyDisk();
  const ws = openTemp({ disk, lockProvider: brokenLocks });
  for (const id of tasks) await newTask(ws, id);
  return { ws, root: ws.root, disk };
}

/** After the next write, and what resolve does after two writers, nothing is left to find. */
async function settled(root: string): Promise<void> {
  const ws = openTemp({ root });
  await newTask(ws, "TASK-900");
  expect(journal(root)).toEqual([]);
  await ws.repair.resolve();
  await ws.repair.rebuild();
  expect(ws.verify().findings.filter(({ info }) => !info)).toEqual([]);
}

function journal(root: string): string[] {
  const folder = join(root, ".coco/registry/journal");
  return existsSync(folder) ? readdirSync(folder) : [];
}

const logOf = (id: string): string => `${id}/events.jsonl`;

describe("a transaction that two processes have at once", () => {
  it("[DUR-61] is not taken back by its writer once another process has begun to finish it", ROTATING, async () => {
    const { ws, root, disk } = await given();
    await newTask(ws, "TASK-100");
    // It makes the plan, and is killed before the task.
    const other = (): void => second(root, [["tasks_note", note("TASK-100", "other")]], "TASK-101");
    disk.meanwhile({ kind: "mkdir", path: "tasks/PLAN-001" }, other);
    const { error } = await call(ws, "tasks_bootstrap", BOOTSTRAP);
    expect(error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason: "TXN_PENDING" } });
    expect(journal(root)).toHaveLength(1);
    const again = await call(ws, "tasks_bootstrap", BOOTSTRAP);
    expect([again.error, again.warnings.map((w) => w.code)]).toEqual([null, ["REPLAYED"]]);
    await settled(root);
    expect(readdirSync(join(root, ".coco/tasks")).toSorted()).toEqual(["PLAN-001", "TASK-100", "TASK-101", "TASK-900"]);
  });

  it("[DUR-61] is finished by no process once its writer has taken it back", async () => {
    const { ws, root, disk } = await given("TASK-001", "TASK-002");
    let entry = Buffer.alloc(0);
    disk.meanwhile({ kind: "write", path: logOf("TASK-001") }, () => {
      const [name] = journal(root);
      entry = readFileSync(join(root, ".coco/registry/journal", name!));
      disk.fail({ kind: "write", path: logOf("TASK-001") }, "ENOSPC");
    });
    const logs = (): string[] => ["TASK-001", "TASK-002"].map((id) => readFileSync(logPath(root, id), "utf8"));
    const before = logs();
    expect(await code(ws, "tasks_batch", BOTH)).toBe("STORAGE_FULL");
    const txn = (JSON.parse(entry.toString("utf8").split("\n")[1]!) as { op: { txn: { id: string } } }).op.txn.id;
    // A process that has read the entry before: it finds the name gone when it begins.
    const late = new FaultyDisk();
    const path = join(root, ".coco/registry/journal", txn);
    writeFileSync(path, entry);
    late.meanwhile({ kind: "rename", path: /journal\/.*begun$/ }, () => renameSync(path, join(root, "taken-back")));
    const finder = openTemp({ root, disk: late, lockProvider: brokenLocks });
    await ok(finder, "tasks_create", { title: "Next" });
    expect([logs(), existsSync(path)]).toEqual([before, false]);
  });

  it("[DUR-61] counts for readers while another process begins to finish it", ROTATING, async () => {
    const { ws, root, disk } = await given("TASK-001", "TASK-002", "TASK-003");
    disk.fail({ kind: "write", path: logOf("TASK-002") }, "EIO");
    expect(await code(ws, "tasks_batch", BOTH)).toBe("UNKNOWN_OUTCOME");
    const looking = new FaultyDisk();
    const other = (): void => second(root, [["tasks_note", note("TASK-003", "other")]], logOf("TASK-002"));
    looking.meanwhile({ kind: "lstat", path: /journal\/[0-9a-f]+$/ }, other);
    const reader = openTemp({ root, disk: looking });
    expect((await ok(reader, "tasks_radar", { task: "TASK-002" }))["steps"]).toMatchObject({ blocked: 1 });
    expect(journal(root)).toEqual([expect.stringMatching(/\.begun$/)]);
    expect(openTemp({ root }).verify().findings).toContainEqual(
      expect.objectContaining({ code: "TXN_PENDING", file: `.coco/registry/journal/${journal(root)[0]!}` }),
    );
    await settled(root);
  });

  it("[TXN-4] finishing it cuts nothing off, so a line that came meanwhile stays", ROTATING, async () => {
    const { ws, root, disk } = await given("TASK-001", "TASK-002");
    disk.cut({ path: logOf("TASK-002") }, 100);
    disk.fail({ kind: "truncate", path: logOf("TASK-002") }, "EIO");
    expect(await code(ws, "tasks_batch", BOTH)).toBe("UNKNOWN_OUTCOME");
    const late = new FaultyDisk();
    const other = (): void => second(root, [["tasks_note", note("TASK-002", "acknowledged")]]);
    late.meanwhile({ kind: ["truncate", "write"], path: logOf("TASK-002") }, other);
    const finder = openTemp({ root, disk: late, lockProvider: brokenLocks });
    await ok(finder, "tasks_note", note("TASK-001", "mine"));
    expect(late.count({ kind: "truncate" })).toBe(0);
    await settled(root);
    expect([notesOf(root, "TASK-002"), notesOf(root, "TASK-001")]).toEqual([["acknowledged"], ["mine"]]);
  });

  it("[TXN-4] half a write of it is gone on with, and leaves no half line", async () => {
    const { ws, root, disk } = await given("TASK-001", "TASK-002");
    disk.cut({ path: logOf("TASK-002") }, 100);
    disk.fail({ kind: "truncate", path: logOf("TASK-002") }, "EIO");
    expect(await code(ws, "tasks_batch", BOTH)).toBe("UNKNOWN_OUTCOME");
    expect(readFileSync(logPath(root, "TASK-002"), "utf8").endsWith("\n")).toBe(false);
    const finder = openTemp({ root, lockProvider: brokenLocks });
    await ok(finder, "tasks_note", note("TASK-001", "mine"));
    expect(finder.verify().findings).toEqual([]);
    expect(journal(root)).toEqual([]);
  });

  it("[TXN-4] its entry stays until a look finds every part, each with its names synced", ROTATING, async () => {
    const { ws, root, disk } = await given();
    await newTask(ws, "TASK-100");
    disk.fail({ kind: "mkdir", path: "tasks/TASK-101" }, "EIO");
    expect(await code(ws, "tasks_bootstrap", BOOTSTRAP)).toBe("UNKNOWN_OUTCOME");
    const late = new FaultyDisk();
    // Another process makes the task first: this one comes too late with its own.
    const other = (): void => second(root, [["tasks_note", note("TASK-100", "other")]]);
    late.meanwhile({ kind: "mkdir", path: "tasks/TASK-101" }, other);
    const finder = openTemp({ root, disk: late, lockProvider: brokenLocks });
    await ok(finder, "tasks_note", note("TASK-100", "mine"));
    expect(journal(root)).toEqual([]);
    const done = late.calls.findIndex(({ kind, path }) => kind === "unlink" && path.includes("journal/"));
    const synced = late.calls.slice(0, done < 0 ? undefined : done).filter(({ kind }) => kind === "syncFolder");
    expect(synced.map(({ path }) => path)).toEqual(
      expect.arrayContaining([join(root, ".coco/tasks"), join(root, ".coco/tasks/TASK-101")]),
    );
    await settled(root);
  });

  it("[TXN-4] a part that goes while another one is put is put again before the entry goes", ROTATING, async () => {
    const { ws, root, disk } = await given();
    await newTask(ws, "TASK-100");
    disk.fail({ kind: "mkdir", path: "tasks/TASK-101" }, "EIO");
    expect(await code(ws, "tasks_bootstrap", BOOTSTRAP)).toBe("UNKNOWN_OUTCOME");
    const [plan] = readdirSync(join(root, ".coco/tasks")).filter((id) => id.startsWith("PLAN-"));
    const late = new FaultyDisk();
    // Another process takes the folder of the plan for one of a dead process, moves it, and dies before it moves it back.
    const other = (): void => renameSync(join(root, ".coco/tasks", plan!), join(root, "aside"));
    late.meanwhile({ kind: "mkdir", path: "tasks/TASK-101" }, other);
    const finder = openTemp({ root, disk: late, lockProvider: brokenLocks });
    await ok(finder, "tasks_note", note("TASK-100", "mine"));
    expect(readFileSync(logPath(root, plan!), "utf8")).toBe(readFileSync(join(root, "aside/events.jsonl"), "utf8"));
    await settled(root);
  });
});

describe("lines that two processes write at once", () => {
  it("[DUR-4] a line that landed behind half a line of a dead process is written again before it is acknowledged", async () => {
    const { ws, root, disk } = await given("TASK-001");
    disk.meanwhile({ kind: "write", path: logOf("TASK-001") }, () => appendFileSync(logPath(root), '{"half'));
    await ok(ws, "tasks_note", note("TASK-001", "mine"));
    const fresh = openTemp({ root });
    expect(JSON.stringify(await ok(fresh, "tasks_history", { task: "TASK-001" }))).toContain("mine");
    await settled(root);
    expect(notesOf(root)).toEqual(["mine"]);
  });

  it.each([
    ["tasks_note", note("TASK-001", "mine")],
    ["tasks_batch", BOTH],
  ] as const)(
    "[DUR-4] a line of another process may come at any look at the log: %s",
    ROTATING,
    async (tool, input) => {
      const { ws, root } = await given("TASK-001", "TASK-002");
      await ws.close();
      const whole = readFileSync(logPath(root)).length;
      const elsewhere = tempFolder();
      cpSync(root, elsewhere, { recursive: true });
      second(elsewhere, [["tasks_note", note("TASK-001", "other")]]);
      const line = readFileSync(logPath(elsewhere)).subarray(whole);
      for (let n = 0, isReached = true; isReached; n++) {
        const copy = tempFolder();
        cpSync(root, copy, { recursive: true });
        const disk = new FaultyDisk();
        const writer = openTemp({ root: copy, disk, lockProvider: brokenLocks });
        await ok(writer, "tasks_note", note("TASK-002", "before"));
        isReached = false;
        const other = (): void => {
          isReached = true;
          appendFileSync(logPath(copy), line);
        };
        disk.meanwhile({ kind: ["lstat", "open", "fstat", "read", "write"], path: logOf("TASK-001") }, other, {
          after: n,
        });
        const { error } = await call(writer, tool, input as never);
        expect(error, `look ${n}`).toBeNull();
        await ok(writer, tool, input as never);
        await settled(copy);
        expect(new Set(notesOf(copy)), `look ${n}`).toEqual(
          new Set([...(isReached ? ["other"] : []), ...(tool === "tasks_note" ? ["mine"] : [])]),
        );
      }
    },
  );

  it.each(["write", "read", "truncate"] as const)(
    "[DUR-4] no line of another process that comes before the %s of a short write goes with it",
    ROTATING,
    async (kind) => {
      const { ws, root, disk } = await given("TASK-001");
      let isTold = false;
      const other = (): void => {
        second(root, [["tasks_note", note("TASK-001", "other")]]);
        isTold = true;
      };
      const armed = (): void => disk.meanwhile({ kind, path: logOf("TASK-001") }, other);
      // Before its end a short write takes no look: what is armed then comes between what takes it back.
      if (kind === "write") armed();
      else disk.meanwhile({ kind: "write", path: logOf("TASK-001") }, armed);
      disk.cut({ path: logOf("TASK-001") }, 50);
      expect(await code(ws, "tasks_note", note("TASK-001", "mine"))).toBe("STORAGE_FULL");
      disk.mend();
      if (!isTold) other();
      await settled(root);
      expect(notesOf(root)).toEqual(["other"]);
    },
  );

  it("[DUR-4] a disk that is full for long leaves half lines alone, and each answer is a definite no", async () => {
    const { ws, root, disk } = await given("TASK-001");
    for (const text of ["one", "two", "three"]) {
      disk.cut({ path: logOf("TASK-001") }, 50);
      expect(await code(ws, "tasks_note", note("TASK-001", text))).toBe("STORAGE_FULL");
    }
    await ok(ws, "tasks_note", note("TASK-001", "two"));
    await settled(root);
    expect(notesOf(root)).toEqual(["two"]);
  });

  it("[DUR-4] a short write stays where a line came behind it, and what holds a whole line is no definite no", async () => {
    const { ws, root, disk } = await given("TASK-001");
    const log = logPath(root);
    const line = readFileSync(log, "utf8").split("\n")[0]!;
    // Both calls share a write, of which the first line comes out.
    const texts = ["a".repeat(300), "b".repeat(300)];
    disk.meanwhile({ kind: "write", path: logOf("TASK-001") }, () => {
      disk.meanwhile({ kind: "fstat", path: logOf("TASK-001") }, () => appendFileSync(log, `\n${line}\n`));
    });
    disk.cut({ path: logOf("TASK-001") }, 1000);
    const codes = await Promise.all(texts.map((text) => code(ws, "tasks_note", note("TASK-001", text))));
    expect(codes).toEqual(["UNKNOWN_OUTCOME", "UNKNOWN_OUTCOME"]);
    for (const text of texts) await ok(ws, "tasks_note", note("TASK-001", text));
    await settled(root);
    expect(notesOf(root)).toEqual(texts);
  });
});

describe("a creation that another process moves aside", () => {
  it.each(["tasks_create", "tasks_bootstrap"] as const)(
    "[DUR-4] %s is no definite no, since the folder may come back",
    async (tool) => {
      const { ws, root, disk } = await given("TASK-100");
      const input = tool === "tasks_create" ? { title: "P", kind: "plan", idempotency_key: "boot" } : BOOTSTRAP;
      const folder = join(root, ".coco/tasks/PLAN-001");
      const aside = join(root, "aside");
      disk.meanwhile({ kind: "write", path: logOf("PLAN-001") }, () => renameSync(folder, aside));
      expect(await code(ws, tool, input as never)).toBe("UNKNOWN_OUTCOME");
      renameSync(aside, folder);
      const again = await call(ws, tool, input as never);
      expect([again.error, again.warnings.map((w) => w.code)]).toEqual([null, ["REPLAYED"]]);
      await settled(root);
      expect(readdirSync(join(root, ".coco/tasks")).filter((id) => id.startsWith("PLAN"))).toEqual(["PLAN-001"]);
    },
  );

  it("[DUR-4] its log stays if another process has written behind it", ROTATING, async () => {
    const { ws, root, disk } = await given("TASK-100");
    const other = (): void => second(root, [["tasks_note", note("TASK-101", "other")]]);
    disk.meanwhile({ kind: "fsync", path: logOf("TASK-101") }, other);
    disk.fail({ kind: "fsync", path: logOf("TASK-101") }, "EIO");
    const input = { title: "T", kind: "task", idempotency_key: "made" } as const;
    expect(await code(ws, "tasks_create", input)).toBe("UNKNOWN_OUTCOME");
    expect(notesOf(root, "TASK-101")).toEqual(["other"]);
    expect((await ok(ws, "tasks_create", input))["id"]).toBe("TASK-101");
    await settled(root);
  });

  it("[DUR-4] a folder that counts right before the move stays where it is", async () => {
    const { root, disk, ws } = await given("TASK-100");
    const folder = join(root, ".coco/tasks/TASK-101");
    mkdirSync(folder);
    const whole = readFileSync(logPath(root, "TASK-100"));
    disk.meanwhile({ kind: "mkdir", path: "registry/journal" }, () =>
      writeFileSync(join(folder, "events.jsonl"), whole),
    );
    await call(ws, "tasks_create", { title: "T", kind: "task", id: "TASK-101" });
    expect(disk.count({ kind: "rename", path: /aside\.TASK-101/ })).toBe(0);
    expect(readFileSync(join(folder, "events.jsonl"))).toEqual(whole);
  });
});

describe("bytes in doubt that two processes bring back", () => {
  it("[regression DUR-65] the second finds them gone, and its call goes on", ROTATING, async () => {
    const { ws, root, disk } = await given("TASK-001");
    const SYNCS = { kind: ["fdatasync", "fdatasyncSync"] as const, path: "events.jsonl" };
    disk.fail(SYNCS, "EIO");
    expect(await code(ws, "tasks_note", note("TASK-001", "doubtful"))).toBe("UNKNOWN_OUTCOME");
    const other = (): void => second(root, [["tasks_note", note("TASK-001", "other")]]);
    disk.meanwhile({ kind: "unlink", path: /unsynced\/TASK-001\// }, other);
    await ok(ws, "tasks_note", note("TASK-001", "mine"));
    await settled(root);
    expect(new Set(notesOf(root))).toEqual(new Set(["doubtful", "other", "mine"]));
  });
});
