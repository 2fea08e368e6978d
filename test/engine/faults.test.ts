import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { machinePath } from "../support/machine.ts";
import { exchanging, unsynced, without } from "../support/exchange.ts";
import { FaultyDisk, Stop } from "../support/faulty_disk.ts";
import { LOG, note, processIsGone, quick, withTask } from "../support/faulty_task.ts";
import { keysInLogs } from "../support/log_keys.ts";
import { call, code, logPath, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";

describe("a full disk", () => {
  it.each([0, 1, 100, 299])("[DUR-4] a write cut short after %i bytes is taken back: a definite no", async (keep) => {
    const { disk, ws, log } = await withTask();
    const before = readFileSync(log);
    const radar = await ok(ws, "tasks_radar", { task: "TASK-001" });
    disk.cut({ path: LOG }, keep);
    expect(await code(ws, "tasks_note", note("lost"))).toBe("STORAGE_FULL");
    expect(readFileSync(log)).toEqual(before);
    expect(await ok(ws, "tasks_radar", { task: "TASK-001" })).toEqual(radar);
    await ok(ws, "tasks_note", note("after"));
    expect(notesOf(ws.root)).toEqual(["before", "after"]);
  });

  it.each([
    ["ENOSPC", "STORAGE_FULL"],
    ["EDQUOT", "STORAGE_FULL"],
    ["EFBIG", "STORAGE_FULL"],
    ["EIO", "STORAGE_FAILED"],
    ["EROFS", "READ_ONLY"],
  ])("[DUR-4] %s at the write of a change is %s, and nothing has changed", async (errno, expected) => {
    const { disk, ws } = await withTask();
    disk.fail({ kind: "write", path: LOG }, errno);
    expect(await code(ws, "tasks_note", note("lost", "k"))).toBe(expected);
    // The key of a call that failed for certain is free.
    await ok(ws, "tasks_note", note("another", "k"));
    expect(notesOf(ws.root)).toEqual(["before", "another"]);
  });

  it("[DUR-4] bytes that cannot be taken back are a torn tail, which the next write sets aside", async () => {
    const { disk, ws } = await withTask();
    disk.cut({ path: LOG }, 50);
    disk.fail({ kind: "truncate", path: LOG }, "EIO");
    expect(await code(ws, "tasks_note", note("lost"))).toMatch(/^STORAGE_/);
    await ok(ws, "tasks_note", note("after"));
    const again = openTemp({ root: ws.root });
    const reply = await call(again, "tasks_radar", { task: "TASK-001" });
    expect(reply.warnings).toEqual([]);
    await ok(again, "tasks_note", note("last"));
    expect(readFileSync(logPath(ws.root), "utf8")).toContain('"after"');
  });

  it.each(["mkdir", "open", "write", "fsync", "syncFolder"] as const)(
    "[DUR-4] a creation that fails at %s leaves no folder behind",
    async (kind) => {
      const { disk, ws } = await withTask();
      disk.fail({ kind, path: /tasks\/TASK-002(\/events\.jsonl)?$/ }, "ENOSPC");
      const create = { kind: "task" as const, id: "TASK-002", title: "Two", idempotency_key: "k" };
      expect(await code(ws, "tasks_create", create)).toBe("STORAGE_FULL");
      expect(readdirSync(join(ws.root, ".coco/tasks"))).toEqual(["TASK-001"]);
      await ok(ws, "tasks_create", create);
      expect(keysInLogs(ws.root).filter((key) => key === "k")).toEqual(["k"]);
    },
  );
});

describe("a hold for git", () => {
  it("[regression GIT-110] ends also if the disk refuses a look at its file, and writers go on", async () => {
    const { disk, ws } = await withTask();
    const hold = await internalsOf(ws).hold("git commit", "a token");
    disk.fail({ kind: "lstat", path: /locks\/held$/ }, "EACCES");
    hold.release();
    await ok(openTemp({ root: ws.root }), "tasks_note", note("after"));
    expect(notesOf(ws.root)).toEqual(["before", "after"]);
  });
});

describe("files folded from the log", () => {
  it.each([
    ["write", "ENOSPC", unsynced(without("ENOSYS")), /README\.md$/],
    ["open", "EACCES", unsynced(without("ENOSYS")), /README\.md$/],
    ["rename", "EIO", unsynced(without("ENOSYS")), /README\.md$/],
    ["write", "ENOSPC", unsynced(exchanging), /\/exchange\/[^/]+$/],
    ["exchange", "EIO", unsynced(exchanging), /README\.md$/],
  ] as const)(
    "[DUR-8] a %s that fails with %s never fails the change; the next write heals the file",
    async (kind, errno, inner, path) => {
      const { disk, ws } = await withTask(inner);
      const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
      disk.fail({ kind, path }, errno);
      const reply = await call(ws, "tasks_note", note("kept"));
      expect(reply.success).toBe(true);
      expect(reply.warnings.map((w) => w.code)).toEqual(["PROJECTION_FAILED"]);
      expect(readFileSync(readme, "utf8")).not.toContain("kept");
      expect(notesOf(ws.root)).toContain("kept");
      const next = await call(ws, "tasks_note", note("next"));
      expect(next.warnings).toEqual([]);
      expect(readFileSync(readme, "utf8")).toContain("kept");
    },
  );

  it("[DUR-3] the dead process does nothing more: the disk of these tests keeps its word", async () => {
    const { disk, ws, log } = await withTask();
    const before = readFileSync(log);
    disk.stop(0);
    expect((await call(ws, "tasks_note", note("lost"))).success).toBe(false);
    expect(() => disk.readFile(log)).toThrow(Stop);
    expect(readFileSync(log)).toEqual(before);
  });

  it("[DUR-8] what a crash left stale is healed by the first write after opening, also a write to another task", async () => {
    const { disk, ws } = await withTask();
    await newTask(ws, "TASK-002");
    const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
    disk.fail({ kind: ["rename", "exchange"], path: /TASK-001\/(README\.md|task\.yaml)$/ }, "EIO");
    await ok(ws, "tasks_note", note("kept"));
    disk.die();
    expect(readFileSync(readme, "utf8")).not.toContain("kept");
    processIsGone(ws.root);
    const again = openTemp({ root: ws.root });
    await ok(again, "tasks_note", { task: "TASK-002", note: "hello" });
    expect(readFileSync(readme, "utf8")).toContain("kept");
    await again.close();
    expect(readdirSync(machinePath(ws.root, "dirty"))).toEqual([]);
  });

  it("[DUR-8] a process that cannot write down which task it is about to change refuses the change, and its next one is written down", async () => {
    const { ws } = await withTask();
    await newTask(ws, "TASK-002");
    await ws.close();
    const faulty = new FaultyDisk(quick);
    const writer = openTemp({ root: ws.root, disk: faulty });
    faulty.cut({ path: /\/dirty\// }, 1);
    expect(await code(writer, "tasks_note", { task: "TASK-002", note: "lost" })).toBe("STORAGE_FULL");
    faulty.fail({ kind: ["rename", "exchange"], path: /TASK-001\/(README\.md|task\.yaml)$/ }, "EIO");
    await ok(writer, "tasks_note", note("kept"));
    faulty.die();
    processIsGone(ws.root);
    await ok(openTemp({ root: ws.root }), "tasks_note", { task: "TASK-002", note: "hello" });
    expect(readFileSync(join(ws.root, ".coco/tasks/TASK-001/README.md"), "utf8")).toContain("kept");
  });

  it("[DUR-8] the number of a process that is gone may be another's by now: what began at another time is another", async () => {
    const { disk, ws } = await withTask();
    await newTask(ws, "TASK-002");
    const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
    disk.fail({ kind: "rename", path: /TASK-001\/README\.md$/ }, "EIO");
    await ok(ws, "tasks_note", note("kept"));
    disk.die();
    const folder = machinePath(ws.root, "dirty");
    for (const name of readdirSync(folder))
      renameSync(join(folder, name), join(folder, name.replace(/^\d+-\d+/, `${process.ppid}-1`)));
    await ok(openTemp({ root: ws.root }), "tasks_note", { task: "TASK-002", note: "hello" });
    expect(readFileSync(readme, "utf8")).toContain("kept");
  });

  it.each(["batch", "manual"] as const)(
    "[DUR-8] [regression DUR-11] what a workspace could not write until it was closed is left to the next one (%s)",
    async (projections) => {
      const disk = new FaultyDisk(quick);
      const ws = openTemp({ disk, projections });
      await newTask(ws);
      await newTask(ws, "TASK-002");
      const readme = join(ws.root, ".coco/tasks/TASK-001/README.md");
      disk.fail({ kind: ["rename", "exchange"], path: /TASK-001\/README\.md$/ }, "EIO", { times: 9 });
      await ok(ws, "tasks_note", note("kept"));
      await ws.close();
      expect(existsSync(readme) ? readFileSync(readme, "utf8") : "").not.toContain("kept");
      const again = openTemp({ root: ws.root });
      await ok(again, "tasks_note", { task: "TASK-002", note: "hello" });
      expect(readFileSync(readme, "utf8")).toContain("kept");
      await again.close();
      expect(readdirSync(machinePath(ws.root, "dirty"))).toEqual([]);
    },
  );
});
