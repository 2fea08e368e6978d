import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { heldSyncs } from "../support/held_syncs.ts";
import { onRealDisk } from "../support/temp.ts";
import { call, code, keptIn, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

onRealDisk();

const SYNCS = { kind: ["fdatasync", "fdatasyncSync"] as const, path: "events.jsonl" };

async function withTask(options: Partial<WorkspaceOptions> = {}) {
  const disk = new FaultyDisk();
  const ws = openTemp({ disk, ...options });
  await newTask(ws);
  return { disk, ws, log: logPath(ws.root) };
}

describe("a change whose outcome is unknown", () => {
  const edit = { task: "TASK-001", description: "in doubt", idempotency_key: "one" };
  const saysSo = (root: string): boolean =>
    readFileSync(join(root, ".coco/tasks/TASK-001/README.md"), "utf8").includes("in doubt");

  it.each(["the repeated call", "the next process"])(
    "[regression DUR-116] %s writes the files that show it",
    async (who) => {
      const { disk, ws } = await withTask();
      disk.fail(SYNCS, "EIO");
      expect(await code(ws, "tasks_edit", edit)).toBe("UNKNOWN_OUTCOME");
      disk.mend();
      expect(saysSo(ws.root)).toBe(false);
      if (who === "the repeated call") await ok(ws, "tasks_edit", edit);
      await ws.close();
      if (who === "the next process") await newTask(openTemp({ root: ws.root }), "TASK-002");
      expect(saysSo(ws.root)).toBe(true);
    },
  );

  it("[regression DUR-116] so does the repeated call that made a task", async () => {
    const { disk, ws } = await withTask();
    const input = { id: "TASK-002", kind: "task", title: "Two", idempotency_key: "two" } as const;
    disk.fail({ kind: ["read"], path: "TASK-002/events.jsonl" }, "EIO", { after: 1, times: 99 });
    expect(await code(ws, "tasks_create", input)).toBe("UNKNOWN_OUTCOME");
    disk.mend();
    await ok(ws, "tasks_create", input);
    expect(readFileSync(join(ws.root, ".coco/tasks/TASK-002/README.md"), "utf8")).toContain("Two");
  });
});

describe("levels of durability", () => {
  it("[DUR-1] at fsync each change is synced before it is acknowledged", async () => {
    const { disk, ws } = await withTask();
    for (let i = 1; i <= 3; i++) {
      await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${i}` });
      expect(disk.count(SYNCS)).toBe(i);
    }
    const order = disk.calls.filter(({ path }) => path.endsWith("events.jsonl")).map(({ kind }) => kind);
    expect(order.lastIndexOf("fdatasyncSync")).toBeGreaterThan(order.lastIndexOf("write"));
  });

  it("[DUR-1] a new entity is synced with every name on its way", async () => {
    const { disk, ws } = await withTask();
    const synced = disk.calls.filter(({ kind }) => kind === "syncFolder").map(({ path }) => path);
    const coco = join(ws.root, ".coco");
    for (const folder of [ws.root, coco, join(coco, "tasks"), join(coco, "tasks/TASK-001")])
      expect(synced).toContain(folder);
    expect(disk.count({ kind: "fsync", path: "TASK-001/events.jsonl" })).toBe(1);
  });

  it("[DUR-1] at os nothing is ever synced in an entity, and what was written is read by all", async () => {
    const { disk, ws } = await withTask({ durability: "os" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "one" });
    expect(disk.count({ kind: ["fdatasync", "fdatasyncSync", "fsync", "syncFolder"], path: /tasks\// })).toBe(0);
    expect(notesOf(ws.root)).toEqual(["one"]);
  });

  it("[DUR-1] at group the sync comes later, one for many changes, and closing waits for it", async () => {
    const { disk, ws } = await withTask({ durability: "group", projections: "manual" });
    for (let i = 0; i < 5; i++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${i}` });
    const before = disk.count(SYNCS);
    await ws.close();
    expect(before).toBeLessThan(5);
    expect(disk.count(SYNCS)).toBeGreaterThan(0);
    const kinds = disk.calls.filter(({ path }) => path.endsWith("events.jsonl")).map(({ kind }) => kind);
    expect(kinds.lastIndexOf("fdatasyncSync")).toBeGreaterThan(kinds.lastIndexOf("write"));
  });

  it("[DUR-1] at group a late sync that fails leaves the bytes aside for the next writer", async () => {
    const { disk, ws } = await withTask({ durability: "group", projections: "manual" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "one" });
    disk.fail(SYNCS, "EIO");
    await ws.close();
    const marker = join(ws.root, ".coco/registry/unsynced/TASK-001");
    expect(keptIn(marker)).toContain('"one"');
    const again = openTemp({ root: ws.root });
    await ok(again, "tasks_note", { task: "TASK-001", note: "two" });
    expect(existsSync(marker)).toBe(false);
    expect([...new Set(notesOf(ws.root))]).toEqual(["one", "two"]);
  });

  it("[DUR-113] captured bytes are on disk, with their name, before the event that names them", async () => {
    const { disk, ws } = await withTask();
    disk.calls.length = 0;
    const items = [{ kind: "run", command: "npm test", stdout: "ok\n".repeat(50_000) }];
    await ok(ws, "tasks_evidence_capture", { task: "TASK-001", items });
    const at = (kind: string, path: RegExp): number =>
      disk.calls.findIndex((c) => c.kind === kind && path.test(c.path));
    const event = at("write", /events\.jsonl$/);
    expect(at("fsync", /blobs/)).toBeLessThan(at("rename", /blobs\//));
    expect(at("rename", /blobs\//)).toBeLessThan(at("syncFolder", /blobs$/));
    expect(at("syncFolder", /blobs$/)).toBeLessThan(event);
    expect(at("fsync", /blobs/)).toBeGreaterThan(-1);
  });
});

/** A disk on which, once it is told what, something else happens right after a sync. */
function meanwhile(): { disk: Disk; happens: (what: () => void) => void } {
  let next: (() => void) | undefined;
  const fdatasyncSync = (fd: number): void => {
    nodeDisk.fdatasyncSync(fd);
    const what = next;
    next = undefined;
    what?.();
  };
  return { disk: { ...nodeDisk, fdatasyncSync }, happens: (what) => (next = what) };
}

async function withMeanwhile() {
  const { disk, happens } = meanwhile();
  const ws = openTemp({ disk });
  await newTask(ws);
  await ok(ws, "tasks_note", { task: "TASK-001", note: "first" });
  return { ws, happens, log: logPath(ws.root) };
}

describe("reading back", () => {
  it("[DUR-7] a log that git replaced in between gets the change again when what it builds on is there", async () => {
    const { ws, happens, log } = await withMeanwhile();
    happens(() => {
      // As a checkout does it: another file, put in place by rename.
      const before = readFileSync(log, "utf8").split("\n").slice(0, 3).join("\n");
      writeFileSync(`${log}.new`, `${before}\n`);
      renameSync(`${log}.new`, log);
    });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "kept" });
    expect(notesOf(ws.root)).toEqual(["first", "kept"]);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "next" });
    expect(notesOf(ws.root)).toEqual(["first", "kept", "next"]);
  });

  it("[DUR-7] a copy that somebody put in place, with the change in it, is synced too", async () => {
    const { disk: inner, happens } = meanwhile();
    const disk = new FaultyDisk(inner);
    const ws = openTemp({ disk });
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "first" });
    const log = logPath(ws.root);
    happens(() => {
      copyFileSync(log, `${log}.new`);
      renameSync(`${log}.new`, log);
    });
    const before = disk.count(SYNCS);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "kept" });
    expect(disk.count(SYNCS) - before).toBe(2);
    expect(notesOf(ws.root)).toEqual(["first", "kept"]);
  });

  it("[DUR-7] and one that came while a transaction was synced, and was written to since", async () => {
    const { disk: held, isSyncing, go } = heldSyncs(nodeDisk);
    const disk = new FaultyDisk(held);
    const ws = openTemp({ disk });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const args = { path: "s:0", reason: "waits" };
    const operations = ["TASK-001", "TASK-002"].map((task) => ({ tool: "tasks_block", args: { task, ...args } }));
    const done = ok(ws, "tasks_batch", { atomic: true, operations });
    await isSyncing;
    const log = logPath(ws.root);
    copyFileSync(log, `${log}.new`);
    renameSync(`${log}.new`, log);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "next" });
    const before = disk.count({ ...SYNCS, path: "TASK-001/events.jsonl" });
    go();
    await done;
    expect(disk.count({ ...SYNCS, path: "TASK-001/events.jsonl" }) - before).toBe(1);
    expect(notesOf(ws.root)).toEqual(["next"]);
  });

  it("[DUR-7] and one that came while calls at once were synced, and that a transaction wrote to since", async () => {
    const { disk: held, isSyncing, go } = heldSyncs(nodeDisk);
    const disk = new FaultyDisk(held);
    const ws = openTemp({ disk });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    await ws.callTool("tasks_note", {});
    // More than one batch: only where others wait a sync is not waited for in the call itself.
    const texts = Array.from({ length: 65 }, (_, i) => `note ${i}`);
    const notes = texts.map((note) => ok(ws, "tasks_note", { task: "TASK-001", note }));
    await isSyncing;
    const log = logPath(ws.root);
    copyFileSync(log, `${log}.new`);
    renameSync(`${log}.new`, log);
    const args = { path: "s:0", reason: "waits" };
    const operations = ["TASK-001", "TASK-002"].map((task) => ({ tool: "tasks_block", args: { task, ...args } }));
    const done = ok(ws, "tasks_batch", { atomic: true, operations });
    const isWritten = (): boolean => readFileSync(log, "utf8").includes("step.blocked");
    while (!isWritten()) await new Promise((turn) => setImmediate(turn));
    const before = disk.count({ kind: "fdatasyncSync", path: "TASK-001/events.jsonl" });
    go();
    await Promise.all([...notes, done]);
    // Of the copy for the first 64, and of what the last one wrote; the transaction may look again, too.
    expect(disk.count({ kind: "fdatasyncSync", path: "TASK-001/events.jsonl" }) - before).toBeGreaterThanOrEqual(2);
    expect(notesOf(ws.root)).toEqual(texts);
  });

  it("[DUR-7] when what it builds on is gone, the outcome is unknown and the present log is left alone", async () => {
    const other = openTemp();
    await newTask(other);
    const { ws, happens, log } = await withMeanwhile();
    happens(() => copyFileSync(logPath(other.root), log));
    const note = { task: "TASK-001", note: "second", idempotency_key: "k" };
    expect((await call(ws, "tasks_note", note)).error).toMatchObject({
      code: "UNKNOWN_OUTCOME",
      details: { reason: "LOG_REPLACED" },
    });
    expect(readFileSync(log)).toEqual(readFileSync(logPath(other.root)));
    await ok(ws, "tasks_note", note);
    expect(notesOf(ws.root)).toEqual(["second"]);
  });

  it("[DUR-7] a log that vanished in between is not made anew with half a history", async () => {
    const { ws, happens, log } = await withMeanwhile();
    happens(() => renameSync(log, `${log}.gone`));
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "lost" })).toBe("UNKNOWN_OUTCOME");
    expect(existsSync(log)).toBe(false);
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "again" })).toBe("LOG_UNREADABLE");
    expect(existsSync(log)).toBe(false);
  });
});

describe("two that make the same task at once, as no lock would let them", () => {
  /** A log of a task that somebody else has made. */
  async function othersLog() {
    const other = openTemp();
    await newTask(other);
    return logPath(other.root);
  }

  it("[DUR-3] a creation that finds another in its place leaves that one alone", async () => {
    const theirs = await othersLog();
    let between = (): void => undefined;
    const fsync: Disk["fsync"] = (fd) => {
      between();
      nodeDisk.fsync(fd);
    };
    const ws = openTemp({ disk: { ...nodeDisk, fsync } });
    await newTask(ws, "TASK-000");
    const log = logPath(ws.root);
    between = () => {
      between = () => undefined;
      renameSync(dirname(log), join(ws.root, "aside"));
      mkdirSync(dirname(log));
      copyFileSync(theirs, log);
    };
    const { error } = await call(ws, "tasks_create", { kind: "task", id: "TASK-001", title: "Mine" });
    expect(error?.code).toBe("UNKNOWN_OUTCOME");
    expect(readFileSync(log)).toEqual(readFileSync(theirs));
  });

  it("[DUR-3] what looked like remains and was made whole meanwhile is put back", async () => {
    const theirs = await othersLog();
    let between = (): void => undefined;
    const rename: Disk["rename"] = (from, to) => {
      between();
      nodeDisk.rename(from, to);
    };
    const ws = openTemp({ disk: { ...nodeDisk, rename } });
    await newTask(ws, "TASK-000");
    const log = logPath(ws.root);
    mkdirSync(dirname(log));
    writeFileSync(log, readFileSync(theirs).subarray(0, 20));
    between = () => {
      between = () => undefined;
      copyFileSync(theirs, log);
    };
    await call(ws, "tasks_create", { kind: "task", id: "TASK-001", title: "Mine" });
    expect(readFileSync(log)).toEqual(readFileSync(theirs));
  });

  const ASIDE = /journal\/aside\.TASK-001\.\w+$/;

  /** The remains of a creation, which become whole right before they go aside. */
  async function madeWholeMeanwhile(): Promise<{ ws: Workspace; disk: FaultyDisk; log: string; theirs: Buffer }> {
    const theirs = readFileSync(await othersLog());
    const disk = new FaultyDisk();
    const ws = openTemp({ disk });
    await newTask(ws, "TASK-000");
    const log = logPath(ws.root);
    mkdirSync(dirname(log));
    writeFileSync(log, theirs.subarray(0, 20));
    disk.meanwhile({ kind: "rename", path: ASIDE }, () => writeFileSync(log, theirs));
    return { ws, disk, log, theirs };
  }

  it("[DUR-3] it is put back also if its log cannot be read, and its name lasts", async () => {
    const { ws, disk, log, theirs } = await madeWholeMeanwhile();
    disk.fail({ kind: "open", path: /aside\.TASK-001\.\w+\/events\.jsonl$/ }, "EIO");
    await call(ws, "tasks_create", { kind: "task", id: "TASK-001", title: "Mine" });
    expect(readFileSync(log)).toEqual(theirs);
    const { calls } = disk;
    const back = calls.findLastIndex(({ kind, path }) => kind === "rename" && path === dirname(log));
    expect(calls[back + 1]).toEqual({ kind: "syncFolder", path: dirname(dirname(log)) });
  });

  it("[DUR-3] if the system does not let it be put back, verify names it, and the next write does", async () => {
    const { ws, disk, log, theirs } = await madeWholeMeanwhile();
    disk.fail({ kind: "rename", path: dirname(log) }, "EIO");
    expect(await code(ws, "tasks_create", { kind: "task", id: "TASK-001", title: "Mine" })).toBe("STORAGE_FAILED");
    expect(existsSync(log)).toBe(false);
    const place: unknown = expect.stringMatching(/^\.coco\/registry\/journal\/aside\.TASK-001\.\w{8}$/);
    expect(ws.verify().findings).toContainEqual(expect.objectContaining({ code: "SET_ASIDE", file: place }));
    await ok(ws, "tasks_note", { task: "TASK-000", note: "one" });
    expect(readFileSync(log)).toEqual(theirs);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "two" });
  });

  it.each(["whole", "remains"])(
    "[DUR-3] wherever the process ends that sets it aside, the next write puts what is whole back, and no remains: %s",
    ROTATING,
    async (what) => {
      for (let n = 0; n < 5; n++) {
        const { ws, disk, log, theirs } = await madeWholeMeanwhile();
        const remains = theirs.subarray(0, 20);
        disk.mend();
        disk.meanwhile({ kind: "rename", path: ASIDE }, () => {
          writeFileSync(log, what === "whole" ? theirs : remains);
          disk.stop(n);
        });
        await call(ws, "tasks_create", { kind: "task", id: "TASK-001", title: "Mine" }).catch(() => undefined);
        expect(disk.dead).toBe(true);
        disk.die();
        const next = openTemp({ root: ws.root });
        await ok(next, "tasks_note", { task: "TASK-000", note: "one" });
        expect(existsSync(log) ? readFileSync(log) : null, String(n)).toEqual(what === "whole" ? theirs : null);
        await call(next, "tasks_create", { kind: "task", id: "TASK-001", title: "Mine" });
        await ok(next, "tasks_note", { task: "TASK-001", note: "two" });
        expect(readdirSync(join(ws.root, ".coco/registry/journal"))).toEqual([]);
      }
    },
  );

  it("[DUR-3] if another has its name by then, the answer says where it is", async () => {
    const { ws, disk, log, theirs } = await madeWholeMeanwhile();
    disk.meanwhile({ kind: "rename", path: dirname(log) }, () => {
      mkdirSync(dirname(log));
      writeFileSync(log, "another");
    });
    const { warnings } = await call(ws, "tasks_create", { kind: "task", id: "TASK-001", title: "Mine" });
    const place = /quarantine\/TASK-001-\w+/.exec(warnings.find(({ code: one }) => one === "SET_ASIDE")!.message)![0];
    expect(readFileSync(join(ws.root, ".coco/registry", place, "events.jsonl"))).toEqual(theirs);
    expect(readFileSync(log, "utf8")).toMatch(/^another/);
  });
});
