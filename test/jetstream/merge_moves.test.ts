/** Lines of other machines come in while another process of this one moves a folder to the archive or back. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/testing.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { isKnownType } from "../../src/events/index.ts";
import { sealOp } from "../../src/log/envelope.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import { derivedHex } from "../../src/state/derived_hex.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { filesOf, machine, machines } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { REVIEW, reviewed, runStage } from "../support/packet_work.ts";
import { call, newTask, notesOf, ok, WORKSPACE } from "../support/workspace.ts";

const MERGE = { durability: "fsync", log: { mode: "merge", timeoutMs: 500 } } as const;
const ID = "TASK-001";

/** Two machines that have the task. On the second one a process that knows of no server `did` something, and all are closed. */
async function parted(did: (b: Workspace) => Promise<unknown>) {
  const { url } = await natsServer();
  const [a, first] = await machines(url, 2, MERGE);
  await newTask(a!, ID);
  await newTask(a!, "TASK-002");
  for (const one of [a!, first!]) await one.shared.sync(WORKSPACE);
  const { root } = first!;
  await first!.close();
  const alone = openWorkspace({ root, by: "agent:ada" });
  await did(alone);
  await alone.close();
  mkdirSync(join(root, ".coco/archive"), { recursive: true });
  const paths = { tasks: join(root, ".coco/tasks", ID), archive: join(root, ".coco/archive", ID) };
  /** As another process of the machine does it. */
  const move = (from: "tasks" | "archive"): void =>
    renameSync(paths[from], paths[from === "tasks" ? "archive" : "tasks"]);
  const reopened = (disk = new FaultyDisk()): Workspace => machine(url, { ...MERGE, root, disk });
  return { a: a!, root, paths, move, reopened };
}

function deleted(ws: Workspace): Promise<unknown> {
  return ok(ws, "tasks_delete", { task: ID });
}

function findingsOf(ws: Workspace): unknown[] {
  return ws.verify().findings.filter(({ info }) => info !== true);
}

describe("a folder that moves while lines come in", () => {
  it("[regression SHARED-68] has them at its new place, if it goes to the archive after it was found among the live ones", async () => {
    const { a, root, paths, move, reopened } = await parted(deleted);
    await ok(a, "tasks_edit", { task: ID, title: "Changed" });
    await a.shared.sync();
    // Its process has written that it is deleted, and moves it a moment later.
    move("archive");
    const disk = new FaultyDisk();
    disk.meanwhile({ kind: "write", path: /[/\\]dirty[/\\]/ }, () => move("tasks"));
    const b = reopened(disk);
    for (const one of [b, a, b]) await one.shared.sync(WORKSPACE);
    expect(existsSync(paths.tasks)).toBe(false);
    expect(filesOf(root)).toEqual(filesOf(a.root));
    for (const one of [a, b]) expect(findingsOf(one)).toEqual([]);
    expect(readFileSync(join(paths.archive, "README.md"), "utf8")).toContain("Changed");
  });

  it("[regression SHARED-68] has them at its new place, if it comes back after it was found in the archive", async () => {
    const { a, root, paths, move, reopened } = await parted((b) => ok(b, "tasks_note", { task: ID, note: "of b" }));
    await ok(a, "tasks_note", { task: ID, note: "of a" });
    await a.shared.sync();
    move("tasks");
    const disk = new FaultyDisk();
    disk.meanwhile({ kind: "write", path: /[/\\]dirty[/\\]/ }, () => move("archive"));
    const b = reopened(disk);
    for (const one of [b, a, b]) await one.shared.sync(WORKSPACE);
    expect(existsSync(paths.archive)).toBe(false);
    expect(notesOf(root, ID).toSorted()).toEqual(["of a", "of b"]);
    expect(filesOf(root)).toEqual(filesOf(a.root));
    for (const one of [a, b]) expect(findingsOf(one)).toEqual([]);
  });

  it("[regression SHARED-66] is folded in the archive by the next process, whichever task its first call is about", async () => {
    const { a, paths, reopened } = await parted(deleted);
    await ok(a, "tasks_edit", { task: ID, title: "Changed" });
    await a.shared.sync();
    const disk = new FaultyDisk();
    const folded = /archive[/\\]TASK-001[/\\]README\.md$/;
    disk.fail({ kind: ["rename", "exchange", "lstat", "open"], path: folded }, "EIO", { times: Infinity });
    const failing = reopened(disk);
    await failing.shared.sync(WORKSPACE);
    await failing.close();
    expect(readFileSync(join(paths.archive, "README.md"), "utf8")).not.toContain("Changed");
    const next = reopened();
    await ok(next, "tasks_note", { task: "TASK-002", note: "another one" });
    await next.close();
    expect(readFileSync(join(paths.archive, "README.md"), "utf8")).toContain("Changed");
  });

  it("[regression SHARED-66] is folded in the archive by the process that finishes a transaction about it", async () => {
    const { a, root, paths, reopened } = await parted(deleted);
    const blocking = (task: string) => ({ tool: "tasks_block", args: { task, path: "s:0", reason: "waits" } });
    await ok(a, "tasks_batch", { atomic: true, operations: [ID, "TASK-002"].map(blocking) });
    await a.shared.sync();
    const disk = new FaultyDisk();
    // Its lines are in, and the process ends before it has folded anything.
    disk.fail({ kind: "unlink", path: /journal/ }, "EIO", { times: Infinity });
    disk.fail({ kind: ["rename", "exchange"], path: /README\.md$|task\.yaml$/ }, "EIO", { times: Infinity });
    const failing = reopened(disk);
    await failing.shared.sync(WORKSPACE);
    await failing.close();
    expect(readFileSync(join(paths.archive, "README.md"), "utf8")).not.toContain("waits");
    const next = reopened();
    await ok(next, "tasks_note", { task: "TASK-002", note: "goes on" });
    await next.close();
    const last = reopened();
    for (const one of [last, a, last]) await one.shared.sync(WORKSPACE);
    expect(existsSync(paths.tasks)).toBe(false);
    expect(filesOf(root)).toEqual(filesOf(a.root));
  });
});

describe("files whose name changes when lines come in", () => {
  it("[regression SHARED-64] leaves no output under the number that its attempt had before another machine's came first", async () => {
    const { url } = await natsServer();
    const [a, b] = await machines(url, 2, MERGE);
    const id = await reviewed(a!);
    for (const one of [a!, b!, a!]) await one.shared.sync(WORKSPACE, { blobs: "all" });
    const { root } = b!;
    await b!.close();
    const again = { task: id, stage: "gemini_review", reason: "it was too short" };
    await ok(a!, "packet_stage_reopen", again);
    await ok(a!, "packet_stage_start", { task: id, stage: "gemini_review" });
    await ok(a!, "packet_stage_interrupt", { task: id, stage: "gemini_review", reason: "killed" });
    await a!.shared.sync(WORKSPACE, { blobs: "all" });
    const alone = openWorkspace({ root, by: "agent:ada" });
    for (const text of ["of b", "of b, again"]) {
      await ok(alone, "packet_stage_reopen", again);
      await runStage(alone, id, "gemini_review", `${REVIEW}\n${text}\n`);
    }
    await alone.close();
    const outputs = (): string[] =>
      readdirSync(join(root, ".coco/tasks", id, "outputs")).filter((name) => name.endsWith(".out"));
    expect(outputs().toSorted()).toEqual([
      "gemini_review.gemini.1.out",
      "gemini_review.gemini.2.out",
      "gemini_review.gemini.out",
    ]);
    const next = machine(url, { ...MERGE, root });
    for (const one of [next, a!, next]) await one.shared.sync(WORKSPACE, { blobs: "all" });
    expect(outputs().toSorted()).toEqual([
      "gemini_review.gemini.1.out",
      "gemini_review.gemini.3.out",
      "gemini_review.gemini.out",
    ]);
    expect(filesOf(root)).toEqual(filesOf(a!.root));
    for (const one of [a!, next]) expect(one.verify().findings).toEqual([]);
  });

  it("[regression SHARED-64] removes an output that stands at such a number, where its bytes came from elsewhere before", async () => {
    const { url } = await natsServer();
    const [a, b] = await machines(url, 2, MERGE);
    const id = await reviewed(a!);
    for (const one of [a!, b!, a!]) await one.shared.sync(WORKSPACE, { blobs: "all" });
    const folder = join(b!.root, ".coco/tasks", id, "outputs");
    copyFileSync(join(folder, "gemini_review.gemini.out"), join(folder, "gemini_review.gemini.7.out"));
    writeFileSync(join(folder, "gemini_review.gemini.8.out"), "of a person");
    await ok(a!, "tasks_note", { task: id, note: "of a" });
    for (const one of [a!, b!]) await one.shared.sync(WORKSPACE);
    expect(readdirSync(folder).filter((name) => /\d\.out$/.test(name))).toEqual(["gemini_review.gemini.8.out"]);
  });

  /** As another program ends an attempt: its output has this name and this digest. */
  async function endsWith(a: Workspace, id: string, path: string, sha256: string): Promise<void> {
    await ok(a, "packet_stage_reopen", { task: id, stage: "gemini_review", reason: "again" });
    await ok(a, "packet_stage_start", { task: id, stage: "gemini_review" });
    await a.close();
    const log = join(a.root, ".coco/tasks", id, "events.jsonl");
    const { ops } = readOps(bytesSource(readFileSync(log)), { isKnownType });
    const { events, last } = ops.at(-1)!;
    const started = events.find((event) => event.type === "stage.started")!;
    const file = { path, size: 1, sha256, lines: 1 };
    const end = { exit_code: 0, timed_out: false, start: null, end: null, duration_sec: null };
    const payload = { stage: "gemini_review", run: derivedHex(started.hash, true), ...end, files: { out: file } };
    const draft = {
      type: "stage.finished",
      payload: { ...payload, stderr: { head: [], tail: [] }, acceptance: [], message: "Done" },
    };
    const { bytes } = sealOp({
      taskId: id,
      by: "agent:eve",
      ts: events[0]!.ts,
      tool: "packet_stage_finish",
      opId: "0123456789abcdef0123",
      heads: [last],
      seq: events.at(-1)!.seq,
      drafts: [draft],
    });
    appendFileSync(log, bytes);
  }

  it.each([
    ["no name of a disk", Array.from({ length: 20 }, () => "x".repeat(250)).join("/")],
    ["behind a file", "README.md/x"],
    ["where the folder of outputs is a file", "outputs/gemini_review.gemini.out"],
  ])("[SHARED-39] fetches what lies behind an output that cannot stand at its path: %s", async (_, path) => {
    const { url } = await natsServer();
    const [a, b] = await machines(url, 2, MERGE);
    const id = await reviewed(a!);
    await newTask(a!, "TASK-002");
    const items = [{ kind: "command", command: "npm test", exit_code: 0, stdout: "line\n".repeat(20_000) }];
    await ok(a!, "tasks_evidence_capture", { task: "TASK-002", items } as never);
    const [sha256 = ""] = readdirSync(join(a!.root, ".coco/tasks/TASK-002/shared/evidence/blobs"));
    await endsWith(a!, id, path, sha256);
    const again = machine(url, { ...MERGE, root: a!.root });
    await ok(again, "tasks_note", { task: id, note: "behind it" });
    await again.shared.sync(WORKSPACE, { blobs: "all" });
    await b!.shared.sync(WORKSPACE);
    const isTaken = path.startsWith("outputs/");
    if (isTaken) rmSync(join(b!.root, ".coco/tasks", id, "outputs"), { recursive: true, force: true });
    if (isTaken) writeFileSync(join(b!.root, ".coco/tasks", id, "outputs"), "a person's\n");
    const { blobs } = await b!.shared.sync(WORKSPACE, { blobs: "all" });
    expect(blobs?.lacking.map((one) => one.path).includes(path)).toBe(isTaken);
    expect(readdirSync(join(b!.root, ".coco/tasks", id)).filter((name) => name.startsWith("x"))).toEqual([]);
    expect(readdirSync(join(b!.root, ".coco/tasks/TASK-002/shared/evidence/blobs"))).toEqual([sha256]);
  });

  it("[regression SHARED-64] folds a packet whose log names an output outside of the folder, and touches nothing there", async () => {
    const { url } = await natsServer();
    const [a, b] = await machines(url, 2, MERGE);
    const id = await reviewed(a!);
    await endsWith(a!, id, `../../../${"x".repeat(300)}/owned.sh`, "0".repeat(64));
    const again = machine(url, { ...MERGE, root: a!.root });
    await ok(again, "tasks_note", { task: id, note: "behind it" });
    await again.shared.sync(WORKSPACE, { blobs: "all" });
    const { root } = b!;
    await b!.shared.sync(WORKSPACE, { blobs: "all" });
    const readme = readFileSync(join(root, ".coco/tasks", id, "README.md"), "utf8");
    expect(readme).toBe(readFileSync(join(a!.root, ".coco/tasks", id, "README.md"), "utf8"));
    expect((await call(b!, "tasks_radar", { task: id })).warnings).toEqual([]);
  });

  it("[TASKDOC-3] takes the file of a section away whose spelling loses to the one of another machine", async () => {
    const mind = (ws: Workspace, category: string) =>
      ok(ws, "change_mind", { task: ID, category, selector: "list", content: `${category}\n` });
    const { url } = await natsServer();
    const [a, b] = await machines(url, 2, MERGE);
    await newTask(a!, ID);
    for (const one of [a!, b!]) await one.shared.sync(WORKSPACE);
    const { root } = b!;
    await b!.close();
    await mind(a!, "ux");
    await a!.shared.sync(WORKSPACE);
    const alone = openWorkspace({ root, by: "agent:ada" });
    await mind(alone, "UX");
    await alone.close();
    const next = machine(url, { ...MERGE, root });
    for (const one of [next, a!, next]) await one.shared.sync(WORKSPACE);
    expect(filesOf(root)).toEqual(filesOf(a!.root));
    expect(Object.keys(filesOf(root)).filter((path) => path.endsWith("list.md"))).toEqual([
      `.coco/tasks/${ID}/taskdoc.tsk/ux/list.md`,
    ]);
    for (const one of [a!, next]) expect(findingsOf(one)).toEqual([]);
  });

  it("[RESOLVE-3] takes no file of a task that gets another name for an edit, wherever its log was then", async () => {
    const { url } = await natsServer();
    const [a, b] = await machines(url, 2, MERGE);
    const { root } = b!;
    await b!.shared.sync(WORKSPACE);
    await b!.close();
    const made = async (ws: Workspace, title: string): Promise<void> => {
      await ok(ws, "tasks_create", { kind: "task", id: ID, title });
      await ok(ws, "change_mind", { task: ID, category: "ux", selector: "list", content: `${title}\n` });
      await ok(ws, "tasks_note", { task: ID, note: title });
    };
    await made(a!, "of a");
    await a!.shared.sync(WORKSPACE);
    const alone = openWorkspace({ root, by: "agent:ada" });
    await made(alone, "of b");
    await ok(alone, "change_mind", { task: ID, selector: "progress", content: "of b" });
    const before = readFileSync(join(root, ".coco/tasks", ID, "README.md"));
    await ok(alone, "tasks_note", { task: ID, note: "one more" });
    await alone.close();
    // Of a moment ago, as a process leaves it that died before it folded.
    writeFileSync(join(root, ".coco/tasks", ID, "README.md"), before);
    writeFileSync(join(root, ".coco/tasks", ID, "taskdoc.tsk/goals.md"), "by hand\n");
    const next = machine(url, { ...MERGE, root });
    for (const one of [next, a!, next]) await one.shared.sync(WORKSPACE);
    expect(filesOf(root)).toEqual(filesOf(a!.root));
    expect(readdirSync(join(root, ".coco/registry/quarantine"))).toEqual([
      expect.stringContaining("TASK-001-taskdoc.tsk_goals.md"),
    ]);
    for (const one of [a!, next]) expect(findingsOf(one)).toEqual([]);
  });

  it("[TASKDOC-3] takes the file of a task away that gets another name, where the other one spells its section otherwise", async () => {
    const { url } = await natsServer();
    const [a, b] = await machines(url, 2, MERGE);
    const { root } = b!;
    await b!.shared.sync(WORKSPACE);
    await b!.close();
    const made = async (ws: Workspace, category: string): Promise<void> => {
      await ok(ws, "tasks_create", { kind: "task", id: ID, title: category });
      await ok(ws, "change_mind", { task: ID, category, selector: "list", content: `${category}\n` });
    };
    await made(a!, "ux");
    await a!.shared.sync(WORKSPACE);
    const alone = openWorkspace({ root, by: "agent:ada" });
    await made(alone, "UX");
    await alone.close();
    const next = machine(url, { ...MERGE, root });
    for (const one of [next, a!, next]) await one.shared.sync(WORKSPACE);
    expect(filesOf(root)).toEqual(filesOf(a!.root));
    expect(Object.keys(filesOf(root)).filter((path) => path.endsWith("list.md"))).toHaveLength(2);
    for (const one of [a!, next]) expect(findingsOf(one)).toEqual([]);
  });
});
