import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import type { Lock } from "../../src/engine/core/lock.ts";
import { OsLocks } from "../../src/engine/locks/os_lock.ts";
import { keepAside } from "../../src/engine/commit/unsynced.ts";
import type { EngineContext } from "../../src/engine/core/context.ts";
import { isKnownType } from "../../src/events/index.ts";
import { Layout } from "../../src/files/layout.ts";
import { sha256 } from "../../src/log/canonical.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import type { Runtime } from "../../src/runtime.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { LOG, note, quick, withTask } from "../support/faulty_task.ts";
import { onRealDisk, tempFolder } from "../support/temp.ts";
import { call, code, keptIn, logLines, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

onRealDisk();

describe("a sync that fails", () => {
  it("[DUR-5] leaves the outcome unknown and the bytes kept aside; the next writer of any process brings them back", async () => {
    const { disk, ws, log } = await withTask();
    const size = readFileSync(log).length;
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    const reply = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(reply.error).toMatchObject({
      code: "UNKNOWN_OUTCOME",
      details: { reason: "SYNC_FAILED", kept_aside: true },
    });
    const marker = join(ws.root, ".coco/registry/unsynced/TASK-001");
    expect(keptIn(marker)).toContain('"doubtful"');
    // The kernel may drop pages whose sync failed.
    truncateSync(log, size);
    const other = openTemp({ root: ws.root });
    await ok(other, "tasks_note", note("next"));
    expect(existsSync(marker)).toBe(false);
    expect(notesOf(ws.root)).toEqual(["before", "doubtful", "next"]);
  });

  it("[DUR-5] another process brings the bytes back also when it had built on them before they were in doubt", async () => {
    const { disk, ws, passes } = await grouped();
    const other = openTemp({ root: ws.root, disk: quick });
    await ok(other, "tasks_note", note("before"));
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    await ok(ws, "tasks_note", note("doubtful"));
    await ok(other, "tasks_note", note("upon it"));
    const marker = join(ws.root, ".coco/registry/unsynced/TASK-001");
    expect(existsSync(marker)).toBe(false);
    passes();
    expect(existsSync(marker)).toBe(true);
    await ok(other, "tasks_note", note("next"));
    expect(existsSync(marker)).toBe(false);
    expect(notesOf(ws.root)).toEqual(["before", "doubtful", "upon it", "doubtful", "next"]);
  });

  it("[DUR-5] the bytes of a folder that a person deleted go to quarantine, and not into the log of a new task with its id", async () => {
    const { disk, ws } = await withTask();
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("of the first"))).toBe("UNKNOWN_OUTCOME");
    await ws.close();
    rmSync(join(ws.root, ".coco/tasks/TASK-001"), { recursive: true });
    const other = openTemp({ root: ws.root });
    await newTask(other);
    await ok(other, "tasks_note", note("of the second"));
    expect(notesOf(ws.root)).toEqual(["of the second"]);
    expect(existsSync(join(ws.root, ".coco/registry/unsynced/TASK-001"))).toBe(false);
    const folder = join(ws.root, ".coco/registry/quarantine");
    const [name] = readdirSync(folder).filter((one) => one.startsWith("unsynced-TASK-001"));
    expect(readFileSync(join(folder, name!), "utf8")).toContain('"of the first"');
    expect(other.verify().findings.filter((one) => one.code !== "LOG_GONE" && !one.info)).toEqual([]);
  });

  it("[DUR-5] of a transaction keeps also what was answered at level group and waits for its own sync", async () => {
    const disk = new FaultyDisk(quick);
    const ws = openTemp({ disk, durability: "group" });
    await newTask(ws);
    await newTask(ws, "TASK-002");
    const log = logPath(ws.root);
    const size = readFileSync(log).length;
    await ok(ws, "tasks_note", note("answered"));
    disk.fail({ kind: "fdatasync", path: "TASK-001/events.jsonl" }, "EIO");
    const operations = ["TASK-001", "TASK-002"].map((task) => ({
      tool: "tasks_block",
      args: { task, path: "s:0", reason: "r" },
    }));
    expect(await code(ws, "tasks_batch", { atomic: true, operations, idempotency_key: "both" })).toBe(
      "UNKNOWN_OUTCOME",
    );
    // The kernel may drop pages whose sync failed, also those that another process wrote.
    truncateSync(log, size);
    await ok(openTemp({ root: ws.root }), "tasks_note", note("next"));
    expect(notesOf(ws.root)).toEqual(["answered", "next"]);
  });

  it.each([
    ["refuses to close the log, too", "close", LOG, "EIO"],
    ["refuses in words of its own to keep them", "fsync", /unsynced/, null],
  ] as const)("[DUR-97] of lines at level group ends no process if the disk %s", async (_, kind, path, errno) => {
    const { disk, ws, passes } = await grouped();
    await ok(ws, "tasks_note", note("answered"));
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    const inOwnWords = (): never => {
      throw new Error("no room on the tape");
    };
    if (errno) disk.fail({ kind, path }, errno);
    else disk.meanwhile({ kind, path }, inOwnWords);
    passes();
    disk.mend();
    passes();
    expect(keptIn(join(ws.root, ".coco/registry/unsynced/TASK-001"))).toContain('"answered"');
    await ok(ws, "tasks_note", note("next"));
    expect(notesOf(ws.root)).toContain("answered");
  });

  /** Two tasks, by default at level group, of which nothing waits. `later`: syncs whose time has not come. `drop`: what the kernel may do after a failed sync. */
  async function grouped(durability: "group" | "fsync" = "group") {
    const disk = new FaultyDisk(quick);
    const first = openTemp({ disk });
    await newTask(first);
    await newTask(first, "TASK-002");
    await first.close();
    const later: (() => void)[] = [];
    const after: Runtime["after"] = (ms, call, idle) => {
      if (ms !== 20 && ms !== 1000) return nodeRuntime.after(ms, call, idle);
      later.push(call);
      return () => void later.splice(later.indexOf(call), 1);
    };
    const ws = openTemp({ root: first.root, disk, durability, runtime: { ...nodeRuntime, after } });
    const { length: size } = readFileSync(logPath(ws.root));
    const passes = (): void => later.splice(0).forEach((call) => call());
    return { disk, ws, passes, drop: () => truncateSync(logPath(ws.root), size) };
  }

  it("[DUR-5] the same where the sync that fails is that of bytes which another process left in doubt", async () => {
    const { disk, ws, drop } = await grouped();
    const theirs = new FaultyDisk(quick);
    theirs.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    await ok(ws, "tasks_note", note("answered"));
    expect(await code(openTemp({ root: ws.root, disk: theirs }), "tasks_note", note("doubtful"))).toBe(
      "UNKNOWN_OUTCOME",
    );
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("refused"))).toBe("STORAGE_FAILED");
    drop();
    await ok(openTemp({ root: ws.root }), "tasks_note", note("next"));
    expect(new Set(notesOf(ws.root))).toEqual(new Set(["answered", "doubtful", "next"]));
  });

  it("[DUR-5] what waits is kept for a sync that fails, and not because bytes in doubt cannot be appended again", async () => {
    const { disk, ws } = await grouped();
    const theirs = new FaultyDisk(quick);
    theirs.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    await ok(ws, "tasks_note", note("answered"));
    expect(await code(openTemp({ root: ws.root, disk: theirs }), "tasks_note", note("doubtful"))).toBe(
      "UNKNOWN_OUTCOME",
    );
    const folder = join(ws.root, ".coco/registry/unsynced/TASK-001");
    const kept = readdirSync(folder);
    disk.fail({ kind: "write", path: LOG }, "ENOSPC");
    expect(await code(ws, "tasks_note", note("refused"))).toBe("STORAGE_FULL");
    expect(readdirSync(folder)).toEqual(kept);
  });

  it("[DUR-5] the same where the sync that fails is that of a transaction which another process began", async () => {
    const { disk, ws } = await grouped();
    const theirs = new FaultyDisk(quick);
    theirs.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
    await ok(ws, "tasks_note", note("answered"));
    const operations = ["TASK-001", "TASK-002"].map((task) => ({
      tool: "tasks_block",
      args: { task, path: "s:0", reason: "r" },
    }));
    const other = openTemp({ root: ws.root, disk: theirs });
    expect(await code(other, "tasks_batch", { atomic: true, operations })).toBe("UNKNOWN_OUTCOME");
    disk.fail({ kind: "fdatasyncSync", path: "TASK-001/events.jsonl" }, "EIO");
    await ok(ws, "tasks_note", { task: "TASK-002", note: "finishes it" });
    // It went out again, and the sync behind that is one of its own.
    expect(notesOf(ws.root)).toEqual(["answered", "answered"]);
  });

  it("[ENG-2] [DUR-5] of a repeated call keeps the lines of each part that it is answered by", async () => {
    const ws = openTemp({ durability: "os" });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const operations = ["TASK-001", "TASK-002"].map((task) => ({
      tool: "tasks_block",
      args: { task, path: "s:0", reason: "r" },
    }));
    const batch = { atomic: true, operations, idempotency_key: "both" };
    const before = logLines(ws.root).length;
    await ok(ws, "tasks_batch", batch);
    const disk = new FaultyDisk(quick);
    const other = openTemp({ root: ws.root, disk });
    disk.fail({ kind: "fdatasyncSync", path: "TASK-001/events.jsonl" }, "EIO");
    expect(await call(other, "tasks_batch", batch)).toMatchObject({
      error: { code: "UNKNOWN_OUTCOME", details: { reason: "SYNC_FAILED", kept_aside: true } },
    });
    const lines = logLines(ws.root);
    writeFileSync(logPath(ws.root), `${lines.slice(0, before).join("\n")}\n`);
    expect((await call(other, "tasks_batch", batch)).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    expect(logLines(ws.root)).toEqual(lines);
  });

  it.each(["group", "fsync"] as const)(
    "[DUR-97] lines in doubt are held while no file takes them, until a later write or the close keeps them: level %s",
    async (durability) => {
      for (const by of ["write", "close"] as const) {
        const { disk, ws, drop, passes } = await grouped(durability);
        takeNothing(disk, 9);
        const first = await call(ws, "tasks_note", note("first", "k"));
        expect(first.error?.details).toEqual(
          durability === "group" ? undefined : { reason: "SYNC_FAILED", kept_aside: false },
        );
        passes();
        passes();
        expect(await code(ws, "tasks_note", note("refused"))).toBe("STORAGE_FAILED");
        const folder = join(ws.root, ".coco/registry/unsynced/TASK-001");
        expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
        disk.mend();
        drop();
        if (by === "close") await ws.close();
        else await ok(ws, "tasks_note", note("later"));
        await ok(openTemp({ root: ws.root }), "tasks_note", note("next"));
        expect(notesOf(ws.root)).toEqual(by === "close" ? ["first", "next"] : ["first", "later", "next"]);
      }
    },
  );

  /** No sync of a log works, and no file takes what is in doubt. */
  function takeNothing(disk: FaultyDisk, times: number): void {
    disk.fail({ kind: ["fdatasync", "fdatasyncSync"], path: LOG }, "EIO", { times });
    disk.fail({ kind: "rename", path: /unsynced\/TASK-001\/[^.]/ }, "EIO", { times });
  }

  it("[DUR-97] [ENG-2] a repeated call is answered when a file has the lines that its first one left in doubt", async () => {
    const { disk, ws, drop } = await grouped("fsync");
    const block = { tool: "tasks_block", args: { task: "TASK-001", path: "s:0", reason: "r" } };
    const batch = { atomic: true, operations: [block], idempotency_key: "one" };
    takeNothing(disk, 99);
    expect(await code(ws, "tasks_batch", batch)).toBe("UNKNOWN_OUTCOME");
    // The next sync says yes to nothing.
    disk.mend();
    disk.fail({ kind: "rename", path: /unsynced\/TASK-001\/[^.]/ }, "EIO", { times: 99 });
    expect(await code(ws, "tasks_batch", batch)).toBe("UNKNOWN_OUTCOME");
    disk.mend();
    expect((await call(ws, "tasks_batch", batch)).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    drop();
    const other = openTemp({ root: ws.root });
    await ok(other, "tasks_note", note("next"));
    expect(await ok(other, "tasks_radar", { task: "TASK-001" })).toMatchObject({ steps: { blocked: 1 } });
  });

  it("[DUR-97] the same for lines of a transaction which another process began", async () => {
    const { disk, ws } = await grouped("fsync");
    const theirs = new FaultyDisk(quick);
    theirs.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
    const operations = ["TASK-001", "TASK-002"].map((task) => ({
      tool: "tasks_block",
      args: { task, path: "s:0", reason: "r" },
    }));
    const other = openTemp({ root: ws.root, disk: theirs });
    expect(await code(other, "tasks_batch", { atomic: true, operations })).toBe("UNKNOWN_OUTCOME");
    takeNothing(disk, 99);
    expect(await code(ws, "tasks_note", note("refused"))).toBe("STORAGE_FAILED");
    disk.mend();
    await ok(ws, "tasks_note", note("later"));
    expect(notesOf(ws.root)).toEqual(["later"]);
    expect(ws.verify().findings.map((f) => f.code)).not.toContain("TXN_PENDING");
  });

  it("[ENG-2] a repeated call that is answered without a lock has its lines kept first, as long as they are in doubt", async () => {
    const { disk, ws, drop } = await grouped("fsync");
    const block = { tool: "tasks_block", args: { task: "TASK-001", path: "s:0", reason: "r" } };
    const batch = { atomic: true, operations: [block], idempotency_key: "one" };
    disk.fail({ kind: ["fdatasync", "fdatasyncSync"], path: LOG }, "EIO");
    disk.fail({ kind: "fsync", path: /unsynced/ }, "EIO", { times: 2 });
    for (let i = 0; i < 2; i++)
      expect((await call(ws, "tasks_batch", batch)).error?.details).toMatchObject({ kept_aside: false });
    expect((await call(ws, "tasks_batch", batch)).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    // The disk loses what no sync covered.
    drop();
    disk.losePower((path) => path.endsWith(LOG));
    const other = openTemp({ root: ws.root });
    await ok(other, "tasks_note", note("next"));
    expect(await ok(other, "tasks_radar", { task: "TASK-001" })).toMatchObject({ steps: { blocked: 1 } });
  });

  it("[DUR-5] what goes to the archive takes nothing in doubt there: it is written again before the folder moves", async () => {
    const { disk, ws } = await grouped();
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED" });
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    expect(existsSync(join(ws.root, ".coco/archive/TASK-001"))).toBe(true);
    expect(existsSync(join(ws.root, ".coco/registry/unsynced/TASK-001"))).toBe(false);
    expect(ws.verify().findings.map((f) => f.code)).not.toContain("UNSYNCED");
    // Where the disk goes on to refuse, the folder waits.
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "CANCELED" });
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO", { times: 2 });
    expect((await call(ws, "tasks_archive", { task: "TASK-002" })).warnings.map((w) => w.code)).toEqual([
      "PROJECTION_FAILED",
    ]);
    expect(existsSync(join(ws.root, ".coco/archive/TASK-002"))).toBe(false);
    expect(ws.verify().findings.map((f) => f.code)).toEqual(expect.arrayContaining(["UNSYNCED"]));
    await ws.repair.rebuild();
    expect(existsSync(join(ws.root, ".coco/archive/TASK-002"))).toBe(true);
    expect(ws.verify().findings.map((f) => f.code)).not.toContain("UNSYNCED");
  });

  it("[DUR-5] lines of level group are synced in the archive if another process moved their log there", async () => {
    const { disk, ws, passes } = await grouped();
    const other = openTemp({ root: ws.root, durability: "group" });
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED" });
    await ok(other, "tasks_archive", { task: "TASK-001" });
    // A look at the path where it is no more lets go of the open file.
    await ok(ws, "tasks_radar", { target: "TASK-001" });
    passes();
    expect(disk.calls.at(-2)).toMatchObject({
      kind: "fdatasyncSync",
      path: expect.stringContaining("archive/TASK-001"),
    });
    expect(existsSync(join(ws.root, ".coco/registry/unsynced/TASK-001"))).toBe(false);
    const log = join(ws.root, ".coco/archive/TASK-001", LOG);
    const before = readFileSync(log, "utf8");
    await ws.repair.rebuild();
    expect(readFileSync(log, "utf8")).toBe(before);
  });

  it("[DUR-5] rebuild writes again what is in doubt, also of a folder in the archive", async () => {
    const { disk, ws } = await grouped();
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "CANCELED" });
    await ok(ws, "tasks_archive", { task: "TASK-002" });
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    await ok(ws, "tasks_note", note("doubtful"));
    await ws.close();
    const unsynced = join(ws.root, ".coco/registry/unsynced");
    const [name] = readdirSync(join(unsynced, "TASK-001"));
    const log = join(ws.root, ".coco/archive/TASK-002", LOG);
    const line = Buffer.from(`${readFileSync(log, "utf8").trimEnd().split("\n").at(-1)!}\n`);
    mkdirSync(join(unsynced, "TASK-002"));
    writeFileSync(join(unsynced, "TASK-002", sha256(line)), line);
    expect(name).toBeDefined();
    const other = openTemp({ root: ws.root });
    expect(other.verify().findings.filter((f) => f.code === "UNSYNCED")).toHaveLength(2);
    await other.repair.rebuild();
    expect(readdirSync(unsynced)).toEqual([]);
    expect(other.verify().findings.filter((f) => f.code === "UNSYNCED")).toEqual([]);
    expect(notesOf(ws.root)).toContain("doubtful");
  });

  it("[DUR-5] of a transaction that is being finished writes its lines again before the journal's entry goes", async () => {
    const { disk, ws, log } = await withTask();
    await newTask(ws, "TASK-002");
    const blocked = ["TASK-001", "TASK-002"].map((task) => ({
      tool: "tasks_block",
      args: { task, path: "s:0", reason: "r" },
    }));
    const batch = { atomic: true, operations: blocked, idempotency_key: "both" };
    disk.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
    expect(await code(ws, "tasks_batch", batch)).toBe("UNKNOWN_OUTCOME");
    const finding = new FaultyDisk(quick);
    finding.fail({ kind: "fdatasyncSync", path: "TASK-001/events.jsonl" }, "EIO");
    const finder = openTemp({ root: ws.root, disk: finding });
    await ok(finder, "tasks_note", { task: "TASK-002", note: "next" });
    // The kernel may drop the pages whose sync failed: the lines go out again, and that sync is one of their own.
    const lines = readFileSync(log, "utf8").split("\n");
    expect(lines.filter((line) => line.includes('"step.blocked"'))).toHaveLength(2);
    const on = finding.calls.filter(({ path }) => path.endsWith("TASK-001/events.jsonl")).map(({ kind }) => kind);
    expect(on.lastIndexOf("fdatasyncSync")).toBeGreaterThan(on.indexOf("write"));
    expect(await ok(finder, "tasks_radar", { task: "TASK-001" })).toMatchObject({ steps: { blocked: 1 } });
  });

  it("[DUR-5] the same where the sync that fails is that of its name", async () => {
    const { disk, ws, log } = await withTask();
    await newTask(ws, "TASK-002");
    const operations = ["TASK-001", "TASK-002"].map((task) => ({
      tool: "tasks_block",
      args: { task, path: "s:0", reason: "r" },
    }));
    disk.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
    expect(await code(ws, "tasks_batch", { atomic: true, operations })).toBe("UNKNOWN_OUTCOME");
    const finding = new FaultyDisk(quick);
    finding.fail({ kind: "syncFolder", path: /tasks$/ }, "EIO");
    await ok(openTemp({ root: ws.root, disk: finding }), "tasks_note", { task: "TASK-002", note: "next" });
    expect(readFileSync(log, "utf8").match(/"step.blocked"/g)).toHaveLength(2);
  });

  it.each(["SYNC_FAILED", "NOT_READ_BACK"])("[DUR-7] where the file was replaced meanwhile: %s", async (reason) => {
    const { ws: before, log } = await withTask();
    const { root } = before;
    const disk = new FaultyDisk(quick);
    const ws = openTemp({ root, disk, lockTimeoutMs: 30, now: Date.now });
    const locks = new OsLocks(nodeDisk, new Layout(root), Date.now);
    const held: Lock[] = [];
    disk.meanwhile({ kind: "fdatasyncSync", path: LOG }, () => {
      copyFileSync(log, `${log}.new`);
      renameSync(`${log}.new`, log);
      if (reason === "NOT_READ_BACK") held.push(locks.tryAcquire("TASK-001")!);
    });
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO", { after: 1 });
    const { error } = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason } });
    for (const lock of held) lock.release();
    locks.close();
    disk.mend();
    const again = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    expect(new Set(notesOf(root))).toEqual(new Set(["before", "doubtful"]));
  });

  it("[DUR-5] bytes in doubt make no log anew where git has taken it away", async () => {
    const { disk, ws, log } = await withTask();
    const other = openTemp({ root: ws.root, disk: quick });
    await ok(other, "tasks_note", note("known"));
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("doubtful", "k"))).toBe("UNKNOWN_OUTCOME");
    renameSync(log, `${log}.away`);
    expect(await code(other, "tasks_note", note("lost"))).toBe("LOG_UNREADABLE");
    expect(existsSync(log)).toBe(false);
    renameSync(`${log}.away`, log);
    await ok(other, "tasks_note", note("next"));
    expect(new Set(notesOf(ws.root))).toEqual(new Set(["before", "known", "doubtful", "next"]));
  });

  it.each([
    ["kept by the disk", false],
    ["dropped by the disk", true],
  ])("[ENG-2] a retry with the same key applies once: bytes %s", async (_how, dropped) => {
    const { disk, ws, log } = await withTask();
    const size = readFileSync(log).length;
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("doubtful", "k"))).toBe("UNKNOWN_OUTCOME");
    if (dropped) truncateSync(log, size);
    const reply = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(reply.error).toBeNull();
    expect(reply.warnings.map((w) => w.code)).toContain("REPLAYED");
    expect(new Set(notesOf(ws.root))).toEqual(new Set(["before", "doubtful"]));
    const context = await ok(ws, "tasks_context", {});
    expect(JSON.stringify(context)).toContain('"revision":3');
  });

  it("[DUR-5] when nothing can be kept aside either, the reply says so and a retry still applies once", async () => {
    const { disk, ws } = await withTask();
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    for (let i = 0; i < 2; i++) disk.fail({ kind: "rename", path: /unsynced\/TASK-001\/[^.]/ }, "EIO");
    const reply = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(reply.error?.details).toEqual({ reason: "SYNC_FAILED", kept_aside: false });
    await ok(ws, "tasks_note", note("doubtful", "k"));
    // They went out again before the retry was answered.
    expect(notesOf(ws.root)).toEqual(["before", "doubtful", "doubtful"]);
  });

  it("[DUR-5] bytes whose keeping cannot be synced stand aside unsynced: the next writer writes them again before it builds on them", async () => {
    const { disk, ws, log } = await withTask();
    const size = readFileSync(log).length;
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    disk.fail({ kind: "fsync", path: /unsynced/ }, "EIO");
    const reply = await call(ws, "tasks_note", note("doubtful", "k"));
    expect(reply.error?.details).toEqual({ reason: "SYNC_FAILED", kept_aside: false });
    truncateSync(log, size);
    await ok(openTemp({ root: ws.root }), "tasks_note", note("next"));
    expect(existsSync(join(ws.root, ".coco/registry/unsynced/TASK-001"))).toBe(false);
    expect(notesOf(ws.root)).toEqual(["before", "doubtful", "next"]);
  });

  it("[DUR-5] what was written again has a line of its own, also if the power cut leaves zeros where the first bytes were", async () => {
    const { disk, ws, log } = await withTask();
    const size = readFileSync(log).length;
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    await call(ws, "tasks_note", note("doubtful", "k"));
    const doubtful = readFileSync(log).length;
    await ok(openTemp({ root: ws.root }), "tasks_note", note("next"));
    writeFileSync(log, readFileSync(log).fill(0, size, doubtful));
    await ok(openTemp({ root: ws.root }), "tasks_note", note("after the cut"));
    const lines = logLines(ws.root).filter((line) => !line.startsWith("\0"));
    for (const text of ["before", "doubtful", "next", "after the cut"])
      expect(lines.filter((line) => line.includes(`"note":"${text}"`))).toHaveLength(1);
  });

  it("[DUR-5] two processes whose syncs fail leave both their bytes, and one write brings both back", async () => {
    const { disk, ws, log } = await withTask();
    const theirs = new FaultyDisk(quick);
    const other = openTemp({ root: ws.root, disk: theirs });
    const size = readFileSync(log).length;
    for (const one of [disk, theirs]) one.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    // The second finds nothing to write again: the first is still on its way when it looks.
    const folder = join(ws.root, ".coco/registry/unsynced/TASK-001");
    expect(await code(ws, "tasks_note", note("of one"))).toBe("UNKNOWN_OUTCOME");
    renameSync(folder, `${folder}.later`);
    expect(await code(other, "tasks_note", note("of the other"))).toBe("UNKNOWN_OUTCOME");
    for (const name of readdirSync(`${folder}.later`)) renameSync(join(`${folder}.later`, name), join(folder, name));
    truncateSync(log, size);
    await ok(openTemp({ root: ws.root }), "tasks_note", note("next"));
    expect(notesOf(ws.root).toSorted()).toEqual(["before", "next", "of one", "of the other"]);
    expect(existsSync(folder)).toBe(false);
  });

  it("[DUR-5] also where one keeps its bytes in the very moment in which the other does, or a writer takes the folder away", () => {
    const layout = new Layout(tempFolder());
    const folder = join(layout.registry, "unsynced/TASK-001");
    const keep = (disk: Disk, bytes: string): string => {
      const context = { disk, layout } as EngineContext;
      return keepAside(context, "TASK-001", "", Buffer.from(bytes));
    };
    let other: (() => void) | undefined;
    const busy: Disk = {
      ...quick,
      open: (path, flags) => {
        const meanwhile = other;
        other = undefined;
        meanwhile?.();
        return quick.open(path, flags);
      },
    };
    other = () => expect(keep(quick, "of one\n")).toBe("synced");
    expect(keep(busy, "of another\n")).toBe("synced");
    expect(keptIn(folder).split("\n").toSorted()).toEqual(["", "of another", "of one"]);
    rmSync(folder, { recursive: true });
    other = () => rmSync(folder, { recursive: true });
    expect(keep(busy, "of one\n")).toBe("synced");
    expect(keptIn(folder)).toBe("of one\n");
  });

  it("[DUR-5] what a process that was killed had half kept is no write, and is cleared away", async () => {
    const { disk, ws } = await withTask();
    const folder = join(ws.root, ".coco/registry/unsynced/TASK-001");
    disk.fail({ kind: "fdatasyncSync", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("doubtful"))).toBe("UNKNOWN_OUTCOME");
    writeFileSync(join(folder, ".tf-tmp-1-x"), "half a line");
    await ok(ws, "tasks_note", note("next"));
    expect(existsSync(folder)).toBe(false);
    expect(readFileSync(logPath(ws.root), "utf8")).not.toContain("half a line");
  });

  it("[DUR-5] callers that shared the sync share its fate, and all of them can retry", async () => {
    const { disk, ws } = await withTask();
    disk.fail({ kind: ["fdatasync", "fdatasyncSync"], path: LOG }, "EIO");
    const texts = ["a", "b", "c"];
    const codes = await Promise.all(texts.map((text) => code(ws, "tasks_note", note(text, text))));
    expect(codes).toEqual(["UNKNOWN_OUTCOME", "UNKNOWN_OUTCOME", "UNKNOWN_OUTCOME"]);
    for (const text of texts) await ok(ws, "tasks_note", note(text, text));
    expect(new Set(notesOf(ws.root))).toEqual(new Set(["before", ...texts]));
    const { ops, report } = readOps(bytesSource(readFileSync(logPath(ws.root))), { isKnownType });
    expect([ops.length, report.held]).toEqual([5, 0]);
  });
});
