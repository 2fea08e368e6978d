// @module-tag long
// @module-tag rotating
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { repository } from "../support/git.ts";
import { call, code, logLines, logPath, newTask, notesOf, ok, openTemp, tree } from "../support/workspace.ts";

/** A task with four notes; the second one's line is cut out, and given with its hash. */
async function withoutALine(ws: Workspace, id = "TASK-001"): Promise<{ line: string; hash: string }> {
  await newTask(ws, id, ["one"]);
  for (const note of ["kept", "lost", "waits", "waits too"]) await ok(ws, "tasks_note", { task: id, note });
  return cut(ws.root, ["lost"], id);
}

function cut(root: string, notes: string[], id = "TASK-001"): { line: string; hash: string } {
  const lines = logLines(root, id);
  const gone = lines.filter((line) => notes.some((note) => line.includes(`"note":"${note}"`)));
  writeFileSync(
    logPath(root, id),
    lines
      .filter((line) => !gone.includes(line))
      .map((line) => `${line}\n`)
      .join(""),
  );
  return { line: gone.at(-1)!, hash: (JSON.parse(gone.at(-1)!) as { hash: string }).hash };
}

const ALL = ["kept", "lost", "waits", "waits too"];

describe("lines that others wait for", () => {
  // A transaction that fits no log is set aside before anything else is done.
  const txn = /^\.coco\/registry\/quarantine\/txn-some-transaction-/;
  it.each([
    ["unsynced/TASK-001/x", ".coco/registry/unsynced/TASK-001/x"],
    ["quarantine/TASK-001-0a0b0c0d", ".coco/registry/quarantine/TASK-001-0a0b0c0d"],
    ["journal/some-transaction", expect.stringMatching(txn) as string],
  ])("[RESOLVE-14] come back from %s of the registry", async (name, from) => {
    const ws = openTemp();
    const { line, hash } = await withoutALine(ws);
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "no" })).toBe("LOG_INCOMPLETE");
    const file = join(ws.root, ".coco/registry", name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, `what a crash left {\n${line}\n`);
    const report = await ws.repair.resolve("TASK-001");
    expect(report.missing).toEqual([]);
    expect(report.entities).toMatchObject([{ found: [{ hash, from }], declared: [] }]);
    expect(notesOf(ws.root).toSorted()).toEqual(ALL.toSorted());
    await ok(ws, "tasks_note", { task: "TASK-001", note: "goes on" });
  });

  it("[RESOLVE-14] come back from the log of another task, but a line that counts there is not taken from it", async () => {
    const ws = openTemp();
    const { line, hash } = await withoutALine(ws);
    await newTask(ws, "TASK-002", ["one"]);
    await ok(ws, "tasks_note", { task: "TASK-002", note: "its own" });
    await ok(ws, "tasks_note", { task: "TASK-002", note: "strays" });
    // Two lines of the second task in the first one's log: they build on what counts in the second.
    const stray = logLines(ws.root, "TASK-002").at(-1)!;
    appendFileSync(logPath(ws.root), `${stray}\n`);
    appendFileSync(logPath(ws.root, "TASK-002"), `${line}\n`);
    const report = await ws.repair.resolve("TASK-001");
    expect(report.entities[0]!.found).toEqual([{ hash, from: ".coco/tasks/TASK-002/events.jsonl" }]);
    expect(report.missing).toEqual([{ id: "TASK-001", hashes: (JSON.parse(stray) as { prev: string[] }).prev }]);
    expect(report.entities[0]!.split).toEqual([]);
    expect(notesOf(ws.root)).toContain("lost");
  });

  it("[RESOLVE-14] come back from a commit, with all that they build on in turn", async () => {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root });
    await withoutALine(ws);
    await ws.repair.resolve(undefined, { acceptGap: false });
    ada.commit("never had them");
    await newTask(ws, "TASK-002", ["one"]);
    for (const note of ALL) await ok(ws, "tasks_note", { task: "TASK-002", note });
    ada.commit("whole");
    const had = ada.head();
    cut(ada.root, ["kept", "lost"], "TASK-002");
    ada.commit("two lines cut out by hand");
    const git = openGit(ada.root)!;
    const report = await ws.repair.resolve("TASK-002", { git });
    expect(report.entities[0]!.found.map(({ from }) => from)).toEqual(
      [had, had].map((commit) => `commit ${commit.slice(0, 12)}`),
    );
    expect(report).toMatchObject({ missing: [], findings: [] });
    expect(notesOf(ada.root, "TASK-002")).toEqual(ALL);
    expect((await ws.repair.resolve("TASK-002", { git })).changed).toBe(false);
    // What no commit has stays missing.
    expect((await ws.repair.resolve("TASK-001", { git })).missing).toHaveLength(1);
  });

  it("[RESOLVE-14] come back from another branch, a dropped commit, a stash, and on a clone from what was fetched", async () => {
    const { ada, cloneOf } = repository();
    const ws = openTemp({ root: ada.root });
    await newTask(ws, "TASK-001", ["one"]);
    ada.commit("begin");
    const bob = cloneOf(ada, "bob");
    const base = ada.head();
    for (const note of ALL) await ok(ws, "tasks_note", { task: "TASK-001", note });
    const whole = readFileSync(logPath(ada.root));
    const lose = (clone = ada): void => {
      writeFileSync(logPath(clone.root), whole);
      cut(clone.root, ["lost"]);
    };
    const heal = async (clone = ada): Promise<void> => {
      lose(clone);
      const healed = openTemp({ root: clone.root });
      const { missing } = await healed.repair.resolve("TASK-001", { git: openGit(clone.root)! });
      expect(missing).toEqual([]);
      expect(notesOf(clone.root)).toEqual(ALL);
      clone.git("checkout", "-q", "-f", "main");
    };
    lose();
    expect((await ws.repair.resolve("TASK-001", { git: openGit(ada.root)! })).missing).toHaveLength(1);
    writeFileSync(logPath(ada.root), whole);
    ada.git("stash", "-q");
    await heal();
    ada.git("checkout", "-q", "-b", "work");
    ada.git("stash", "pop", "-q");
    ada.commit("work");
    ada.git("checkout", "-q", "main");
    bob.git("fetch", "-q", ada.root, "work");
    await heal(bob);
    await heal();
    ada.git("stash", "clear");
    ada.git("checkout", "-q", "-B", "work", base);
    ada.git("checkout", "-q", "main");
    await heal();
  });

  it("[RESOLVE-1] [RESOLVE-14] a dry run tells what would come back and what would not, and changes nothing", async () => {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root });
    await newTask(ws, "TASK-001", ["one"]);
    for (const note of ALL) await ok(ws, "tasks_note", { task: "TASK-001", note });
    ada.commit("whole");
    await ok(ws, "tasks_note", { task: "TASK-001", note: "not committed" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "last" });
    const { hash } = cut(ada.root, ["not committed"]);
    cut(ada.root, ["lost"]);
    const before = tree(join(ada.root, ".coco"));
    const git = openGit(ada.root)!;
    const report = await ws.repair.resolve(undefined, { git, dryRun: true });
    expect(report.entities[0]!.found).toHaveLength(1);
    expect(report.missing).toEqual([{ id: "TASK-001", hashes: [hash] }]);
    const declared = await ws.repair.resolve(undefined, { git, dryRun: true, acceptGap: true });
    expect(declared).toMatchObject({ missing: [], entities: [{ declared: [hash] }] });
    expect(tree(join(ada.root, ".coco"))).toEqual(before);
  });

  it("[RESOLVE-14] the refusal names the call, and so does the warning of a read", async () => {
    const ws = openTemp();
    await withoutALine(ws);
    const refused = await call(ws, "tasks_note", { task: "TASK-001", note: "no" });
    expect(refused.error).toMatchObject({ code: "LOG_INCOMPLETE" });
    expect(refused.error!.recovery).toMatch(/taskfold resolve TASK-001.*--accept-gap/);
    const read = await call(ws, "tasks_radar", { task: "TASK-001" });
    expect(read.warnings).toMatchObject([{ code: "LOG_INCOMPLETE", recovery: "taskfold resolve TASK-001" }]);
  });
});

describe("lines that nobody has any more", () => {
  it("[RESOLVE-15] are named, and declared lost only when that is asked for; what waited goes on", async () => {
    const ws = openTemp();
    const { hash } = await withoutALine(ws);
    const before = readFileSync(logPath(ws.root), "utf8");
    const named = await ws.repair.resolve();
    expect(named.missing).toEqual([{ id: "TASK-001", hashes: [hash] }]);
    expect(named.findings.map((f) => f.code)).toContain("OP_HELD");
    expect(readFileSync(logPath(ws.root), "utf8")).toBe(before);
    const report = await ws.repair.resolve("TASK-001", { acceptGap: true });
    expect(report).toMatchObject({ missing: [], findings: [], entities: [{ declared: [hash] }] });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "goes on" });
    expect(notesOf(ws.root)).toEqual(["kept", "waits", "waits too", "goes on"]);
    expect((await ws.repair.resolve(undefined, { acceptGap: true })).changed).toBe(false);
  });

  it.each([
    ["first", 2],
    ["second", 3],
  ])("[VERIFY-2] [RESOLVE-15] also when the %s event of an op is lost and the other stays", async (_which, lost) => {
    const ws = openTemp();
    await newTask(ws, "TASK-001", ["one"]);
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "waits" });
    writeFileSync(logPath(ws.root), `${logLines(ws.root).toSpliced(lost, 1).join("\n")}\n`);
    expect(ws.verify().ok).toBe(false);
    const report = await ws.repair.resolve("TASK-001", { acceptGap: true });
    expect(report.missing).toEqual([]);
    expect(report.findings.filter((f) => !f.info)).toEqual([]);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "goes on" });
    expect(notesOf(ws.root)).toEqual(["waits", "goes on"]);
    expect(ws.verify().ok).toBe(true);
  });

  it("[RESOLVE-15] two clones that miss the same lines write the same bytes", async () => {
    const { ada, cloneOf } = repository();
    const a = openTemp({ root: ada.root });
    await withoutALine(a);
    ada.commit("with a gap");
    const bob = cloneOf(ada, "bob");
    const b = openTemp({ root: bob.root, by: "human:bob", now: () => Date.UTC(2030, 1, 1) });
    await a.repair.resolve("TASK-001", { acceptGap: true });
    await b.repair.resolve("TASK-001", { acceptGap: true });
    expect(readFileSync(logPath(bob.root))).toEqual(readFileSync(logPath(ada.root)));
    expect(logLines(ada.root).filter((line) => line.includes('"log.gap"'))).toHaveLength(1);
    ada.commit("ada");
    bob.commit("bob");
    expect(ada.merge(bob)).toBe(true);
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: ada.root, encoding: "utf8" })).toBe("");
  });

  it("[LOG-13] [RESOLVE-15] a line that turns up after all is used, and the declaration has no effect", async () => {
    const ws = openTemp();
    const { line } = await withoutALine(ws);
    await ws.repair.resolve("TASK-001", { acceptGap: true });
    appendFileSync(logPath(ws.root), `${line}\n`);
    await ws.repair.resolve("TASK-001");
    const events = ws
      .log("TASK-001")
      .events.map((event) => (event as { note?: string }).note)
      .filter((note) => note !== undefined);
    expect(events).toEqual(ALL);
  });

  it("[RESOLVE-15] a log without its first event has nothing to go on from, and declares nothing", async () => {
    const ws = openTemp();
    await withoutALine(ws);
    writeFileSync(logPath(ws.root), `${logLines(ws.root).slice(1).join("\n")}\n`);
    const before = readFileSync(logPath(ws.root), "utf8");
    const report = await ws.repair.resolve("TASK-001", { acceptGap: true });
    expect(report.missing[0]!.hashes).toHaveLength(2);
    expect(readFileSync(logPath(ws.root), "utf8")).toBe(before);
  });
});
