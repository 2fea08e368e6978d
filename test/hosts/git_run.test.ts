// @module-tag long
// @module-tag rotating
/** `taskfold git run`: what git sees of a workspace that others write, and what they see meanwhile. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import type { LockKind } from "../../src/engine/locks/machine_locks.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { headDigest } from "../../src/log/canonical.ts";
import { lockProcess } from "../support/lock_process.ts";
import { repository } from "../support/git.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { call, logLines, newTask, notesOf, ok, openTemp } from "../support/workspace.ts";
import { PROGRAM } from "./cli_support.ts";

const TASK = "TASK-001";
const note = (text: string) => ({ task: TASK, note: text });

/** A repository with a task in its commit. */
async function given(kind: LockKind = "os"): Promise<{ clone: Clone; ws: Workspace }> {
  const { ada: clone } = repository();
  const ws = openTemp({ root: clone.root, lock: kind, lockTimeoutMs: 300 });
  await newTask(ws);
  clone.commit("a task");
  return { clone, ws };
}

function gitRun(clone: Clone, ...args: string[]) {
  const options = { cwd: clone.root, env: Clone.env, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "git", "run", "--", ...args], options);
  return { code: status, out: stdout, err: stderr };
}

/** A command of git that waits until the process is told to go on, or is ended. */
async function waiting(clone: Clone) {
  const ready = join(clone.root, "..", "ready");
  rmSync(ready, { force: true });
  const wait = `alias.wait=!touch '${ready}' && exec sleep 60`;
  const child = spawn(process.execPath, [PROGRAM, "git", "run", "--", "-c", wait, "wait"], {
    cwd: clone.root,
    env: Clone.env,
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGTERM"));
  await expect.poll(() => existsSync(ready), { timeout: 20_000 }).toBe(true);
  return { child, ended: once(child, "exit") };
}

describe("git run", () => {
  it("[GIT-100] gives git its arguments, its folder, its input and output, and passes its exit code on", async () => {
    const { clone } = await given();
    const options = { env: Clone.env, encoding: "utf8" } as const;
    const sub = join(clone.root, "sub");
    mkdirSync(sub);
    const said = (args: string[], input = "") => {
      const ran = spawnSync(process.execPath, [PROGRAM, "git", "run", "--", ...args], { ...options, cwd: sub, input });
      return [ran.status, ran.stdout];
    };
    expect(said(["rev-parse", "--show-prefix"])).toEqual([0, "sub/\n"]);
    expect(said(["hash-object", "--stdin"], "x")).toEqual([0, "c1b0730e0133447badcfd47fd144e254807b06e1\n"]);
    expect(said(["rev-parse", "--verify", "-q", "nothing"])).toEqual([1, ""]);
    expect(said(["log", "nothing"])[0]).toBe(128);
    expect(said(["-c", "alias.end=!kill -9 $$", "end"])[0]).toBe(137);
    const misused = spawnSync(process.execPath, [PROGRAM, "git", "run", "stash"], { ...options, cwd: sub });
    expect([misused.status, misused.stderr]).toEqual([2, expect.stringContaining("taskfold git run -- stash")]);
    const outside = spawnSync(process.execPath, [PROGRAM, "git", "run", "--", "status"], {
      ...options,
      cwd: tempFolder(),
    });
    expect([outside.status, outside.stderr]).toEqual([3, expect.stringContaining("NO_WORKSPACE")]);
  });

  it.each(["os", "lockfile"] as const)(
    "[GIT-100] [GIT-102] with locks of kind %s no writer writes while git works, and each refusal names git",
    async (kind) => {
      const { clone, ws } = await given(kind);
      await newTask(ws, "TASK-002");
      const others = openTemp({ root: clone.root, lockTimeoutMs: 60_000 });
      const hold = await internalsOf(openTemp({ root: clone.root })).hold("git stash", "a token");
      const state = (): string => clone.git("status", "--porcelain", "-uall") + logLines(clone.root).join("");
      const before = state();
      const refused = await Promise.all([
        call(ws, "tasks_note", note("one")),
        call(ws, "tasks_create", { title: "Another", kind: "task" }),
        call(ws, "tasks_edit", { task: "TASK-002", title: "Another title" }),
        call(ws, "tasks_delete", { task: "TASK-002" }),
      ]);
      for (const { error } of refused) {
        expect(error?.code).toBe("LOCK_TIMEOUT");
        expect(error?.message).toMatch(
          /process \d+ has held the workspace for \d+ ms for "git stash"\. Nothing was written\./,
        );
        expect(error?.details).toMatchObject({ pid: process.pid, command: "git stash" });
      }
      const waits = call(others, "tasks_note", note("waited"));
      expect((await ws.repair.rebuild(TASK)).findings.map((one) => one.code)).toEqual(["PROJECTION_FAILED"]);
      expect(state()).toBe(before);
      expect(hold.isThere()).toBe(true);
      hold.release();
      expect((await waits).success).toBe(true);
      expect((await call(ws, "tasks_note", note("after"))).success).toBe(true);
      expect(notesOf(clone.root)).toEqual(["waited", "after"]);
      expect(existsSync(join(clone.root, ".coco/locks/held"))).toBe(false);
      hold.release();
    },
  );

  it("[GIT-100] sees the files of every writer at the end of their logs", async () => {
    const { clone } = await given();
    const behind = openTemp({ root: clone.root, projections: "manual", durability: "group" });
    await ok(behind, "tasks_note", note("not folded yet"));
    expect(readFileSync(join(clone.root, ".coco/tasks/TASK-001/README.md"), "utf8")).not.toContain("not folded yet");
    expect(gitRun(clone, "stash").code).toBe(0);
    expect(clone.git("show", "stash@{0}:.coco/tasks/TASK-001/README.md")).toContain("not folded yet");
    expect(clone.git("show", "stash@{0}:.coco/tasks/TASK-001/events.jsonl")).toContain("not folded yet");
    expect(clone.git("status", "--porcelain")).toBe("");
  });

  it.each(["os", "lockfile"] as const)(
    "[GIT-102] is refused where a lock of kind %s does not get free in time, and names its holder",
    async (kind) => {
      const { clone, ws } = await given(kind);
      const holder = await lockProcess(kind, clone.root);
      await holder.tell("acquire", { timeoutMs: 5000 });
      const refused = internalsOf(openTemp({ root: clone.root, lockTimeoutMs: 100 })).hold("git stash", "a token");
      await expect(refused).rejects.toMatchObject({ code: "LOCK_TIMEOUT", details: { pid: holder.pid } });
      expect((await call(ws, "tasks_create", { title: "Another", kind: "task" })).success).toBe(true);
      await holder.tell("release");
      expect((await call(ws, "tasks_note", note("after"))).success).toBe(true);
    },
  );

  it("[GIT-102] a second one waits for the first, and names its command", async () => {
    const { clone } = await given();
    const [one, other] = [300, 60_000].map((lockTimeoutMs) => openTemp({ root: clone.root, lockTimeoutMs }));
    const first = await internalsOf(openTemp({ root: clone.root })).hold("git rebase main", "first");
    await expect(internalsOf(one!).hold("git stash", "second")).rejects.toMatchObject({
      details: { command: "git rebase main" },
    });
    const second = internalsOf(other!).hold("git stash", "second");
    first.release();
    (await second).release();
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("[GIT-100] passes %s on to git, and ends with it", async (signal, code) => {
    const { clone, ws } = await given();
    const { child, ended } = await waiting(clone);
    expect((await call(ws, "tasks_note", note("meanwhile"))).error?.code).toBe("LOCK_TIMEOUT");
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
    expect((await call(ws, "tasks_note", note("after"))).success).toBe(true);
  });

  it.each(["os", "lockfile"] as const)("[GIT-100] lets go if it is killed, with locks of kind %s", async (kind) => {
    const { clone, ws } = await given(kind);
    const { child, ended } = await waiting(clone);
    child.kill("SIGKILL");
    await ended;
    expect(existsSync(join(clone.root, ".coco/locks/held"))).toBe(true);
    expect((await call(ws, "tasks_note", note("after"))).success).toBe(true);
    expect(existsSync(join(clone.root, ".coco/locks/held"))).toBe(false);
    expect(gitRun(clone, "stash").code).toBe(0);
  });

  it("[GIT-106] lets programs that git starts write: hooks, the driver, and a second git run", async () => {
    const { clone } = await given();
    const taskfold = `'${process.execPath}' '${PROGRAM}'`;
    clone.program(PROGRAM, "git", "install", "--hooks");
    clone.git("config", "alias.note", `!${taskfold} note 1 from-an-alias`);
    clone.git("config", "alias.twice", `!${taskfold} git run -- note`);
    expect(gitRun(clone, "note")).toMatchObject({ code: 0, err: "" });
    expect(gitRun(clone, "twice")).toMatchObject({ code: 0, err: "" });
    expect(notesOf(clone.root)).toEqual(["from-an-alias", "from-an-alias"]);
    writeFileSync(join(clone.root, ".git/hooks/post-checkout"), `#!/bin/sh\n${taskfold} note 1 from-a-hook\n`, {
      mode: 0o755,
    });
    expect(gitRun(clone, "commit", "-qam", "notes").code).toBe(0);
    expect(gitRun(clone, "checkout", "-q", "-b", "side").code).toBe(0);
    expect(notesOf(clone.root).at(-1)).toBe("from-a-hook");
  });

  it("[GIT-106] holds each workspace of the work tree, and says where git took the locks away", async () => {
    const { clone } = await given();
    const sub = join(clone.root, "packages/sub");
    mkdirSync(sub, { recursive: true });
    await newTask(openTemp({ root: sub }));
    clone.commit("a second workspace");
    const show = "alias.held=!cat .coco/locks/held packages/sub/.coco/locks/held";
    for (const from of [".", "packages"]) {
      const { code, out } = gitRun(clone, "-C", from, "-c", show, "held");
      expect(code).toBe(0);
      const tokens = out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { token: string }).token);
      expect(new Set(tokens).size).toBe(1);
      expect(tokens).toHaveLength(2);
    }
    const { code, err } = gitRun(clone, "clean", "-fdXq");
    expect(code).toBe(0);
    expect(err).toContain(`git removed ${join(clone.root, ".coco/locks")}`);
    expect(err).toContain(`git removed ${join(sub, ".coco/locks")}`);
  });

  it("[GIT-100] of all that processes write beside stashes, each note is in the log or in a stash, which hold right files", async () => {
    const { clone } = await given();
    const worker = join(ROOT, "test/support/note_worker.mjs");
    const writers = ["a", "b"].map((name) =>
      once(spawn(process.execPath, [worker, clone.root, name, "30", TASK], { stdio: "inherit" }), "exit"),
    );
    const done = Promise.all(writers);
    let running = true;
    void done.then(() => (running = false));
    while (running) {
      gitRun(clone, "stash");
      await new Promise((go) => setTimeout(go, 20));
    }
    expect(await done).toEqual([
      [0, null],
      [0, null],
    ]);
    const stashes = clone.git("stash", "list", "--format=%H").split("\n").filter(Boolean);
    expect(stashes.length).toBeGreaterThan(0);
    const found = new Set(notesOf(clone.root));
    for (const stash of stashes) {
      const at = clone.git("show", `${stash}:.coco/tasks/TASK-001/events.jsonl`);
      const yaml = clone.git("show", `${stash}:.coco/tasks/TASK-001/task.yaml`);
      const events = at
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { hash: string; payload: { note?: string } });
      for (const { payload } of events) if (payload.note !== undefined) found.add(payload.note);
      expect(yaml).toContain(`head: ["${headDigest([events.at(-1)!.hash])}"`);
    }
    const wanted = ["a", "b"].flatMap((name) => Array.from({ length: 30 }, (_, i) => `${name} ${i}`));
    expect(wanted.filter((text) => !found.has(text))).toEqual([]);
  });
});
