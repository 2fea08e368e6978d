/** Several plans and tasks changed together: kept whole or not at all. */
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WORKSPACE_LOCK } from "../../src/engine/core/lock.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { Event } from "../../src/log/types.ts";
import type { TaskfoldEvent } from "../../src/index.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { gatedLocks } from "../support/gated_locks.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import {
  call,
  code,
  logLines,
  logPath,
  newTask,
  notesOf,
  ok,
  openTemp,
  START,
  ticking,
  tree,
} from "../support/workspace.ts";

const step = { title: "One", success_criteria: ["it works"], tests: ["npm test"] };
const blocking = (task: string, reason = "waits") => ({ tool: "tasks_block", args: { task, path: "s:0", reason } });
const batch = (...operations: { tool: string; args: Record<string, string> }[]) => ({ atomic: true, operations });
const BOTH = batch(blocking("TASK-001"), blocking("TASK-002"));

const archived = (root: string): string[] => readdirSync(join(root, ".coco/archive")).toSorted();
const journal = (root: string): string[] => {
  const folder = join(root, ".coco/registry/journal");
  return existsSync(folder) ? readdirSync(folder) : [];
};
const events = (root: string, id: string): Event[] => logLines(root, id).map((line) => JSON.parse(line) as Event);
const findings = (ws: Workspace): string[] => ws.verify().findings.map((f) => `${f.code}${f.info ? " (info)" : ""}`);

async function blocked(ws: Workspace, task: string): Promise<number> {
  const { steps } = await ok(ws, "tasks_radar", { task });
  return (steps as { blocked: number }).blocked;
}

/** Two tasks, and a transaction over both of which the second log got nothing. */
async function cutOff(root = tempFolder(), made = ["TASK-001", "TASK-002"], people = () => {}): Promise<string> {
  const disk = new FaultyDisk();
  const ws = openTemp({ root, disk });
  for (const id of made) await newTask(ws, id);
  await ok(ws, "tasks_note", { task: "TASK-002", note: "before" });
  people();
  disk.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
  const { error } = await call(ws, "tasks_batch", { ...BOTH, idempotency_key: "cut" });
  expect(error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason: "TXN_PENDING" } });
  expect(events(root, "TASK-001").at(-1)!.op.txn).toMatchObject({ n: 1, of: 2 });
  expect(journal(root)).toHaveLength(1);
  disk.die();
  return root;
}

/** The same, and a call put the part of TASK-002 into its log, while another process had the locks. Then git took the last lines of TASK-001 away. */
async function splitByGit(): Promise<string> {
  const root = tempFolder();
  const disk = new FaultyDisk();
  const dying = openTemp({ root, disk });
  for (const id of ["TASK-001", "TASK-002", "TASK-003"]) await newTask(dying, id);
  await ok(dying, "tasks_note", { task: "TASK-001", note: "before" });
  disk.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
  expect(await code(dying, "tasks_batch", BOTH)).toBe("UNKNOWN_OUTCOME");
  disk.die();
  const locks = gatedLocks((name) => name === "TASK-001");
  const ws = openTemp({ root, lockTimeoutMs: 30, lockProvider: locks });
  await ok(ws, "tasks_note", { task: "TASK-002", note: "behind its lines" });
  expect(events(root, "TASK-002").filter(({ type }) => type === "step.blocked")).toHaveLength(1);
  expect(journal(root)).toHaveLength(1);
  renameSync(logPath(root, "TASK-001"), join(root, "taken"));
  const lines = readFileSync(join(root, "taken"), "utf8").split("\n");
  const left = lines.filter((line) => !/"step.noted"|"txn"/.test(line));
  writeFileSync(logPath(root, "TASK-001"), left.join("\n"));
  return root;
}

describe("what is kept", () => {
  it("[TXN-1] is nothing when one part is refused, and the refusal says which", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const before = tree(join(root, ".coco/tasks"));
    const unknown = { tool: "tasks_block", args: { task: "TASK-002", path: "s:9" } };
    const { error } = await call(ws, "tasks_batch", batch(blocking("TASK-001"), unknown));
    expect(error).toMatchObject({ code: "UNKNOWN_ID", details: { index: 1, tool: "tasks_block" } });
    expect(tree(join(root, ".coco/tasks"))).toEqual(before);
    expect(await blocked(ws, "TASK-001")).toBe(0);
    await ok(ws, "tasks_batch", BOTH);
    expect(findings(ws)).toEqual([]);
  });

  it("[TXN-1] is decided part by part, each on what those before it made", async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    const close = { tool: "tasks_progress", args: { task, path: "s:0", force: true, reason: "r" } as never };
    const { error } = await call(ws, "tasks_batch", batch(blocking(task), close));
    expect(error?.code).toBe("CHECKPOINTS_NOT_CONFIRMED");
    await ok(ws, "tasks_verify", { task, path: "s:0", checkpoints: "gate" });
    const done = await ok(ws, "tasks_batch", batch(blocking(task), close));
    const [, second] = done["operations"] as { response: { result: { revision: number } } }[];
    expect(second!.response.result.revision).toBe(4);
  });

  it("[TXN-2] is an ordinary op for each part, which undo takes back alone", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    await ok(ws, "tasks_batch", BOTH);
    const [first, second] = ["TASK-001", "TASK-002"].map((id) => events(root, id).at(-1)!);
    expect(first!.op).toMatchObject({ tool: "tasks_block", txn: { n: 1, of: 2, ids: ["TASK-001", "TASK-002"] } });
    const rootOfFirst = events(root, "TASK-001")[0]!.hash;
    expect(second!.op.txn).toEqual({ id: first!.op.txn!.id, n: 2, of: 2, roots: [rootOfFirst] });
    await ok(ws, "tasks_undo", { task: "TASK-002" });
    expect([await blocked(ws, "TASK-001"), await blocked(ws, "TASK-002")]).toEqual([1, 0]);
    await ok(ws, "tasks_batch", batch(blocking("TASK-002")));
    expect(events(root, "TASK-002").at(-1)!.op.txn).toBeUndefined();
    expect(findings(ws)).toEqual([]);
  });

  it("[TXN-2] goes beside what people wrote meanwhile, which is read in before", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    writeFileSync(join(root, ".coco/tasks/TASK-002/shared/human-notes.md"), "# Careful\n");
    const { warnings } = await call(ws, "tasks_batch", BOTH);
    expect(warnings.map((w) => w.code)).toEqual(["NOTES_CHANGED"]);
    expect(
      events(root, "TASK-002")
        .map((e) => e.type)
        .slice(-3),
    ).toEqual(["notes.changed", "step.blocked", "gate.blocked"]);
    expect(findings(ws)).toEqual([]);
  });
});

describe("the journal", () => {
  it("[TXN-3] leaves nothing when the disk refuses before any log has a line", async () => {
    for (const path of ["journal/", "TASK-001/events.jsonl"]) {
      const root = tempFolder();
      const disk = new FaultyDisk();
      const ws = openTemp({ root, disk });
      for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
      const before = tree(join(root, ".coco/tasks"), { times: false });
      disk.fail({ kind: "write", path: path === "journal/" ? /journal\// : path }, "ENOSPC");
      expect(await code(ws, "tasks_batch", { ...BOTH, idempotency_key: "k" })).toBe("STORAGE_FULL");
      expect(tree(join(root, ".coco/tasks"), { times: false })).toEqual(before);
      expect(journal(root)).toEqual([]);
      const again = await call(ws, "tasks_batch", { ...BOTH, idempotency_key: "k" });
      expect([again.success, again.warnings]).toEqual([true, []]);
      expect(journal(root)).toEqual([]);
    }
  });

  it("[TXN-3] [TXN-4] is finished by the next write in any process, whichever entity it goes to", async () => {
    const root = await cutOff();
    const ws = openTemp({ root });
    await newTask(ws, "TASK-003");
    expect(journal(root)).toEqual([]);
    expect(events(root, "TASK-002").at(-1)!.op.txn).toMatchObject({ n: 2, of: 2 });
    expect(readFileSync(join(root, ".coco/tasks/TASK-002/README.md"), "utf8")).toContain("waits");
    expect(findings(ws)).toEqual([]);
  });

  it("[TXN-4] [regression PROJ-80] is finished with a warning of an edit that was set aside, in the reply of the next call", async () => {
    const root = await cutOff();
    appendFileSync(join(root, ".coco/tasks/TASK-002/README.md"), "mine\n");
    const { warnings } = await call(openTemp({ root }), "tasks_note", { task: "TASK-001", note: "next" });
    expect(warnings).toEqual([expect.objectContaining({ code: "PROJECTION_DRIFT" })]);
    expect(warnings[0]!.message).toContain("README.md of TASK-002");
  });

  it("[TXN-4] is finished with what people wrote before it, which was read in with it", async () => {
    const root = tempFolder();
    const notes = join(root, ".coco/tasks/TASK-002/shared/human-notes.md");
    await cutOff(root, undefined, () => writeFileSync(notes, "# Careful\n"));
    const ws = openTemp({ root });
    await newTask(ws, "TASK-003");
    expect(journal(root)).toEqual([]);
    const last = events(root, "TASK-002").slice(-3);
    expect(last.map(({ type, op }) => [type, op.txn?.n])).toEqual([
      ["notes.changed", undefined],
      ["step.blocked", 2],
      ["gate.blocked", 2],
    ]);
    expect(findings(ws)).toEqual([]);
  });

  it("[TXN-5] is finished by the next write of the process whose first try the system refused", async () => {
    const root = await cutOff();
    const disk = new FaultyDisk();
    const ws = openTemp({ root, disk });
    disk.fail({ kind: "rename", path: ".begun" }, "EIO");
    const { error } = await call(ws, "tasks_batch", { ...BOTH, idempotency_key: "cut" });
    expect(error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason: "TXN_PENDING" } });
    const again = await call(ws, "tasks_batch", { ...BOTH, idempotency_key: "cut" });
    expect([again.success, again.warnings.map((w) => w.code)]).toEqual([true, ["REPLAYED"]]);
    expect([journal(root), findings(ws)]).toEqual([[], []]);
  });

  it("[TXN-5] is not made again by a call with its key while the system refuses to finish it and no log has a line of it", async () => {
    const root = tempFolder();
    let before = "";
    await cutOff(root, ["TASK-001", "TASK-002"], () => (before = readFileSync(logPath(root, "TASK-001"), "utf8")));
    writeFileSync(logPath(root, "TASK-001"), before);
    const disk = new FaultyDisk();
    const ws = openTemp({ root, disk });
    disk.fail({ kind: "rename", path: ".begun" }, "EIO", { times: 50 });
    const again = { ...BOTH, idempotency_key: "cut" };
    for (let i = 0; i < 4; i++) expect(await code(ws, "tasks_batch", again)).toBe("UNKNOWN_OUTCOME");
    disk.mend();
    expect((await call(ws, "tasks_batch", again)).warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    for (const task of ["TASK-001", "TASK-002"]) expect(await blocked(ws, task)).toBe(1);
    expect([journal(root), findings(ws)]).toEqual([[], []]);
  });

  it("[TXN-5] is tried once by each later write while the system refuses it, which then goes on", async () => {
    const root = await cutOff(tempFolder(), ["TASK-001", "TASK-002", "TASK-003"]);
    const disk = new FaultyDisk();
    const ws = openTemp({ root, disk });
    const tries = { kind: "write", path: "TASK-002/events.jsonl" } as const;
    disk.fail(tries, "EIO", { times: 50 });
    for (const note of ["one", "two"]) await ok(ws, "tasks_note", { task: "TASK-003", note });
    expect([journal(root).length, disk.count(tries)]).toEqual([1, 2]);
    disk.mend();
    await ok(ws, "tasks_note", { task: "TASK-003", note: "three" });
    expect([journal(root), findings(ws)]).toEqual([[], []]);
  });

  it("[TXN-5] [TXN-4] a write waits for no lock of one transaction because the system refuses another", async () => {
    const root = await cutOff(tempFolder(), ["TASK-001", "TASK-002", "TASK-003", "TASK-004", "TASK-005"]);
    const [held] = journal(root);
    const folder = join(root, ".coco/registry/journal");
    renameSync(join(folder, held!), join(root, held!));
    const cut = new FaultyDisk();
    cut.fail({ kind: "write", path: "TASK-004/events.jsonl" }, "EIO");
    const other = openTemp({ root, disk: cut });
    expect(await code(other, "tasks_batch", batch(blocking("TASK-003"), blocking("TASK-004")))).toBe("UNKNOWN_OUTCOME");
    cut.die();
    renameSync(join(root, held!), join(folder, held!));
    let tries = 0;
    const locks = gatedLocks((name) => name === "TASK-001" && tries++ >= 0);
    const disk = new FaultyDisk();
    const ws = openTemp({ root, disk, lockTimeoutMs: 30, lockProvider: locks });
    disk.fail({ kind: "write", path: "TASK-004/events.jsonl" }, "EIO", { times: 50 });
    await ok(ws, "tasks_note", { task: "TASK-005", note: "waits for them" });
    tries = 0;
    for (const note of ["one", "two"]) await ok(ws, "tasks_note", { task: "TASK-005", note });
    expect([journal(root).length, tries]).toEqual([2, 2]);
  });

  it("[TXN-4] is finished by the process that could not wait for its locks, once they are free", async () => {
    const root = await cutOff(tempFolder(), ["TASK-001", "TASK-002", "TASK-003"]);
    let isHeld = true;
    let tries = 0;
    const locks = gatedLocks((name) => name === "TASK-001" && (tries++, isHeld));
    const ws = openTemp({ root, lockTimeoutMs: 30, lockProvider: locks });
    await ok(ws, "tasks_note", { task: "TASK-003", note: "waits for them" });
    expect(journal(root)).toHaveLength(1);
    // Later calls try once each, and go on with their own work.
    tries = 0;
    for (const note of ["one", "two"]) await ok(ws, "tasks_note", { task: "TASK-003", note });
    expect([journal(root).length, tries]).toEqual([1, 2]);
    isHeld = false;
    await ok(ws, "tasks_note", { task: "TASK-003", note: "three" });
    expect([journal(root), findings(ws)]).toEqual([[], []]);
    for (const task of ["TASK-001", "TASK-002"]) expect(await blocked(ws, task)).toBe(1);
  });

  it("[TXN-4] whose locks cannot be had puts its lines before those of a call that writes one of its logs", async () => {
    const root = await cutOff(tempFolder(), ["TASK-001", "TASK-002", "TASK-003"]);
    let isHeld = true;
    const locks = gatedLocks((name) => name === "TASK-001" && isHeld);
    const ws = openTemp({ root, lockTimeoutMs: 30, lockProvider: locks });
    for (const note of ["one", "two"]) await ok(ws, "tasks_note", { task: "TASK-002", note });
    expect(journal(root)).toHaveLength(1);
    const placeOf = (text: string): number => logLines(root, "TASK-002").findIndex((line) => line.includes(text));
    expect(placeOf('"step.blocked"')).toBeGreaterThan(0);
    expect(placeOf('"note":"one"')).toBeGreaterThan(placeOf('"step.blocked"'));
    isHeld = false;
    await ok(ws, "tasks_note", { task: "TASK-003", note: "three" });
    expect([journal(root), findings(ws)]).toEqual([[], []]);
    for (const task of ["TASK-001", "TASK-002"]) expect(await blocked(ws, task)).toBe(1);
    for (const id of ["TASK-001", "TASK-002"]) {
      const prevs = logLines(root, id).map((line) => JSON.stringify((JSON.parse(line) as { prev: string[] }).prev));
      expect(new Set(prevs).size).toBe(prevs.length);
    }
  });

  it("[TXN-4] is finished before a call that needs one of its locks itself", async () => {
    const root = await cutOff(tempFolder(), ["TASK-001", "TASK-002", "TASK-003"]);
    let isHeld = true;
    const locks = gatedLocks((name) => name === "TASK-001" && isHeld);
    const ws = openTemp({ root, lockTimeoutMs: 30, lockProvider: locks });
    await ok(ws, "tasks_note", { task: "TASK-003", note: "waits for them" });
    expect(journal(root)).toHaveLength(1);
    isHeld = false;
    await ok(ws, "tasks_note", { task: "TASK-001", note: "behind its lines" });
    expect([journal(root), findings(ws)]).toEqual([[], []]);
    for (const task of ["TASK-001", "TASK-002"]) expect(await blocked(ws, task)).toBe(1);
  });

  it("[DUR-113] [TXN-3] survives a power cut with its journal, also after the folder of the journal was taken away and made anew", async () => {
    const root = tempFolder();
    const disk = new FaultyDisk();
    const ws = openTemp({ root, disk });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    await ok(ws, "tasks_batch", BOTH);
    rmSync(join(root, ".coco/registry"), { recursive: true });
    disk.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
    const again = batch(blocking("TASK-001", "again"), blocking("TASK-002", "again"));
    expect(await code(ws, "tasks_batch", again)).toBe("UNKNOWN_OUTCOME");
    // The system has written the line in the first log on its own.
    disk.losePower((path) => path.includes("TASK-001"));
    const after = openTemp({ root });
    await ok(after, "tasks_note", { task: "TASK-001", note: "next" });
    for (const id of ["TASK-001", "TASK-002"])
      expect(
        logLines(root, id).filter((line) => line.includes('"step.blocked"') && line.includes('"again"')),
        id,
      ).toHaveLength(1);
    expect(findings(after)).toEqual([]);
  });

  it("[TXN-4] is waited for by every write of the process that finishes it", async () => {
    const root = await cutOff();
    const ws = openTemp({ root });
    const notes = ["TASK-001", "TASK-002"].map((task) => ok(ws, "tasks_note", { task, note: "at once" }));
    await Promise.all(notes);
    for (const id of ["TASK-001", "TASK-002"]) {
      const all = events(root, id);
      const part = all.findLast(({ op }) => op.txn !== undefined)!;
      expect(all.find(({ payload }) => payload["note"] === "at once")!.prev, id).toEqual([part.hash]);
    }
  });

  it("[TXN-4] is finished by rebuild too, which goes on with a write that was cut off", async () => {
    const root = await cutOff();
    const [name] = journal(root);
    const lines = readFileSync(join(root, ".coco/registry/journal", name!), "utf8").split("\n");
    const torn = lines.find((line) => line.includes('"taskId":"TASK-002"'))!.slice(0, 100);
    writeFileSync(logPath(root, "TASK-002"), readFileSync(logPath(root, "TASK-002"), "utf8") + torn);
    const kept = readFileSync(join(root, ".coco/registry/journal", name!));
    const ws = openTemp({ root });
    await ws.repair.rebuild();
    expect(findings(ws)).toEqual([]);
    const once = logLines(root, "TASK-002");
    writeFileSync(join(root, ".coco/registry/journal", name!), kept);
    await ws.repair.rebuild();
    expect([logLines(root, "TASK-002"), journal(root)]).toEqual([once, []]);
  });

  it("[TXN-5] counts for readers as if it were in the logs, and they write nothing", async () => {
    const root = await cutOff();
    const before = tree(join(root, ".coco"));
    const ws = openTemp({ root });
    expect([await blocked(ws, "TASK-001"), await blocked(ws, "TASK-002")]).toEqual([1, 1]);
    expect(tree(join(root, ".coco"))).toEqual(before);
  });

  it("[TXN-5] counts for the focus, the log and the texts of files, which write nothing for it", async () => {
    const root = tempFolder();
    const disk = new FaultyDisk();
    const dying = openTemp({ root, disk });
    disk.fail({ kind: "write", path: "TASK-001/events.jsonl" }, "EIO");
    await call(dying, "tasks_bootstrap", { plan_title: "P", task_title: "T", steps: [step] });
    disk.die();
    const ws = openTemp({ root });
    expect(ws.log("TASK-001").events.map((e) => e.type)).toEqual(["task_created", "steps_added"]);
    expect(ws.files("TASK-001").get("README.md")).toContain("# T\n");
    expect(await ok(ws, "tasks_focus_set", { task: "TASK-001" })).toMatchObject({ focus: "TASK-001" });
    expect(readdirSync(join(root, ".coco/tasks"))).toEqual(["PLAN-001"]);
    expect(journal(root)).toHaveLength(1);
  });

  it("[TXN-5] [WATCH-1] counts for a watch, once", ROTATING, async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const before = ws.watch();
    await cutOff(root, []);
    const of = async (events: AsyncIterableIterator<TaskfoldEvent>, n: number): Promise<string[]> => {
      const taken: string[] = [];
      while (taken.length < n) {
        const { value } = await events.next();
        taken.push(`${value!.task} ${value!.type}`);
      }
      return taken;
    };
    const both = ["TASK-001", "TASK-002"].flatMap((id) => [`${id} step_blocked`, `${id} gate_blocked`]);
    expect((await of(before, 5)).toSorted()).toEqual([...both, "TASK-002 step_noted"].toSorted());
    const after = ws.watch();
    expect(journal(root)).toHaveLength(1);
    await ok(ws, "tasks_note", { task: "TASK-002", note: "the end" });
    expect(journal(root)).toEqual([]);
    for (const events of [before, after]) expect(await of(events, 1)).toEqual(["TASK-002 step_noted"]);
  });

  it("[TXN-4] is finished by adopt before it takes anything in", async () => {
    const root = await cutOff();
    const ws = openTemp({ root });
    await ws.repair.adopt("TASK-002", { again: true });
    expect(journal(root)).toEqual([]);
    expect(events(root, "TASK-002").at(-1)!.op.txn).toMatchObject({ n: 2, of: 2 });
    expect(findings(ws)).toEqual([]);
  });

  it("[TXN-5] counts also for what is only being made", async () => {
    const root = tempFolder();
    const disk = new FaultyDisk();
    const dying = openTemp({ root, disk });
    disk.fail({ kind: "write", path: "TASK-001/events.jsonl" }, "EIO");
    expect(await code(dying, "tasks_bootstrap", { plan_title: "P", task_title: "T", steps: [step] })).toBe(
      "UNKNOWN_OUTCOME",
    );
    disk.die();
    expect(readdirSync(join(root, ".coco/tasks"))).toEqual(["PLAN-001"]);
    const ws = openTemp({ root });
    expect(await ok(ws, "tasks_context", {})).toMatchObject({ tasks: [{ id: "TASK-001" }] });
    expect((await ok(ws, "tasks_radar", { task: "TASK-001" }))["target"]).toMatchObject({ parent: "PLAN-001" });
    expect((await ok(ws, "tasks_create", { kind: "task", title: "Next" }))["id"]).toBe("TASK-002");
    expect(readdirSync(join(root, ".coco/tasks")).toSorted()).toEqual(["PLAN-001", "TASK-001", "TASK-002"]);
    expect(findings(ws)).toEqual([]);
  });

  it("[TXN-6] goes to quarantine whole when what it builds on is gone", async () => {
    const root = await cutOff();
    const [first, ...later] = logLines(root, "TASK-002");
    const added = later.filter((line) => line.includes('"steps.added"'));
    writeFileSync(logPath(root, "TASK-002"), [first, ...added, ""].join("\n"));
    // Nor has the other log its part.
    const others = logLines(root, "TASK-001").filter((line) => !line.includes('"txn"'));
    writeFileSync(logPath(root, "TASK-001"), [...others, ""].join("\n"));
    const ws = openTemp({ root });
    await ok(ws, "tasks_note", { task: "TASK-002", note: "after" });
    expect(notesOf(root, "TASK-002")).toEqual(["after"]);
    expect(journal(root)).toEqual([]);
    await ws.repair.rebuild();
    expect(readdirSync(join(root, ".coco/registry/quarantine")).join()).toMatch(/txn-[0-9a-f]+-[0-9a-f]{8}$/);
    expect(findings(ws)).toEqual(["TXN_SET_ASIDE (info)", "LOG_TRUNCATED"]);
  });

  it("[TXN-6] [TXN-4] waits while a log has a part and git took away what another part builds on", async () => {
    const root = await splitByGit();
    const ws = openTemp({ root });
    for (const note of ["one", "two"]) await ok(ws, "tasks_note", { task: "TASK-003", note });
    expect(journal(root)).toHaveLength(1);
    const [pending, ...rest] = ws.verify().findings.filter(({ code }) => code.startsWith("TXN_"));
    expect(pending).toMatchObject({ code: "TXN_PENDING", message: expect.stringContaining("the log of TASK-001.") });
    expect(rest).toEqual([]);
    expect(await blocked(ws, "TASK-001")).toBe(0);
    // git brings it back.
    renameSync(join(root, "taken"), logPath(root, "TASK-001"));
    await ok(ws, "tasks_note", { task: "TASK-003", note: "three" });
    expect([journal(root), findings(ws)]).toEqual([[], []]);
    for (const task of ["TASK-001", "TASK-002"]) expect(await blocked(ws, task)).toBe(1);
  });

  it("[TXN-6] is set aside by resolve with acceptGap, and by no other, while what it waits for is gone", async () => {
    const root = await splitByGit();
    const ws = openTemp({ root });
    await ws.repair.resolve();
    await ws.repair.resolve(undefined, { acceptGap: true, dryRun: true });
    await ws.repair.resolve("TASK-002", { acceptGap: true });
    expect(journal(root)).toHaveLength(1);
    expect(await ws.repair.resolve("TASK-001", { acceptGap: true })).toMatchObject({ changed: true });
    expect(journal(root)).toEqual([]);
    const found = findings(ws).filter((one) => one.startsWith("TXN_"));
    expect(found).toEqual(["TXN_SET_ASIDE (info)", "TXN_INCOMPLETE"]);
  });

  it("[TXN-6] [TXN-4] gives what it makes another name when its own was taken", async () => {
    const root = tempFolder();
    const disk = new FaultyDisk();
    const dying = openTemp({ root, disk });
    disk.fail({ kind: "write", path: "TASK-001/events.jsonl" }, "EIO");
    await call(dying, "tasks_bootstrap", { plan_title: "P", task_title: "Mine", steps: [step] });
    disk.die();
    const other = tempFolder();
    const elsewhere = openTemp({ root: other });
    await newTask(elsewhere, "TASK-001");
    cpSync(join(other, ".coco/tasks/TASK-001"), join(root, ".coco/tasks/TASK-001"), { recursive: true });
    const ws = openTemp({ root });
    await ok(ws, "tasks_edit", { plan: "PLAN-001", priority: "HIGH" });
    const names = readdirSync(join(root, ".coco/tasks")).toSorted();
    expect(names).toEqual(["PLAN-001", "TASK-001", expect.stringMatching(/^TASK-001-[0-9a-f]{6}$/)]);
    expect((await ok(ws, "tasks_radar", { task: names[2]! }))["radar"]).toMatchObject({
      now: expect.stringContaining("Mine"),
    });
  });

  it("[TXN-6] is set aside when nobody can read it", async () => {
    const root = await cutOff();
    const [name] = journal(root);
    writeFileSync(join(root, ".coco/registry/journal", name!), '{"v":1,"parts":[],"sha256":"x"}\nnonsense\n');
    const ws = openTemp({ root });
    expect(await blocked(ws, "TASK-002")).toBe(0);
    await ok(ws, "tasks_note", { task: "TASK-002", note: "after" });
    await ws.repair.rebuild();
    expect(findings(ws)).toEqual(["TXN_SET_ASIDE (info)", "TXN_INCOMPLETE"]);
  });
});

describe("verify", () => {
  it("[VERIFY-9] finds what is pending", async () => {
    const root = await cutOff();
    const found = findings(openTemp({ root }));
    expect(found).toContain("TXN_PENDING");
    expect(found).not.toContain("TXN_INCOMPLETE");
  });

  it("[VERIFY-9] finds a transaction of which only one log has its part", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const before = readFileSync(logPath(root, "TASK-002"));
    await ok(ws, "tasks_batch", BOTH);
    writeFileSync(logPath(root, "TASK-002"), before);
    await ws.repair.resolve(undefined, { acceptGap: true });
    const found = ws.verify().findings.filter((f) => !f.info);
    expect(found).toMatchObject([{ code: "TXN_INCOMPLETE", file: ".coco/tasks/TASK-001/events.jsonl" }]);
    expect(found[0]!.message).toContain("TASK-001, TASK-002");
    expect(ws.verify("TASK-001").findings).toEqual([]);
  });
});

describe("a repeated call", () => {
  it("[TXN-8] gives what the parts said, and changes nothing", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const keyed = { ...BOTH, idempotency_key: "k" };
    const first = await ok(ws, "tasks_batch", keyed);
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", blocked: false });
    const logs = ["TASK-001", "TASK-002"].map((id) => logLines(root, id));
    const again = await call(openTemp({ root }), "tasks_batch", keyed);
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    const plain = (result: unknown): unknown => JSON.parse(JSON.stringify(result));
    expect(plain(again.result)).toEqual(plain(first));
    expect(["TASK-001", "TASK-002"].map((id) => logLines(root, id))).toEqual(logs);
    expect(await code(ws, "tasks_batch", { ...keyed, compact: true })).toBe("IDEMPOTENCY_CONFLICT");
    expect(await code(ws, "tasks_block", { ...blocking("TASK-001").args, idempotency_key: "k" })).toBe(
      "IDEMPOTENCY_CONFLICT",
    );
  });

  it("[TXN-8] says what was done, and shows nothing of what was deleted since", async () => {
    const ws = openTemp();
    const id = await newTask(ws);
    const keyed = { task: id, note: "done", idempotency_key: "k" };
    const first = await ok(ws, "tasks_macro_close_step", keyed);
    await ok(ws, "tasks_delete", { task: id });
    const again = await call(ws, "tasks_macro_close_step", keyed);
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    expect(again.result).toMatchObject({ events: first["events"]!, note_event: first["note_event"]!, resume: null });
  });

  it("[TXN-8] is answered when the first was cut off, once it is finished", async () => {
    const root = await cutOff();
    const ws = openTemp({ root });
    const { warnings } = await call(ws, "tasks_batch", { ...BOTH, idempotency_key: "cut" });
    expect(warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    expect(events(root, "TASK-001").filter((e) => e.type === "step.blocked")).toHaveLength(1);
    expect(findings(ws)).toEqual([]);
  });

  it("[TXN-8] is refused when some of the parts are not here", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
    const before = readFileSync(logPath(root, "TASK-002"));
    await ok(ws, "tasks_batch", { ...BOTH, idempotency_key: "k" });
    writeFileSync(logPath(root, "TASK-002"), before);
    expect(await code(ws, "tasks_batch", { ...BOTH, idempotency_key: "k" })).toBe("LOG_INCOMPLETE");
  });
});

describe("deleting a plan", () => {
  it("[TXN-9] takes its live tasks with it, each with a task.deleted of its own", async () => {
    const root = tempFolder();
    const ws = openTemp({ root });
    await ok(ws, "tasks_create", { title: "Plan" });
    for (const title of ["a", "b", "c"]) await ok(ws, "tasks_create", { parent: "PLAN-001", title });
    await newTask(ws, "TASK-009");
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    const keyed = { plan: "PLAN-001", expected_revision: 1, idempotency_key: "k" };
    const reply = await call(ws, "tasks_delete", keyed);
    expect(reply.error).toBeNull();
    expect(reply.result).toMatchObject({ id: "PLAN-001", deleted: true, deleted_tasks: ["TASK-001", "TASK-003"] });
    expect((reply.result!["events"] as { type: string; task: string }[]).map((e) => [e.type, e.task])).toEqual([
      ["task_deleted", "PLAN-001"],
      ["task_deleted", "TASK-001"],
      ["task_deleted", "TASK-003"],
    ]);
    expect(archived(root)).toEqual(["PLAN-001", "TASK-001", "TASK-002", "TASK-003"]);
    expect(readdirSync(join(root, ".coco/tasks"))).toEqual(["TASK-009"]);
    expect(findings(ws)).toEqual([]);
    const again = await call(ws, "tasks_delete", keyed);
    expect(again.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
    expect(again.result).toMatchObject({ deleted_tasks: ["TASK-001", "TASK-003"] });
  });

  it("[LEASE-4] is not for who names a claim on the plan that is over", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "Plan" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "a" });
    const { lease } = await ok(ws, "tasks_claim", { plan: "PLAN-001" });
    const { fence } = lease as { fence: number };
    expect(await code(ws, "tasks_delete", { plan: "PLAN-001", fence: fence + 1 })).toBe("LEASE_LOST");
    expect(await ok(ws, "tasks_delete", { plan: "PLAN-001", fence })).toMatchObject({ deleted_tasks: ["TASK-001"] });
  });

  it("[TXN-9] compares the plan's revision before anything, and deletes an empty plan alone", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "Plan" });
    expect(await code(ws, "tasks_delete", { plan: "PLAN-001", expected_revision: 7 })).toBe("REVISION_MISMATCH");
    expect(await ok(ws, "tasks_delete", { plan: "PLAN-001" })).toMatchObject({ deleted_tasks: [] });
  });
});

describe("at once", () => {
  it("[TXN-10] transactions over the same tasks in any order, and other calls, all get through", async () => {
    const root = tempFolder();
    const spaces = [openTemp({ root }), openTemp({ root })];
    for (const id of ["TASK-001", "TASK-002"]) await newTask(spaces[0]!, id);
    const calls = Array.from({ length: 24 }, (_, i) => {
      const ws = spaces[i % 2]!;
      if (i % 4 === 3) return call(ws, "tasks_note", { task: "TASK-001", note: `n${i}` });
      if (i % 6 === 4) return call(ws, "tasks_bootstrap", { plan_title: `P${i}`, task_title: "T", steps: [step] });
      const pair = [blocking("TASK-001", `r${i}`), blocking("TASK-002", `r${i}`)];
      return call(ws, "tasks_batch", batch(...(i % 3 === 0 ? pair : pair.toReversed())));
    });
    const replies = await Promise.all(calls);
    expect(replies.filter((r) => !r.success).map((r) => r.error)).toEqual([]);
    for (const id of ["TASK-001", "TASK-002"]) {
      const lines = events(root, id);
      expect(lines.slice(1).every((event, i) => event.prev.join() === lines[i]!.hash)).toBe(true);
    }
    expect(readdirSync(join(root, ".coco/tasks"))).toHaveLength(
      2 + 2 * replies.filter((r) => r.intent === "tasks_bootstrap").length,
    );
    expect(findings(spaces[0]!)).toEqual([]);
  });

  /** A workspace in which another process is always faster: `first` runs to its end before each lock of the workspace. */
  const slower = (root: string, first: () => Promise<unknown>, lockTimeoutMs = 10_000): Workspace => {
    let state: "idle" | "running" | "done" = "idle";
    const isHeld = (name: string): boolean => {
      if (name !== WORKSPACE_LOCK) return false;
      if (state === "idle") {
        state = "running";
        void first().then(() => (state = "done"));
      }
      if (state === "running") return true;
      state = "idle";
      return false;
    };
    return openTemp({ root, lockTimeoutMs, lockProvider: gatedLocks(isHeld) });
  };

  it("[TXN-10] a transaction has its ids with its first turn, also if other processes took those that it looked at", async () => {
    const faster = openTemp();
    let turns = 0;
    const ws = slower(faster.root, async () => {
      turns += 1;
      await ok(faster, "tasks_bootstrap", { plan_title: "Faster", task_title: "Faster", steps: [step] });
    });
    const { plan, task } = await ok(ws, "tasks_bootstrap", { plan_title: "P", task_title: "T", steps: [step] });
    expect([(plan as { id: string }).id, (task as { id: string }).id]).toEqual(["PLAN-002", "TASK-002"]);
    expect(turns).toBe(1);
    // Its locks are free again.
    await ok(faster, "tasks_note", { task: "TASK-002", note: "of another process" });
    expect(findings(ws)).toEqual([]);
  });

  it(
    "[TXN-10] a transaction whose parts change each time goes on until `lockTimeoutMs`, and then changes nothing",
    ROTATING,
    async () => {
      const faster = openTemp();
      await ok(faster, "tasks_create", { title: "Plan" });
      let left = 7;
      const more = async (): Promise<void> => {
        if (left-- > 0) await ok(faster, "tasks_create", { parent: "PLAN-001", title: "One more" });
      };
      const { deleted_tasks } = await ok(slower(faster.root, more), "tasks_delete", { plan: "PLAN-001" });
      expect(deleted_tasks).toHaveLength(7);
      await ok(faster, "tasks_create", { title: "Plan", id: "PLAN-X" });
      const always = () => ok(faster, "tasks_create", { parent: "PLAN-X", title: "One more" });
      const { error } = await call(slower(faster.root, always, 300), "tasks_delete", { plan: "PLAN-X" });
      expect(error).toMatchObject({ code: "STORAGE_FAILED", message: expect.stringContaining("over and over") });
      expect((await call(faster, "tasks_radar", { plan: "PLAN-X" })).error).toBeNull();
    },
  );

  it("[TXN-10] a plan that is deleted takes the task that is being made along, or refuses it", async () => {
    const root = tempFolder();
    const spaces = [openTemp({ root }), openTemp({ root })];
    await ok(spaces[0]!, "tasks_create", { title: "Plan" });
    const [gone, made] = await Promise.all([
      call(spaces[0]!, "tasks_delete", { plan: "PLAN-001" }),
      call(spaces[1]!, "tasks_create", { parent: "PLAN-001", title: "Late" }),
    ]);
    expect(gone.success).toBe(true);
    expect(existsSync(join(root, ".coco/tasks/TASK-001"))).toBe(false);
    expect([made.error?.code ?? "made", archived(root).length]).toEqual(made.success ? ["made", 2] : ["UNKNOWN_ID", 1]);
  });
});

describe("a transaction repeated after a merge", () => {
  it("[TXN-8] the same call again finds its parts also where a merge gave what they made another name", async () => {
    const [one, two] = [tempFolder(), tempFolder()];
    const made = (who: string) => ({
      plan_title: `Plan of ${who}`,
      task_title: `Task of ${who}`,
      steps: [step],
      idempotency_key: who,
    });
    const ada = openTemp({ root: one });
    const bob = openTemp({ root: two, now: ticking(START + 3_600_000) });
    await ok(ada, "tasks_bootstrap", made("ada"));
    await ok(bob, "tasks_bootstrap", made("bob"));
    for (const id of ["PLAN-001", "TASK-001"])
      writeFileSync(logPath(one, id), `${logLines(one, id).concat(logLines(two, id)).join("\n")}\n`);
    const { entities } = await ada.repair.resolve();
    const moved = entities.flatMap(({ split }) => split.map(({ id }) => id)).toSorted();
    expect(moved).toHaveLength(2);
    for (const who of ["ada", "bob"]) {
      const reply = await call(ada, "tasks_bootstrap", made(who));
      expect(reply.error).toBeNull();
      expect(reply.warnings.map((w) => w.code)).toContain("REPLAYED");
      expect(JSON.stringify(reply.result)).toContain(who === "bob" ? moved[1] : '"TASK-001"');
    }
    expect(ada.verify().ok).toBe(true);
  });
});
