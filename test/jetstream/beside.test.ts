/** Work that writes logs beside the tools: adoption, repair, imports. A second machine has it without another change. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { SHARED_MODES } from "../../src/engine/core/shared_log.ts";
import { BLOCKED, placeSample } from "../support/coco.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logPath, newTask, notesOf, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

/** What `b` has once it has taken in what is there: of a machine in mode merge, after it was closed. */
async function seenBy(b: Workspace, a: Workspace, mode: string): Promise<Record<string, string>> {
  if (mode === "merge") await a.close();
  expect(await b.shared.catchUp(WORKSPACE)).toBe(true);
  return filesOf(b.root);
}

/** Adds a line to a log of `a` as a merge by git would, between marks. */
async function mergedByGit(a: Workspace, text: string): Promise<void> {
  const fork = tempFolder();
  cpSync(join(a.root, ".coco"), join(fork, ".coco"), { recursive: true });
  const ours = readFileSync(logPath(a.root), "utf8");
  const local = openTemp({ root: fork, now: Date.now });
  await ok(local, "tasks_note", { task: "TASK-001", note: text });
  await local.close();
  const theirs = readFileSync(logPath(fork), "utf8").slice(ours.length);
  writeFileSync(logPath(a.root), `${ours}<<<<<<< ours\n=======\n${theirs}>>>>>>> theirs\n`);
}

describe.each(SHARED_MODES)("beside the tools, in mode %s", (mode) => {
  const options = { log: { mode } } as const;

  it("[SHARED-33] what adopt wrote is on the other machines", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, options);
    placeSample(a!.root, BLOCKED);
    const report = await a!.repair.adopt(BLOCKED);
    expect([report.changed, report.warnings]).toEqual([true, []]);
    const files = await seenBy(b!, a!, mode);
    expect(files[`.coco/tasks/${BLOCKED}/events.jsonl`]).toContain('"task.adopted"');
  });

  it("[SHARED-33] what resolve put in order is on the other machines", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, options);
    await newTask(a!);
    await a!.shared.sync();
    await mergedByGit(a!, "by git");
    const { entities } = await a!.repair.resolve();
    expect(entities.map(({ id }) => id)).toEqual(["TASK-001"]);
    await seenBy(b!, a!, mode);
    expect(notesOf(b!.root)).toEqual(["by git"]);
  });

  it("[SHARED-33] what rebuild read from a person's file is on the other machines", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, options);
    await newTask(a!);
    writeFileSync(join(a!.root, ".coco/tasks/TASK-001/shared/human-notes.md"), "# Human notes\n\n- Use port 8080.\n");
    await a!.repair.rebuild();
    const files = await seenBy(b!, a!, mode);
    expect(files[".coco/tasks/TASK-001/events.jsonl"]).toContain("Use port 8080.");
  });

  it("[SHARED-33] what an import made is on the other machines, and a second import there makes nothing", async () => {
    const server = await natsServer();
    const [a, b] = await machines(server.url, 2, options);
    const item = { key: "import-backlog-1", kind: "task", id: "TASK-031", calls: [] } as const;
    const calls = [{ tool: "tasks_create", args: { kind: "task", id: "TASK-031", title: "From another tracker" } }];
    await internalsOf(a!).importItem({ ...item, calls } as never);
    const files = await seenBy(b!, a!, mode);
    expect(files[".coco/tasks/TASK-031/events.jsonl"]).toContain("From another tracker");
    expect([...(await internalsOf(b!).importedBefore(new Set([item.key])))]).toEqual([[item.key, "TASK-031"]]);
  });
});

describe("beside the tools, without a server", () => {
  it("[SHARED-33] mode strict refuses to adopt and changes nothing, and still puts logs in order", async () => {
    const server = await natsServer();
    const [a] = await machines(server.url, 1, { log: { timeoutMs: 300 } });
    await newTask(a!);
    await mergedByGit(a!, "by git");
    placeSample(a!.root, BLOCKED);
    await server.kill();
    await expect
      .poll(async () => (await call(a!, "tasks_radar", { task: "TASK-001" })).warnings.map((w) => w.code))
      .toContain("SHARED_BEHIND");
    const before = filesOf(a!.root);
    await expect(a!.repair.adopt(BLOCKED)).rejects.toMatchObject({ code: "SHARED_UNAVAILABLE" });
    expect(filesOf(a!.root)).toEqual(before);
    expect((await a!.repair.resolve()).entities).toHaveLength(1);
    const { warnings } = await call(a!, "tasks_radar", { task: "TASK-001" });
    expect(warnings.map((w) => w.message)).toContainEqual(expect.stringContaining("other machines do not yet"));
    await server.start();
    const b = machine(server.url);
    await expect.poll(() => a!.shared.sync().then(({ lacking }) => lacking, String), { timeout: 10_000 }).toEqual([]);
    await b.shared.sync(WORKSPACE);
    expect(notesOf(b.root)).toEqual(["by git"]);
  });
});
