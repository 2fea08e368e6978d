import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { machinePath } from "../support/machine.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { call, code, logPath, newTask, notesOf, ok, openTemp, ticking, tree } from "../support/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { note, withNotes } from "../support/noted.ts";

const COCO = join(import.meta.dirname, "../data/coco");
const TASK = "TASK-001";

describe("something else where the log or its folder should be", () => {
  it.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link", (path: string) => symlinkSync(`${path}.away`, path)],
    ["a link to itself", (path: string) => symlinkSync(path, path)],
  ])("[ENG-8] %s is no log: refused for reading and writing, and left alone", async (_what, put) => {
    const { ws, log } = await withNotes("one");
    renameSync(log, `${log}.away`);
    put(log);
    const before = tree(ws.root);
    for (const open of [ws, openTemp({ root: ws.root })]) {
      expect(await code(open, "tasks_radar", { task: TASK })).toBe("LOG_UNREADABLE");
      expect(await code(open, "tasks_note", note("two"))).toBe("LOG_UNREADABLE");
      expect((await call(open, "tasks_context", {})).warnings.map((w) => w.code)).toEqual(["LOG_DAMAGED"]);
    }
    expect(tree(join(ws.root, ".coco/tasks"))).toEqual(
      before.filter((l) => l.startsWith(".coco/tasks/")).map((l) => l.slice(12)),
    );
  });

  it.each(["EACCES", "EPERM"])(
    "[ENG-8] a log that may not be read (%s) is LOG_UNREADABLE, other entities answer",
    async (errno) => {
      const { ws } = await withNotes("one");
      await newTask(ws, "TASK-002");
      const disk = new FaultyDisk();
      const again = openTemp({ root: ws.root, disk });
      disk.fail({ kind: "open", path: logPath(ws.root) }, errno, { times: 99 });
      expect(await code(again, "tasks_radar", { task: TASK })).toBe("LOG_UNREADABLE");
      expect(await code(again, "tasks_note", note("two"))).toBe("LOG_UNREADABLE");
      await ok(again, "tasks_note", { task: "TASK-002", note: "fine" });
      const listed = await call(again, "tasks_context", {});
      expect(listed.warnings.map((w) => w.code)).toEqual(["LOG_DAMAGED"]);
      expect(JSON.stringify(listed.result)).toContain("TASK-002");
      disk.mend();
      await ok(again, "tasks_note", note("two"));
    },
  );

  it.each(["open", "write", "mkdir"] as const)(
    "[ENG-8] on a disk that is read-only (EROFS at %s) writes are READ_ONLY and reads answer",
    async (kind) => {
      const { ws } = await withNotes("one");
      await ws.close();
      const disk = new FaultyDisk();
      const again = openTemp({ root: ws.root, disk });
      disk.fail({ kind, path: kind === "open" ? /(\.lock|\/dirty\/[^/]*)$/ : /./ }, "EROFS", {
        times: 999,
      });
      await ok(again, "tasks_radar", { task: TASK });
      expect(await code(again, "tasks_create", { kind: "task", id: "TASK-009", title: "No" })).toBe("READ_ONLY");
      expect(await code(again, "tasks_note", note("two"))).toBe("READ_ONLY");
      expect(notesOf(ws.root)).toEqual(["one"]);
      expect(existsSync(join(ws.root, ".coco/tasks/TASK-009"))).toBe(false);
    },
  );

  it("[ENG-8] a task folder that is a link is not followed", async () => {
    const { ws } = await withNotes("one");
    const outside = tempFolder();
    cpSync(join(ws.root, ".coco/tasks", TASK), join(outside, "TASK-002"), { recursive: true });
    symlinkSync(join(outside, "TASK-002"), join(ws.root, ".coco/tasks/TASK-002"));
    const before = tree(outside);
    expect(await code(ws, "tasks_radar", { task: "TASK-002" })).toBe("UNKNOWN_ID");
    expect(await code(ws, "tasks_note", { task: "TASK-002", note: "out" })).toBe("UNKNOWN_ID");
    expect(JSON.stringify(await ok(ws, "tasks_context", {}))).not.toContain("TASK-002");
    expect(await code(ws, "tasks_create", { kind: "task", id: "TASK-002", title: "Mine" })).toBe("ID_TAKEN");
    expect(tree(outside)).toEqual(before);
  });

  it("[ENG-8] a link in the place of shared/ sends no file outside", async () => {
    const { ws, folder } = await withNotes("one");
    const outside = tempFolder();
    rmSync(join(folder, "shared"), { recursive: true });
    symlinkSync(outside, join(folder, "shared"));
    const again = openTemp({ root: ws.root });
    const reply = await call(again, "tasks_note", note("two"));
    expect(reply.warnings.map((w) => w.code)).toContain("PROJECTION_FAILED");
    const items = [{ kind: "run", command: "npm test", stdout: "x".repeat(100_000) }];
    expect((await call(again, "tasks_evidence_capture", { task: TASK, items })).error?.code).toBe("PATH_UNSAFE");
    expect(tree(outside)).toEqual([]);
  });
});

describe("a link that comes while the workspace is open", () => {
  it.each(["shared", "agents", "shared/evidence"])("[ENG-8] in the place of %s sends no file outside", async (name) => {
    const { ws, folder } = await withNotes("one");
    const outside = tempFolder();
    rmSync(join(folder, name), { recursive: true });
    symlinkSync(outside, join(folder, name));
    const reply = await call(ws, "tasks_note", note("two"));
    expect(reply.success).toBe(true);
    expect(reply.warnings.map((w) => w.code)).toEqual(["PROJECTION_FAILED"]);
    expect(reply.warnings[0]!.message).toContain("found a link");
    expect(tree(outside)).toEqual([]);
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
  });

  const WAYS = [".coco", ".coco/tasks", `.coco/tasks/${TASK}`];
  const folderBehind = (away: string, name: string): string =>
    join(away, name === ".coco" ? "tasks" : "", name.endsWith(TASK) ? "" : TASK);

  it.each(WAYS)(
    "[ENG-8] [DIR-50] in the place of %s, another log behind it: refused, nothing is written",
    async (name) => {
      const { ws, log } = await withNotes("one");
      const away = join(tempFolder(), "away");
      cpSync(join(ws.root, name), away, { recursive: true });
      renameSync(join(ws.root, name), `${away}.own`);
      symlinkSync(away, join(ws.root, name));
      const before = tree(folderBehind(away, name));
      for (const open of [ws, openTemp({ root: ws.root })]) {
        expect(await code(open, "tasks_note", note("two"))).toMatch(/PATH_UNSAFE|UNKNOWN_ID/);
        expect(await code(open, "tasks_radar", { task: TASK })).toMatch(/PATH_UNSAFE|UNKNOWN_ID/);
      }
      expect(tree(folderBehind(away, name))).toEqual(before);
      rmSync(join(ws.root, name));
      renameSync(`${away}.own`, join(ws.root, name));
      await ok(ws, "tasks_note", note("three"));
      expect(readFileSync(log, "utf8")).not.toContain('"two"');
    },
  );

  it.each(WAYS)(
    "[ENG-8] [DIR-50] in the place of %s, the open log itself behind it: one change may go into that log and nothing beside it, the next is refused",
    async (name) => {
      const { ws } = await withNotes("one");
      const away = join(tempFolder(), "away");
      renameSync(join(ws.root, name), away);
      symlinkSync(away, join(ws.root, name));
      const folder = folderBehind(away, name);
      const before = tree(folder).filter((line) => !line.includes("events.jsonl"));
      const reply = await call(ws, "tasks_note", note("two"));
      expect(reply.warnings.map((w) => w.code)).toEqual(["PROJECTION_FAILED"]);
      const evidence = {
        task: TASK,
        checks: [],
        items: [{ kind: "cmd_output", command: "npm test", exit_code: 0, stdout: "x".repeat(70_000) }],
      };
      expect(await code(ws, "tasks_evidence_capture", evidence)).toBe("PATH_UNSAFE");
      expect(await code(ws, "tasks_note", note("three"))).toBe("PATH_UNSAFE");
      expect(await code(ws, "tasks_radar", { task: TASK })).toBe("PATH_UNSAFE");
      expect(tree(folder).filter((line) => !line.includes("events.jsonl"))).toEqual(before);
      expect(await code(openTemp({ root: ws.root }), "tasks_note", note("three"))).toMatch(/PATH_UNSAFE|UNKNOWN_ID/);
      rmSync(join(ws.root, name));
      renameSync(away, join(ws.root, name));
      await ok(ws, "tasks_note", note("four"));
      expect(notesOf(ws.root)).toEqual(["one", "two", "four"]);
    },
  );

  it.each([".coco", ".coco/tasks"])(
    "[ENG-8] [DIR-50] in the place of %s: nothing is created behind it",
    async (name) => {
      const { ws } = await withNotes("one");
      const away = join(tempFolder(), "away");
      renameSync(join(ws.root, name), away);
      symlinkSync(away, join(ws.root, name));
      expect(await code(ws, "tasks_create", { kind: "task", id: "TASK-002", title: "Out" })).toBe("PATH_UNSAFE");
      expect(tree(away).filter((line) => line.includes("TASK-002"))).toEqual([]);
    },
  );

  it.each(["os", "lockfile"] as const)(
    "[ENG-8] [DIR-50] in the place of .coco: no lock (%s) and nothing else is made behind it",
    async (lock) => {
      const root = tempFolder();
      await newTask(openTemp({ root, lock }));
      rmSync(join(root, ".coco/locks"), { recursive: true });
      const away = join(tempFolder(), "away");
      renameSync(join(root, ".coco"), away);
      symlinkSync(away, join(root, ".coco"));
      const before = tree(away);
      const ws = openTemp({ root, lock });
      expect(await code(ws, "tasks_note", note("out"))).toBe("PATH_UNSAFE");
      expect(await code(ws, "tasks_create", { kind: "task", id: "TASK-002", title: "Out" })).toBe("PATH_UNSAFE");
      await expect(ws.init("acme/repo")).rejects.toThrow("found a link");
      expect(tree(away)).toEqual(before);
    },
  );

  it.each([
    ["locks", "PATH_UNSAFE"],
    ["registry", "PATH_UNSAFE"],
    ["registry/journal", null],
    ["registry/unsynced", null],
    ["registry/quarantine", null],
  ])(
    "[DIR-50] in the place of %s of this machine, as a repository may have committed it: no change goes behind it",
    async (name, expected) => {
      const { ws } = await withNotes("one");
      await ws.close();
      const away = linkedAway(ws.root, name);
      const before = tree(away);
      expect((await call(openTemp({ root: ws.root }), "tasks_note", note("out"))).error?.code ?? null).toBe(expected);
      expect(tree(away)).toEqual(before);
    },
  );

  it.each(["snapshots", "exchange", "index"])(
    "[DIR-50] in the place of what this machine keeps for speed (%s): changes go on without it, and nothing goes behind it",
    async (part) => {
      const { ws } = await withNotes("one");
      await ws.close();
      const away = linkedAway(ws.root, relative(join(ws.root, ".coco"), machinePath(ws.root, part)));
      const before = tree(away);
      const again = openTemp({ root: ws.root });
      expect((await call(again, "tasks_note", note("out"))).success).toBe(true);
      const created = { kind: "task" as const, id: "TASK-002", title: "Out", idempotency_key: "k" };
      expect((await call(again, "tasks_create", created)).success).toBe(true);
      await again.close();
      expect(tree(away)).toEqual(before);
    },
  );

  it.each(["registry", "machine/focus", "machine/cursors"])(
    "[DIR-50] in the place of %s: no focus and no cursor goes behind it, and nothing there is removed",
    async (which) => {
      const { ws } = await withNotes("one");
      await ws.close();
      const name = which.replace("machine", relative(join(ws.root, ".coco"), machinePath(ws.root)));
      const away = linkedAway(ws.root, name);
      const before = tree(away);
      const again = openTemp({ root: ws.root });
      const codes = [
        await code(again, "tasks_focus_set", { task: TASK }),
        await code(again, "tasks_delta", { read_only: false }),
      ];
      expect(codes).toContain("PATH_UNSAFE");
      expect(tree(away)).toEqual(before);
    },
  );

  it("[ENG-8] in the place of the archive leaves what was deleted where it is", async () => {
    const { ws, folder } = await withNotes("one");
    const outside = tempFolder();
    symlinkSync(outside, join(ws.root, ".coco/archive"));
    const reply = await call(ws, "tasks_delete", { task: TASK });
    expect(reply.warnings.map((w) => w.code)).toEqual(["PROJECTION_FAILED"]);
    expect(tree(outside)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });
});

describe("reading", () => {
  it("[ENG-10] writes nothing at all: not in a folder of ours, not in one of another program, not beside them", async () => {
    const { ws } = await withNotes("one");
    await ws.close();
    cpSync(COCO, join(ws.root, ".coco/tasks"), { recursive: true });
    rmSync(join(ws.root, ".coco/tasks", TASK, "README.md"));
    writeFileSync(join(ws.root, ".coco/tasks", TASK, "task.yaml"), "edited by hand\n");
    appendFileSync(logPath(ws.root), '{"torn');
    const before = tree(ws.root);
    const reader = openTemp({ root: ws.root });
    for (const id of [TASK, "task-2f61da5b5ec7488eb79fc983790aa10c", "task-54f8aee925574a318538c248fa3532f3"]) {
      await ok(reader, "tasks_radar", { task: id });
      await ok(reader, "tasks_handoff", { task: id });
    }
    await ok(reader, "tasks_context", {});
    await ok(reader, "tasks_focus_get", {});
    reader.log(TASK);
    reader.verify();
    await reader.close();
    expect(tree(ws.root)).toEqual(before);
  });

  it("[ENG-10] an unbound root answers as empty and stays untouched", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_context", {});
    expect(await code(ws, "tasks_radar", { task: TASK })).toBe("UNKNOWN_ID");
    expect(await code(ws, "tasks_note", note("one"))).toBe("UNKNOWN_ID");
    await ws.close();
    expect(tree(ws.root)).toEqual([]);
  });
});

describe("a task.yaml that is not ours any more", () => {
  it.each([
    ["deleted", (path: string) => rmSync(path)],
    ["edited", (path: string) => appendFileSync(path, "extra: 1\n")],
    ["half written", (path: string) => truncateSync(path, 40)],
    ["empty", (path: string) => truncateSync(path, 0)],
    ["a link", (path: string) => (rmSync(path), symlinkSync("/etc/hostname", path))],
  ])(
    "[ENG-7] [DIR-26] %s: nothing is refused, and the next write brings it back with the same bytes",
    async (_how, harm) => {
      const { ws, folder } = await withNotes("one");
      await ok(ws, "tasks_note", note("two"));
      const twin = openTemp({ now: ticking(), root: tempFolder() });
      cpSync(join(ws.root, ".coco"), join(twin.root, ".coco"), { recursive: true });
      harm(join(folder, "task.yaml"));
      await ok(ws, "tasks_radar", { task: TASK });
      await ok(ws, "tasks_note", note("three"));
      writeFileSync(logPath(twin.root), readFileSync(logPath(ws.root)));
      await twin.repair.rebuild();
      const yaml = (root: string): string => readFileSync(join(root, ".coco/tasks", TASK, "task.yaml"), "utf8");
      expect(yaml(ws.root)).toBe(yaml(twin.root));
      expect(ws.verify().findings).toEqual([]);
    },
  );
});

/** Puts a link in the place of this folder of `.coco`, to a folder that holds what it held. */
function linkedAway(root: string, name: string): string {
  const away = join(tempFolder(), "away");
  const folder = join(root, ".coco", name);
  mkdirSync(folder, { recursive: true });
  renameSync(folder, away);
  symlinkSync(away, folder);
  return away;
}
