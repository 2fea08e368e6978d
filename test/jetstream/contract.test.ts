import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHARED_MODES } from "../../src/engine/core/shared_log.ts";
import { openWorkspace } from "../../src/testing.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { LOCAL_ONLY } from "../support/local_only.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { filesBelow, ROOT } from "../support/source.ts";
import { call, code, logPath, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const TASK = "TASK-001";

describe("the tests of the engine over a shared log", () => {
  it("[SHARED-33] run but for those that the list names, and the list names none that is gone", () => {
    const gone = LOCAL_ONLY.flatMap(({ tests }) =>
      Object.entries(tests).flatMap(([file, names]) => {
        if (!existsSync(join(ROOT, file))) return [file];
        const text = readFileSync(join(ROOT, file), "utf8");
        return names === "all" ? [] : names.filter((name) => !text.includes(name)).map((name) => `${file}: ${name}`);
      }),
    );
    expect(gone).toEqual([]);
  });

  it("[SHARED-33] open their workspaces by the one function that shares them", () => {
    const folders = ["engine", "files", "laws", "model", "packet", "projections", "rules", "runner", "tools", "views"];
    const past = folders
      .flatMap((folder) => filesBelow(`test/${folder}`))
      .filter((file) =>
        /import \{[^}]*\bopenWorkspace\b[^}]*\} from "[./]+src\//.test(readFileSync(join(ROOT, file), "utf8")),
      );
    expect(past).toEqual([]);
  });
});

describe("a disk that fails", () => {
  it("[SHARED-9] behind the publish leaves the outcome open, and the same key settles it", async () => {
    const server = await natsServer();
    const disk = new FaultyDisk();
    const [a] = await machines(server.url, 1, { disk });
    await newTask(a!);
    const note = { task: TASK, note: "once", idempotency_key: "k" };
    disk.fail({ kind: "write", path: logPath(a!.root) }, "ENOSPC");
    const first = await call(a!, "tasks_note", note);
    expect(first.error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason: "NOT_TAKEN_IN" } });
    expect((await call(a!, "tasks_note", note)).warnings.map((warning) => warning.code)).toEqual(["REPLAYED"]);
    expect(notesOf(a!.root)).toEqual(["once"]);
    const b = machine(server.url);
    await b.shared.sync(WORKSPACE);
    expect(notesOf(b.root)).toEqual(["once"]);
  });

  it("[SHARED-9] at the position leaves the outcome open, and the files of the task follow its log", async () => {
    const server = await natsServer();
    const disk = new FaultyDisk();
    const [a] = await machines(server.url, 1, { disk });
    await newTask(a!);
    disk.fail({ kind: ["write", "open"], path: "shared/position" }, "ENOSPC");
    const first = await call(a!, "tasks_note", { task: TASK, note: "once" });
    expect(first.error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason: "NOT_TAKEN_IN" } });
    await a!.shared.sync();
    const b = machine(server.url);
    await b.shared.sync(WORKSPACE);
    expect(filesOf(a!.root)).toEqual(filesOf(b.root));
  });

  it("[SHARED-16] at everything that a machine takes in still answers reads", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1);
    await newTask(a!);
    await a!.close();
    const disk = new FaultyDisk();
    const again = machine(server.url, { root: a!.root, disk });
    disk.fail({ kind: "open", path: /\.lock$/ }, "EROFS", { times: 999 });
    const radar = await call(again, "tasks_radar", { task: TASK });
    expect([radar.error, radar.warnings.map((warning) => warning.code)]).toEqual([null, ["SHARED_BEHIND"]]);
    expect(await code(again, "tasks_note", { task: TASK, note: "x" })).toBe("READ_ONLY");
  });

  it.each(SHARED_MODES)(
    "[regression SHARED-47] at one log refuses calls about that one alone, in mode %s",
    async (mode) => {
      const server = await natsServer();
      const [a, b] = await machines(server.url, 2, { log: { mode } });
      await newTask(a!);
      await newTask(a!, "TASK-002");
      await a!.shared.sync(WORKSPACE);
      await a!.close();
      const disk = new FaultyDisk();
      const again = machine(server.url, { root: a!.root, disk, log: { mode } });
      disk.fail({ kind: "open", path: logPath(a!.root) }, "EACCES", { times: 999 });
      const note = (task: string) => ({ task, note: "x" });
      const both = await Promise.all([TASK, "TASK-002"].map((task) => code(again, "tasks_note", note(task))));
      expect(both).toEqual(["LOG_UNREADABLE", undefined]);
      await again.shared.sync();
      await b!.shared.sync(WORKSPACE);
      for (const task of [TASK, "TASK-002"]) await ok(b!, "tasks_note", { task, note: "of another machine" });
      await b!.shared.sync();
      await again.shared.sync();
      expect(notesOf(again.root, "TASK-002")).toEqual(["x", "of another machine"]);
      expect(notesOf(again.root)).toEqual([]);
      const radar = await call(again, "tasks_radar", { task: "TASK-002" });
      expect(radar.warnings.map((warning) => warning.code)).toContain("SHARED_BEHIND");
      disk.mend();
      await ok(again, "tasks_note", note(TASK));
      expect((await again.shared.sync(WORKSPACE)).lacking).toEqual([]);
      await b!.shared.sync();
      expect(notesOf(again.root)).toEqual(["of another machine", "x"]);
      expect(filesOf(b!.root)).toEqual(filesOf(again.root));
    },
  );

  it.each(SHARED_MODES)(
    "[regression SHARED-48] at a log with changes that wait refuses a sync by its path, after all others, in mode %s",
    async (mode) => {
      const server = await natsServer();
      const [a, b] = await machines(server.url, 2, { log: { mode } });
      for (const task of [TASK, "TASK-002"]) await newTask(a!, task);
      await a!.shared.sync(WORKSPACE);
      await a!.close();
      const alone = openWorkspace({ root: a!.root, durability: "os" });
      for (const task of [TASK, "TASK-002"]) await ok(alone, "tasks_note", { task, note: "without a server" });
      await alone.close();
      const disk = new FaultyDisk();
      const again = machine(server.url, { root: a!.root, disk, log: { mode } });
      // In memory: it is read for a call about it, before the servers can be asked.
      await server.kill();
      await call(again, "tasks_radar", { task: TASK });
      disk.fail({ kind: "open", path: logPath(a!.root) }, "EACCES", { times: 999 });
      await server.start();
      const refused = again.shared.sync();
      await expect(refused).rejects.toMatchObject({
        code: "LOG_UNREADABLE",
        message: expect.stringContaining(".coco/tasks/TASK-001/events.jsonl"),
        recovery: expect.stringContaining("taskfold shared sync"),
        details: { path: ".coco/tasks/TASK-001/events.jsonl" },
      });
      await ok(again, "tasks_note", { task: "TASK-002", note: "goes on" });
      await b!.shared.sync(WORKSPACE);
      expect(notesOf(b!.root, "TASK-002")).toContain("without a server");
      expect(notesOf(b!.root)).toEqual([]);
      disk.mend();
      expect((await again.shared.sync()).lacking).toEqual([]);
      await b!.shared.sync();
      expect(notesOf(b!.root)).toEqual(["without a server"]);
      expect(filesOf(b!.root)).toEqual(filesOf(again.root));
    },
  );

  it("[regression SHARED-47] with a folder in the place of a log takes in the rest, of many messages and of a transaction", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2);
    const tasks = [TASK, "TASK-002"];
    for (const task of tasks) await newTask(a!, task);
    await b!.shared.sync(WORKSPACE);
    const path = logPath(b!.root);
    renameSync(path, `${path}.kept`);
    mkdirSync(path);
    writeFileSync(join(path, "note.txt"), "not a log");
    const block = (task: string) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } });
    await ok(a!, "tasks_batch", { atomic: true, operations: tasks.map(block) });
    await b!.shared.sync();
    await b!.close();
    for (let i = 0; i < 60; i++) await ok(a!, "tasks_note", { task: tasks[i % 2]!, note: `note ${i}` });
    const again = machine(server.url, { root: b!.root });
    await again.shared.sync();
    expect(notesOf(again.root, "TASK-002")).toHaveLength(30);
    expect(readdirSync(path)).toEqual(["note.txt"]);
    rmSync(path, { recursive: true });
    renameSync(`${path}.kept`, path);
    await again.shared.sync();
    expect(filesOf(again.root)).toEqual(filesOf(a!.root));
  });
});
