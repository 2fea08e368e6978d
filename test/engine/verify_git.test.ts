// @module-tag long
// @module-tag rotating
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { Clone } from "../support/git_clone.mjs";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { logPath, newTask, notesOf, ok, openTemp, tree } from "../support/workspace.ts";

const LOG = ".coco/tasks/TASK-001/events.jsonl";

/** A repository whose main branch has one note, then another in a commit of its own. */
async function twoNotes(): Promise<{ ada: Clone; ws: Workspace; cloneOf: (clone: Clone, name: string) => Clone }> {
  const { ada, cloneOf } = repository();
  const ws = openTemp({ root: ada.root });
  await newTask(ws, "TASK-001", ["one"]);
  await note(ws, "first");
  ada.commit("first");
  await note(ws, "second");
  ada.commit("second");
  return { ada, ws, cloneOf };
}

async function note(ws: Workspace, text: string): Promise<void> {
  await ok(ws, "tasks_note", { task: "TASK-001", note: text });
}

const git = (clone: Clone) => ({ git: openGit(clone.root)! });

function lost(ws: Workspace, clone: Clone): string[] {
  return ws
    .verify(undefined, git(clone))
    .findings.filter((f) => f.code === "LINE_LOST")
    .map(({ file, message, recovery }) => `${file}: ${message} ${recovery}`);
}

/** Everything that was lost comes back, and nothing is left to find. */
async function bringsBack(clone: Clone, notes: string[]): Promise<void> {
  const ws = openTemp({ root: clone.root });
  const before = tree(join(clone.root, ".coco"), { times: false });
  expect((await ws.repair.resolve(undefined, { ...git(clone), restore: true, dryRun: true })).entities).toHaveLength(1);
  expect(tree(join(clone.root, ".coco"), { times: false })).toEqual(before);
  const report = await ws.repair.resolve(undefined, { ...git(clone), restore: true, stage: true });
  expect(report.findings.filter((f) => !f.info)).toEqual([]);
  expect(report.entities[0]!.found.length).toBeGreaterThan(0);
  expect(notesOf(clone.root).toSorted()).toEqual(notes.toSorted());
  expect(lost(ws, clone)).toEqual([]);
  clone.commit("brought back");
  expect((await ws.repair.resolve(undefined, { ...git(clone), restore: true })).changed).toBe(false);
}

describe("what the branch lost", () => {
  it("[VERIFY-13] nothing is found where nothing was lost, in however odd an order lines stand", async () => {
    const { ada, ws, cloneOf } = await twoNotes();
    const bob = cloneOf(ada, "bob");
    const b = openTemp({ root: bob.root, by: "human:bob" });
    await note(b, "of bob");
    bob.commit("bob");
    await note(ws, "of ada");
    ada.commit("ada");
    // Not merged yet: another branch's work is not lost.
    ada.git("fetch", "-q", bob.root, "main:bob");
    expect(lost(ws, ada)).toEqual([]);
    ada.merge(bob);
    await ws.repair.resolve(undefined, { ...git(ada), stage: true });
    ada.conclude("merge");
    await newTask(ws, "TASK-002", ["one"]);
    ada.commit("another");
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    ada.commit("deleted: in the archive now");
    expect(ws.verify(undefined, git(ada))).toMatchObject({ ok: true, findings: [] });
  });

  it("[VERIFY-13] [RESOLVE-16] a revert: the line, its file, and the commit that took it", async () => {
    const { ada, ws } = await twoNotes();
    ada.git("revert", "--no-edit", "HEAD");
    expect(notesOf(ada.root)).toEqual(["first"]);
    expect(ws.verify().ok).toBe(true);
    const found = lost(ws, ada);
    expect(found).toHaveLength(1);
    const { entities } = await ws.repair.resolve(undefined, { ...git(ada), restore: true, dryRun: true });
    expect(entities[0]!.found.map(({ from }) => from)).toEqual([`before commit ${ada.head().slice(0, 12)}`]);
    expect(found[0]).toContain(`${LOG}: Expected the event `);
    expect(found[0]).toContain("(step.noted by human:local");
    expect(found[0]).toContain(`commit ${ada.head().slice(0, 12)} took it out`);
    expect(found[0]).toContain("taskfold resolve TASK-001 --git");
    await bringsBack(ada, ["first", "second"]);
  });

  it("[VERIFY-13] [RESOLVE-16] a merge that kept one side", async () => {
    const { ada, ws, cloneOf } = await twoNotes();
    const bob = cloneOf(ada, "bob");
    const b = openTemp({ root: bob.root, by: "human:bob" });
    await note(b, "of bob");
    await note(b, "of bob again");
    bob.commit("bob");
    await note(ws, "of ada");
    ada.commit("ada");
    ada.git("fetch", "-q", bob.root, "main");
    ada.git("merge", "-q", "--no-edit", "-s", "ours", "FETCH_HEAD");
    await note(ws, "after the merge");
    ada.commit("on it goes");
    expect(lost(ws, ada)).toHaveLength(2);
    await bringsBack(ada, ["first", "second", "of ada", "of bob", "of bob again", "after the merge"]);
  });

  it("[VERIFY-13] [RESOLVE-16] commits that were dropped by a reset and by a rebase", async () => {
    const { ada, ws } = await twoNotes();
    const dropped = ada.head();
    ada.git("reset", "-q", "--hard", "HEAD~1");
    expect(lost(ws, ada)).toEqual([expect.stringContaining(`commit ${dropped.slice(0, 12)} of this branch has it`)]);
    await bringsBack(ada, ["first", "second"]);
    await note(openTemp({ root: ada.root }), "third");
    ada.commit("third");
    ada.git("rebase", "-q", "--onto", "HEAD~2", "HEAD~1", "--empty=drop", "-X", "ours");
    await openTemp({ root: ada.root }).repair.resolve();
    ada.git("reset", "-q", "--hard", "HEAD~1");
    expect(notesOf(ada.root)).toEqual(["first"]);
    await bringsBack(ada, ["first", "second", "third"]);
  });

  it("[VERIFY-14] with a base: what was lost since the branch left it, by a commit or by the merge that brings it in", async () => {
    const { ada, ws, cloneOf } = await twoNotes();
    const since = (base: string): string[] =>
      ws
        .verify(undefined, { ...git(ada), gitBase: base })
        .findings.filter((f) => f.code === "LINE_LOST")
        .map(({ message }) => /commit ([0-9a-f]{12})/.exec(message)![1]!);
    const beforeLoss = ada.head();
    ada.git("revert", "--no-edit", "HEAD");
    const reverted = ada.head().slice(0, 12);
    ada.git("tag", "known");
    expect([lost(ws, ada).length, since("known"), since(beforeLoss)]).toEqual([1, [], [reverted]]);
    const bob = cloneOf(ada, "bob");
    await note(openTemp({ root: bob.root, by: "human:bob" }), "of bob");
    bob.commit("bob");
    ada.git("fetch", "-q", bob.root, "main:bob");
    // What only the base has is not lost, until a merge that drops it says that it is in.
    expect(since("bob")).toEqual([]);
    await note(ws, "of ada");
    ada.commit("ada");
    ada.git("checkout", "-q", "HEAD~1", "--", LOG);
    expect(since("bob")).toEqual([ada.head().slice(0, 12)]);
    ada.git("reset", "-q", "--hard");
    ada.git("merge", "-q", "--no-edit", "-s", "ours", "bob");
    expect(since("bob")).toEqual([ada.head().slice(0, 12)]);
  });

  it.each(["merge", "rebase"])(
    "[VERIFY-14] what the base had lost is not told again after a %s with it",
    async (how) => {
      const { ada, ws } = await twoNotes();
      const since = () => ws.verify(undefined, { ...git(ada), gitBase: "main" }).findings.map((f) => f.code);
      ada.git("checkout", "-q", "-b", "work");
      writeFileSync(join(ada.root, "work.txt"), "work");
      ada.commit("work");
      ada.git("checkout", "-q", "main");
      ada.git("revert", "--no-edit", "HEAD");
      ada.git("checkout", "-q", "work");
      ada.git(...(how === "merge" ? ["merge", "-q", "--no-edit", "main"] : ["rebase", "-q", "main"]));
      expect([lost(ws, ada).length, since().includes("LINE_LOST")]).toEqual([1, false]);
      // Brought back, it is lost anew.
      await ws.repair.resolve(undefined, { ...git(ada), restore: true });
      ada.commit("brought back");
      ada.git("checkout", "-q", "main");
      ada.git("merge", "-q", "--no-edit", "work");
      ada.git("checkout", "-q", "work");
      ada.git("revert", "--no-edit", "HEAD");
      expect(since()).toContain("LINE_LOST");
    },
  );

  it("[VERIFY-14] a base that is not there, or without git, is refused", async () => {
    const { ada, ws } = await twoNotes();
    for (const gitBase of ["nowhere", "--output=x", "", "^main"])
      expect(() => ws.verify(undefined, { ...git(ada), gitBase })).toThrow(
        expect.objectContaining({ code: "INVALID_INPUT", message: expect.stringContaining(JSON.stringify(gitBase)) }),
      );
    expect(() => ws.verify(undefined, { gitBase: "main" })).toThrow(expect.objectContaining({ code: "INVALID_INPUT" }));
  });

  it("[VERIFY-13] [RESOLVE-16] a log that is gone from the work tree, and one whose folder a commit removed", async () => {
    const { ada, ws } = await twoNotes();
    rmSync(join(ada.root, ".coco/tasks/TASK-001"), { recursive: true });
    expect(lost(ws, ada)).toHaveLength(4);
    expect(ws.verify("TASK-001", git(ada)).findings.filter((f) => f.code === "LINE_LOST")).toHaveLength(4);
    ada.commit("folder removed");
    await bringsBack(ada, ["first", "second"]);
    expect(() => ws.verify("TASK-009", git(ada))).toThrow("TASK-009");
  });

  it("[VERIFY-13] a long list is cut, and says how many there are", async () => {
    const { ada, ws } = await twoNotes();
    for (let i = 0; i < 24; i++) await note(ws, `more ${i}`);
    ada.commit("more");
    ada.git("reset", "-q", "--hard", "HEAD~1");
    const found = lost(ws, ada);
    expect(found).toHaveLength(21);
    expect(found.filter((text) => text.includes("Expected 4 more lines"))).toHaveLength(1);
  });

  it("[VERIFY-13] in a folder below the top of the repository, with every setting against it, and on a shallow clone", async () => {
    const folder = tempFolder();
    const top = Clone.init(folder);
    const root = join(folder, "packages/app");
    mkdirSync(root, { recursive: true });
    const ws = openTemp({ root });
    await newTask(ws, "TASK-001", ["one"]);
    top.commit("begin");
    await note(ws, "first");
    top.commit("first");
    top.git("revert", "--no-edit", "HEAD");
    await note(ws, "second");
    top.commit("second");
    const shallow = tempFolder();
    execFileSync("git", ["clone", "-q", "--depth", "3", `file://${folder}`, shallow]);
    for (const [name, value] of Object.entries({
      "color.ui": "always",
      "diff.mnemonicPrefix": "true",
      "diff.noprefix": "true",
      "diff.external": "false",
      "diff.context": "5",
      "log.showRoot": "false",
      "log.follow": "true",
      "log.diffMerges": "off",
      "log.decorate": "full",
      "format.pretty": "fuller",
    }))
      top.git("config", name, value);
    expect(lost(ws, new Clone(root))).toHaveLength(1);
    const cut = openTemp({ root: join(shallow, "packages/app") });
    expect(lost(cut, new Clone(cut.root))).toHaveLength(1);
  });

  it("[VERIFY-13] [RESOLVE-16] lines of several logs, lost here and there in them, each come back to their own", async () => {
    const { ada, ws } = await twoNotes();
    await newTask(ws, "TASK-002", ["one"]);
    for (const task of ["TASK-001", "TASK-002"])
      for (let i = 0; i < 12; i++) await ok(ws, "tasks_note", { task, note: `more ${i}` });
    ada.commit("more");
    const before = [1, 2].map((n) => readFileSync(logPath(ada.root, `TASK-00${n}`), "utf8"));
    for (const n of [1, 2]) {
      const lines = before[n - 1]!.split("\n");
      writeFileSync(logPath(ada.root, `TASK-00${n}`), lines.filter((_, i) => i !== 3 && i !== 9).join("\n"));
    }
    ada.commit("cut");
    ada.git("config", "diff.interHunkContext", "10");
    const found = lost(ws, ada).map((text) => text.split(":")[0]);
    expect(found).toEqual([LOG, LOG, LOG, LOG].map((log, i) => (i < 2 ? log : log.replace("001", "002"))));
    await ws.repair.resolve(undefined, { ...git(ada), restore: true });
    expect([1, 2].map((n) => readFileSync(logPath(ada.root, `TASK-00${n}`), "utf8"))).toEqual(before);
  });

  it("[VERIFY-13] what git says is told when it refuses, with the name of the command", async () => {
    const { ada, ws } = await twoNotes();
    writeFileSync(join(ada.root, ".git/index"), "no index");
    expect(() => lost(ws, ada)).toThrow(/^Expected git diff-tree to succeed, but it said: .*index/);
  });

  it("[VERIFY-13] a repository without a commit has nothing to lose", async () => {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root });
    await newTask(ws, "TASK-001", ["one"]);
    expect(ws.verify(undefined, git(ada))).toMatchObject({ ok: true });
    expect((await ws.repair.resolve(undefined, { ...git(ada), restore: true })).changed).toBe(false);
    expect(logPath(ada.root)).toContain("TASK-001");
  });
});
