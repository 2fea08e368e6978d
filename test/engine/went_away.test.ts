// @module-tag long
// @module-tag rotating
/** A plan or task that git took away whole: it is told once, nothing that a person wanted is, and it comes back. */
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import type { Disk, FileStat } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { passTime } from "../support/clock.ts";
import { repository } from "../support/git.ts";
import { committedTask } from "../support/knows_git.ts";
import { settle } from "../support/settle.ts";
import { call, logLines, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";

const [FIRST, NEW] = ["TASK-001", "TASK-002"];

/** A second task, with a note. */
async function made(ws: Workspace, id = NEW): Promise<void> {
  await newTask(ws, id);
  await ok(ws, "tasks_note", { task: id, note: `kept in ${id}` });
}

/** The second task stands on the branch side alone, and main is checked out. */
async function madeOnSide(clone: Clone, ws: Workspace): Promise<void> {
  clone.git("switch", "-qc", "side");
  await made(ws);
  clone.commit("side");
  clone.git("switch", "-q", "main");
}

function blocked(path: string) {
  return { tool: "tasks_block", args: { task: FIRST, path, reason: "waits" } };
}

interface Told {
  message: string;
  recovery?: string;
}

/** What the next write tells, of the task that stays. */
async function told(ws: Workspace): Promise<Told[]> {
  const { success, warnings } = await call(ws, "tasks_note", { task: FIRST, note: "next" });
  expect(success).toBe(true);
  return warnings.filter(
    ({ code, message }) =>
      code === "LOG_TRUNCATED" && /folder is gone|logs are gone|no log any more|has its folder/.test(message),
  );
}

function found(ws: Workspace): { code: string; file: string; info?: boolean }[] {
  return ws
    .verify()
    .findings.filter(({ code }) => code === "LOG_TRUNCATED")
    .map(({ code, file, info = false }) => ({ code, file, info }));
}

async function broughtBack(clone: Clone, ws: Workspace, id = NEW): Promise<void> {
  await ws.repair.resolve(id, { git: openGit(clone.root)!, restore: true });
  expect(logLines(clone.root, id).join("")).toContain(`kept in ${id}`);
  expect((await ok(ws, "tasks_radar", { task: id }))["target"]).toMatchObject({ id });
  expect(ws.verify().findings.filter(({ file }) => file.includes(`/${id}/`))).toEqual([]);
}

function isThere(clone: Clone, id = NEW): boolean {
  return existsSync(join(clone.root, ".coco/tasks", id, "events.jsonl"));
}

const FILE = `.coco/tasks/${NEW}/events.jsonl`;

describe("a task that git took away whole", () => {
  it("[VERIFY-106] is told once by the next write after a reset, with the commit that has it, and comes back", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.commit("two");
    const commit = clone.head().slice(0, 12);
    clone.git("reset", "-q", "--hard", "HEAD~1");
    expect(isThere(clone)).toBe(false);
    const other = open();
    expect(await told(other)).toMatchObject([
      {
        code: "LOG_TRUNCATED",
        message: expect.stringMatching(
          `^Expected ${NEW} with 2 changes \\(event [\\w-]{43}\\), which was acknowledged here; its folder is gone, and commit ${commit}, to which no branch leads, has it.$`,
        ) as string,
        recovery: `taskfold resolve ${NEW} --git brings it back.`,
      },
    ]);
    expect(await told(other)).toEqual([]);
    expect(await told(open())).toEqual([]);
    expect(found(other)).toEqual([{ code: "LOG_TRUNCATED", file: FILE, info: true }]);
    await broughtBack(clone, ws);
  });

  it("[VERIFY-106] is told to the process that made it, by a creation too, and its id is not given again", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.commit("two");
    clone.git("reset", "-q", "--hard", "HEAD~1");
    const { warnings, result } = await call(ws, "tasks_create", { title: "Another", kind: "task" });
    expect(warnings.map(({ code }) => code)).toContain("LOG_TRUNCATED");
    expect(result).toMatchObject({ id: "TASK-003" });
    expect(await ok(open(), "tasks_create", { title: "A third", kind: "task" })).toMatchObject({ id: "TASK-004" });
    await broughtBack(clone, ws);
  });

  const steps = [{ title: "a step", success_criteria: ["it works"], tests: ["a test"] }];
  it.each([
    ["tasks_macro_start", { task_title: "B", steps }],
    ["tasks_macro_create_done", { task_title: "B", steps }],
    ["tasks_bootstrap", { plan_title: "P", task_title: "B", steps }],
    ["tasks_batch", { atomic: true, operations: ["s:0", "s:1"].map(blocked) }],
  ])(
    "[VERIFY-106] [TOOL-84] %s tells it too, in its room, and gives none of the ids that went",
    async (tool, input) => {
      const { clone, ws, open } = await committedTask();
      const ids = [2, 3, 4, 5, 6].map((n) => `TASK-00${n}`);
      for (const id of ids) await made(ws, id);
      clone.commit("more");
      clone.git("reset", "-q", "--hard", "HEAD~1");
      // With another process, and with the one that made them.
      const writer = tool === "tasks_bootstrap" ? ws : open();
      const reply = await writer.callTool(tool, { workspace: WORKSPACE, ...input });
      expect(reply.success).toBe(true);
      const told = reply.warnings.filter(({ code }) => code === "LOG_TRUNCATED");
      expect(told).toHaveLength(1);
      for (const id of ids) expect(told[0]!.message).toContain(id);
      expect(ids.filter((id) => isThere(clone, id))).toEqual([]);
      expect(isThere(clone, "TASK-007")).toBe(tool !== "tasks_batch");
      const room = tool.startsWith("tasks_macro") ? 4_000 : Infinity;
      expect(JSON.stringify(reply).length).toBeLessThanOrEqual(room);
      expect((await call(open(), "tasks_note", { task: FIRST, note: "next" })).warnings).toEqual([]);
    },
  );

  it("[VERIFY-106] an item that is imported tells it too, and gets no id that went", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.commit("two");
    clone.git("reset", "-q", "--hard", "HEAD~1");
    const calls = [{ tool: "tasks_create", args: { id: NEW, kind: "task", title: "Other" } }];
    const item = { key: "other", kind: "task" as const, id: NEW, calls };
    const other = open();
    await expect(internalsOf(other).importItem(item as never)).rejects.toMatchObject({ code: "ID_TAKEN" });
    const again = {
      ...item,
      id: "TASK-009",
      calls: [{ tool: "tasks_create", args: { ...calls[0]!.args, id: "TASK-009" } }],
    };
    // What a refused item found is told with the next one.
    expect((await internalsOf(other).importItem(again as never)).map(({ code }) => code)).toEqual(["LOG_TRUNCATED"]);
  });

  it("[VERIFY-106] [VERIFY-108] is told where it was stashed as a new file, and comes back alone or with its stash", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.git("stash", "-qu");
    const [warning] = await told(open());
    expect(warning).toMatchObject({
      message: expect.stringContaining("its folder is gone, and stash@{0} has it.") as string,
      recovery: `git stash pop stash@{0} brings it back with the rest of the stash, and taskfold resolve ${NEW} --git brings it back alone.`,
    });
    expect(found(ws)).toEqual([{ code: "LOG_TRUNCATED", file: FILE, info: true }]);
    // Without its name it stays where it was put.
    await ws.repair.resolve(undefined, { git: openGit(clone.root)!, restore: true });
    expect(isThere(clone)).toBe(false);
    await broughtBack(clone, ws);
  });

  it("[VERIFY-106] is told again where the same stash was popped and made anew", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.git("stash", "-qu");
    expect(await told(open())).toHaveLength(1);
    clone.git("checkout", "-q", "--", ".");
    clone.git("stash", "pop", "-q");
    expect(await told(open())).toEqual([]);
    clone.git("add", ".coco/tasks/TASK-001");
    clone.git("commit", "-qm", "first");
    clone.git("stash", "-qu");
    expect(await told(open())).toHaveLength(1);
  });

  it("[VERIFY-106] is told where a rebase dropped its commit, and not while the branch that is rebased has it", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.commit("two");
    writeFileSync(join(clone.root, "three.txt"), "three\n");
    clone.commit("three");
    const env = { ...process.env, ...Clone.env, GIT_SEQUENCE_EDITOR: "sed -i -e 1d -e 's/^pick/edit/'" };
    execFileSync("git", ["rebase", "-q", "-i", "HEAD~2"], { cwd: clone.root, env, stdio: "pipe" });
    expect(isThere(clone)).toBe(false);
    expect(await told(open())).toEqual([]);
    clone.git("checkout", "-q", "--", ".");
    execFileSync("git", ["rebase", "--continue"], {
      cwd: clone.root,
      env: { ...env, GIT_EDITOR: "true" },
      stdio: "pipe",
    });
    const [warning, ...more] = await told(open());
    expect(more).toEqual([]);
    expect(warning?.message).toContain(`Expected ${NEW}`);
    await broughtBack(clone, ws);
  });

  it("[VERIFY-106] [VERIFY-108] says nothing where a branch, a tag or a remote has it, and a call that names it says so", async () => {
    const { clone, ws, open } = await committedTask();
    await madeOnSide(clone, ws);
    expect(await told(open())).toEqual([]);
    expect(await told(ws)).toEqual([]);
    expect(found(ws)).toEqual([]);
    const { error } = (await call(ws, "tasks_radar", { task: NEW })) as { error: Refusal };
    expect(error).toMatchObject({ code: "UNKNOWN_ID", recovery: `taskfold resolve ${NEW} --git brings it back.` });
    expect(error.message).toContain("its folder is gone, and a branch or a tag has it.");
    clone.commit("main");
    clone.git("update-ref", "refs/remotes/origin/side", "side");
    clone.git("branch", "-qD", "side");
    expect(await told(open())).toEqual([]);
  });

  it.each(["reset", "branch -D"])(
    "[VERIFY-106] is told once the branch that had it lost it, by git %s",
    async (how) => {
      const { clone, ws, open } = await committedTask();
      await madeOnSide(clone, ws);
      expect(await told(open())).toEqual([]);
      clone.commit("main");
      expect(await told(open())).toEqual([]);
      clone.git("checkout", "-q", "--", ".");
      if (how === "reset") {
        clone.git("switch", "-q", "side");
        clone.git("reset", "-q", "--hard", "HEAD~1");
      } else {
        clone.git("branch", "-qD", "side");
        clone.commit("main again");
      }
      expect(await told(open())).toHaveLength(1);
      expect(await told(open())).toEqual([]);
    },
  );

  it("[VERIFY-106] says nothing where a filter of git wrote what a branch has", async () => {
    const { clone, ws, open } = await committedTask();
    writeFileSync(join(clone.root, ".git/info/attributes"), "*.jsonl filter=code\n");
    clone.git("config", "filter.code.clean", "base64");
    clone.git("config", "filter.code.smudge", "base64 -d");
    await madeOnSide(clone, ws);
    expect(clone.git("cat-file", "blob", `side:${FILE}`)).not.toContain("hash");
    expect(isThere(clone)).toBe(false);
    expect(await told(open())).toEqual([]);
    expect(found(ws)).toEqual([]);
  });

  it("[VERIFY-106] says nothing where a commit removed it, and a pull brought that", async () => {
    const { ada, cloneOf } = repository();
    const ws = openTemp({ root: ada.root, git: () => openGit(ada.root) });
    await newTask(ws, FIRST);
    await made(ws);
    ada.commit("two tasks");
    const bo = cloneOf(ada, "bo");
    rmSync(join(bo.root, ".coco/tasks", NEW), { recursive: true });
    bo.commit("away");
    ada.git("pull", "-q", bo.root, "main");
    expect(isThere(ada)).toBe(false);
    expect(await told(openTemp({ root: ada.root, git: () => openGit(ada.root) }))).toEqual([]);
    expect(found(ws)).toEqual([]);
  });

  it("[VERIFY-106] says nothing of what was deleted, archived, undone or moved", async () => {
    const { clone, ws, open } = await committedTask();
    for (const id of ["TASK-002", "TASK-003", "TASK-004", "TASK-005"]) await made(ws, id);
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    await ok(ws, "tasks_complete", { task: "TASK-003", status: "CANCELED" });
    await ok(ws, "tasks_archive", { task: "TASK-003" });
    const { events } = (await ok(ws, "tasks_create", { title: "Undone", kind: "task", id: "TASK-006" })) as {
      events: { event_id: string }[];
    };
    await call(ws, "tasks_undo", { task: "TASK-006", event_id: events[0]!.event_id } as never);
    renameSync(join(clone.root, ".coco/tasks/TASK-004"), join(clone.root, ".coco/tasks/by-hand"));
    expect(await told(open())).toEqual([]);
    expect(found(ws)).toEqual([]);
    clone.commit("all");
    clone.git("mv", ".coco/tasks/TASK-005", ".coco/archive/TASK-005");
    expect(await told(open())).toEqual([]);
    expect(await told(ws)).toEqual([]);
    expect(found(ws)).toEqual([]);
  });

  it("[VERIFY-106] says nothing of what a sparse checkout leaves out", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.commit("two");
    clone.git("sparse-checkout", "set", "--no-cone", "/*", `!/.coco/tasks/${NEW}/`);
    expect(isThere(clone)).toBe(false);
    expect(await told(open())).toEqual([]);
    expect(found(ws)).toEqual([]);
    expect((await call(ws, "tasks_radar", { task: NEW })).error).toMatchObject({ code: "NOT_CHECKED_OUT" });
  });

  it("[VERIFY-108] is a fault where nothing has it, until a person accepts the loss", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.git("clean", "-qfd", ".coco/tasks");
    const [warning] = await told(open());
    expect(warning).toMatchObject({
      message: expect.stringContaining("its folder is gone, and no branch, no stash and no reflog has it.") as string,
      recovery: expect.stringContaining(`taskfold resolve ${NEW} --accept-gap accepts the loss.`) as string,
    });
    expect(found(ws)).toEqual([{ code: "LOG_TRUNCATED", file: FILE, info: false }]);
    const report = await ws.repair.resolve(NEW, { git: openGit(clone.root)!, restore: true });
    expect(report).toMatchObject({ changed: false, missing: [{ id: NEW }], findings: [{ code: "LOG_TRUNCATED" }] });
    const { error } = (await call(ws, "tasks_note", { task: NEW, note: "x" })) as { error: Refusal };
    expect(error).toMatchObject({ code: "UNKNOWN_ID", details: { went_away: { id: NEW, revision: 2, held: null } } });
    expect((await ws.repair.resolve(NEW, { acceptGap: true })).entities).toMatchObject([
      { id: NEW, declared: [expect.any(String)] },
    ]);
    expect(found(ws)).toEqual([]);
    expect(await told(open())).toEqual([]);
    const after = (await call(ws, "tasks_note", { task: NEW, note: "x" })) as { error: Refusal };
    expect(after.error).toMatchObject({ code: "UNKNOWN_ID" });
    expect(after.error).not.toHaveProperty("details.went_away");
    expect((await ok(ws, "tasks_create", { title: "Another", id: NEW, kind: "task" }))["id"]).toBe(NEW);
  });

  it("[VERIFY-106] is told also in a repository that keeps no reflog, and no caller names its id for another one", async () => {
    const { clone, ws, open } = await committedTask();
    clone.git("config", "core.logAllRefUpdates", "false");
    rmSync(join(clone.root, ".git/logs"), { recursive: true });
    await made(ws);
    clone.commit("two");
    clone.git("reset", "-q", "--hard", "HEAD~1");
    expect(await told(open())).toMatchObject([{ message: expect.stringMatching(/commit [0-9a-f]{12}/) as string }]);
    for (const git of [() => openGit(clone.root), undefined]) {
      const other = openTemp({ root: clone.root, ...(git && { git }) });
      const { error } = await call(other, "tasks_create", { title: "Another", id: NEW, kind: "task" });
      expect(error).toMatchObject({
        code: "ID_TAKEN",
        recovery: expect.stringContaining(`taskfold resolve ${NEW} --git`) as string,
      });
      await other.close();
    }
    await broughtBack(clone, ws);
  });

  it("[VERIFY-108] comes back from objects that nothing leads to: a stash that was dropped, and what was only staged", async () => {
    const { clone, ws } = await committedTask();
    await made(ws);
    clone.git("stash", "-qu");
    clone.git("stash", "drop", "-q");
    await made(ws, "TASK-003");
    clone.git("add", ".coco");
    clone.git("reset", "-q", "--hard");
    expect([NEW, "TASK-003"].map((id) => isThere(clone, id))).toEqual([false, false]);
    const { changed, entities } = await ws.repair.resolve(NEW, { git: openGit(clone.root)!, restore: true });
    expect({ changed, from: new Set(entities[0]?.found.map(({ from }) => from.replace(/[0-9a-f]{12}/, ""))) }).toEqual({
      changed: true,
      from: new Set(["object "]),
    });
    expect(logLines(clone.root, NEW).join("")).toContain(`kept in ${NEW}`);
    await broughtBack(clone, ws, "TASK-003");
  });

  it("[VERIFY-106] [VERIFY-108] names many in one warning, which one call brings back", async () => {
    const { clone, ws, open } = await committedTask();
    const ids = [2, 3, 4, 5, 6, 7, 8].map((n) => `TASK-00${n}`);
    for (const id of ids) await made(ws, id);
    clone.commit("many");
    clone.git("reset", "-q", "--hard", "HEAD~1");
    const warnings = await told(open());
    expect(warnings).toMatchObject([
      {
        code: "LOG_TRUNCATED",
        message: expect.stringMatching(
          /^Expected TASK-002, TASK-003, TASK-004, TASK-005, TASK-006 and 2 more, .* has them\.$/,
        ) as string,
        recovery: "taskfold resolve --git brings them back.",
      },
    ]);
    await ws.repair.resolve(undefined, { git: openGit(clone.root)!, restore: true });
    expect(ids.filter((id) => !isThere(clone, id))).toEqual([]);
  });

  it("[regression VERIFY-110] says nothing if the host gave no git, where there is no repository, and of a mark that names no id", async () => {
    const { clone, ws } = await committedTask();
    await made(ws);
    clone.git("stash", "-qu");
    const silent = openTemp({ root: clone.root });
    expect(await told(silent)).toEqual([]);
    expect(found(silent)).toEqual([]);
    rmSync(join(clone.root, ".git"), { recursive: true });
    expect(await told(openTemp({ root: clone.root, git: () => openGit(clone.root) }))).toEqual([]);
  });

  it("[regression VERIFY-110] asks git once for each that went, and no more in another process", async () => {
    const { clone, ws, open } = await committedTask();
    await madeOnSide(clone, ws);
    const asked: string[][] = [];
    const counted = (): Workspace =>
      openTemp({
        root: clone.root,
        git: () => {
          const port = openGit(clone.root)!;
          return {
            ...port,
            heldBy: (texts, options) => {
              asked.push(texts.map(({ paths }) => paths[0]!));
              return port.heldBy(texts, options);
            },
          };
        },
      });
    const first = counted();
    for (const one of [first, first, counted()]) {
      await told(one);
      await ok(one, "tasks_create", { title: "More", kind: "task" });
    }
    expect(asked).toEqual([[FILE]]);
    // Another that goes is asked for alone.
    await made(open(), "TASK-009");
    clone.git("stash", "-qu");
    expect(await told(counted())).toHaveLength(1);
    expect(asked.at(-1)).not.toContain(FILE);
  });

  it("[regression VERIFY-110] asks again for what a branch had that was deleted, once another one goes", async () => {
    const { clone, ws, open } = await committedTask();
    await madeOnSide(clone, ws);
    await made(ws, "TASK-003");
    clone.commit("three");
    // The index and HEAD are older than a tick, and to delete a branch changes neither.
    settle(...["index", "HEAD"].map((name) => join(clone.root, ".git", name)));
    expect(await told(open())).toEqual([]);
    clone.git("branch", "-qD", "side");
    rmSync(join(clone.root, ".coco/tasks/TASK-003"), { recursive: true });
    const message = expect.stringMatching(
      `^Expected ${NEW} with 2 changes .* to which no branch leads, has it.$`,
    ) as string;
    expect(await told(open())).toMatchObject([{ message }]);
    expect(await told(open())).toEqual([]);
  });

  it("[regression VERIFY-110] a change makes no look of its own while nothing came or went", async () => {
    const { clone } = await committedTask();
    const looks: string[] = [];
    const disk: Disk = {
      ...nodeDisk,
      lstat: (path) => (looks.push(path), nodeDisk.lstat(path)),
      outside: { ...nodeDisk.outside, stat: (path) => (looks.push(path), nodeDisk.outside.stat(path)) },
    };
    const [knowing, other] = [{ git: () => openGit(clone.root) }, {}].map((git) =>
      openTemp({ root: clone.root, disk, ...git }),
    );
    const looksOf = async (ws: Workspace): Promise<number> => {
      for (const note of ["first", "second"]) await ok(ws, "tasks_note", { task: FIRST, note });
      looks.length = 0;
      await ok(ws, "tasks_note", { task: FIRST, note: "third" });
      return looks.length;
    };
    // The folder is older than a tick, and no second passes.
    settle(join(clone.root, ".coco/tasks"));
    const now = performance.now();
    vi.spyOn(performance, "now").mockReturnValue(now);
    expect(await looksOf(knowing!)).toBe(await looksOf(other!));
  });

  it("[regression VERIFY-110] believes no notification file: ids that no folder may have are passed over", async () => {
    const { clone, open } = await committedTask();
    const notifications = join(clone.root, ".coco/registry/notifications");
    const line = readFileSync(notifications, "utf8").trim().split("\n").at(-1)!;
    const planted = ["..", "TASK-1:x", "-x", "TASK-001\u0007"].map((id) => line.replace(FIRST, id));
    writeFileSync(notifications, `${readFileSync(notifications, "utf8")}${planted.join("\n")}\n`);
    expect(await told(open())).toEqual([]);
  });
});

const OTHER = "TASK-001";

/** A repository in which main lost its task to a reset: the one that it was set to has another task under that id. */
async function replaced(
  makesNext: (ws: Workspace) => Promise<void> = async () => {},
): Promise<{ ada: Clone; ws: Workspace; open: () => Workspace; commit: string }> {
  const { ada, cloneOf } = repository();
  const bo = cloneOf(ada, "bo");
  const open = (): Workspace => openTemp({ root: ada.root, git: () => openGit(ada.root) });
  const ws = open();
  await made(ws, OTHER);
  await makesNext(ws);
  ada.commit("of ada");
  const commit = ada.head().slice(0, 12);
  const theirs = openTemp({ root: bo.root });
  await ok(theirs, "tasks_create", { title: "Of bo", kind: "task", id: OTHER });
  await ok(theirs, "tasks_create", { title: "To write to", kind: "task", id: "TASK-009" });
  bo.commit("of bo");
  ada.git("fetch", "-q", bo.root, "main:refs/remotes/bo/main");
  ada.git("reset", "-q", "--hard", "bo/main");
  return { ada, ws, open, commit };
}

async function titleOf(ws: Workspace, task: string): Promise<unknown> {
  return ((await ok(ws, "tasks_radar", { task }))["target"] as { title: string }).title;
}

async function toldBeside(ws: Workspace): Promise<Told[]> {
  const { success, warnings } = await call(ws, "tasks_note", { task: "TASK-009", note: "next" });
  expect(success).toBe(true);
  return warnings.filter(({ code }) => code === "LOG_TRUNCATED");
}

describe("a log that git took away while something else stands in its place", () => {
  it.each([
    ["a commit", (clone: Clone) => (clone.commit("two"), clone.git("reset", "-q", "--hard", "HEAD~1"))],
    ["the index alone", (clone: Clone) => (clone.git("add", ".coco"), clone.git("reset", "-q", "--hard"))],
  ])("[VERIFY-108] a file of people's keeps no log: %s that had it gives it back", async (_what, lose) => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    lose(clone);
    const [folder, mine] = [join(clone.root, ".coco/tasks", NEW), join(clone.root, ".coco/tasks", NEW, "mine.txt")];
    mkdirSync(folder, { recursive: true });
    writeFileSync(mine, "mine\n");
    expect(await told(open())).toMatchObject([
      { message: expect.stringContaining("its folder has no log any more, and ") as string },
    ]);
    expect(await told(open())).toEqual([]);
    for (const one of [ws.verify(), ws.verify(NEW)])
      expect(one.findings.map(({ code, file }) => ({ code, file }))).toEqual([{ code: "LOG_TRUNCATED", file: FILE }]);
    const refusal = { code: "LOG_UNREADABLE", details: { went_away: { id: NEW, revision: 2 } } };
    for (const other of [ws, open()]) {
      const { error } = (await call(other, "tasks_radar", { task: NEW })) as { error: Refusal };
      expect(error).toMatchObject(refusal);
      expect(error.recovery).toContain(`taskfold resolve ${NEW} --git`);
      expect((await call(other, "tasks_note", { task: NEW, note: "x" })).error).toMatchObject(refusal);
      await expect(other.repair.adopt(NEW)).rejects.toMatchObject({ recovery: error.recovery });
    }
    await broughtBack(clone, ws);
    expect(readFileSync(mine, "utf8")).toBe("mine\n");
  });

  it("[VERIFY-108] after a switch such a folder is a note, and says which call brings its log back", async () => {
    const { clone, ws, open } = await committedTask();
    await made(ws);
    clone.git("switch", "-qc", "side");
    clone.git("add", ".coco");
    clone.git("commit", "-qm", "side");
    writeFileSync(join(clone.root, ".coco/tasks", NEW, "mine.txt"), "mine\n");
    clone.git("switch", "-q", "main");
    expect(isThere(clone)).toBe(false);
    expect(await told(open())).toEqual([]);
    expect(found(ws)).toEqual([{ code: "LOG_TRUNCATED", file: FILE, info: true }]);
    expect(ws.verify().ok).toBe(true);
    await broughtBack(clone, ws);
  });

  it("[VERIFY-106] [RESOLVE-16] another task under its id is told once, and the lost one comes back beside it", async () => {
    const { ada, ws, open, commit } = await replaced();
    expect(await toldBeside(open())).toMatchObject([
      {
        code: "LOG_TRUNCATED",
        message: expect.stringMatching(
          `^Expected ${OTHER} with 2 changes \\(event [\\w-]{43}\\), which was acknowledged here; another plan or task has its folder, and commit ${commit}, to which no branch leads, has it.$`,
        ) as string,
        recovery: `taskfold resolve ${OTHER} --git brings it back under an id of its own.`,
      },
    ]);
    for (const one of [ws, open()]) expect(await toldBeside(one)).toEqual([]);
    // A change of the other one is marked under the same id.
    await ok(open(), "tasks_note", { task: OTHER, note: "of bo" });
    for (const one of [ws, open()]) expect(found(one)).toMatchObject([{ code: "LOG_TRUNCATED", info: true }]);
    const before = readFileSync(join(ada.root, ".coco/tasks", OTHER, "events.jsonl"));
    const { entities } = await ws.repair.resolve(OTHER, { git: openGit(ada.root)!, restore: true });
    const { id } = entities[0]!.split[0]!;
    expect(await titleOf(ws, OTHER)).toBe("Of bo");
    expect(readFileSync(join(ada.root, ".coco/tasks", OTHER, "events.jsonl"))).toEqual(before);
    expect(logLines(ada.root, id).join("")).toContain(`kept in ${OTHER}`);
    for (const one of [ws, open()])
      expect({ found: found(one), told: await toldBeside(one) }).toEqual({ found: [], told: [] });
    const again = await ws.repair.resolve(OTHER, { git: openGit(ada.root)!, restore: true });
    expect(again).toMatchObject({ changed: false, findings: [] });
  });

  it("[VERIFY-106] a creation tells it too, many come back by one call, and a person may accept the loss", async () => {
    const { ada, open } = await replaced(async (ws) => made(ws, "TASK-009"));
    const { warnings } = await call(open(), "tasks_create", { title: "New", kind: "task" });
    expect(warnings).toMatchObject([
      {
        code: "LOG_TRUNCATED",
        message: expect.stringMatching(/^Expected TASK-001, TASK-009, .* their logs are gone/) as string,
      },
    ]);
    const ws = open();
    expect((await ws.repair.resolve(OTHER, { acceptGap: true })).entities).toMatchObject([{ id: OTHER }]);
    expect(found(ws)).toMatchObject([{ file: ".coco/tasks/TASK-009/events.jsonl" }]);
    await ws.repair.resolve(undefined, { git: openGit(ada.root)!, restore: true });
    expect(found(ws)).toEqual([]);
    expect(await titleOf(ws, "TASK-009")).toBe("To write to");
    expect(await titleOf(ws, OTHER)).toBe("Of bo");
  });

  it("[VERIFY-106] says nothing where a branch has the other one, and where a merge has both in one log", async () => {
    const { ada, ws, open, commit } = await replaced();
    ada.git("branch", "kept", commit);
    expect(await toldBeside(open())).toEqual([]);
    expect(found(ws)).toEqual([]);
    ada.git("branch", "-qD", "kept");
    const file = `.coco/tasks/${OTHER}/events.jsonl`;
    const both = ada.git("show", `HEAD:${file}`) + ada.git("show", `${commit}:${file}`);
    writeFileSync(join(ada.root, file), both);
    expect(await toldBeside(open())).toEqual([]);
    await ws.repair.resolve();
    for (const one of [ws, open()])
      expect({ found: found(one), told: await toldBeside(one) }).toEqual({ found: [], told: [] });
  });

  it("[VERIFY-106] [FRESH-12] is told where the clock of the file server is behind the clock that marked the lost one", async () => {
    const { ada } = await replaced();
    const behind = <T extends FileStat | undefined>(stat: T): T =>
      stat && { ...stat, mtimeMs: stat.mtimeMs - 50_000, ctimeMs: stat.ctimeMs - 50_000 };
    const disk: Disk = {
      ...nodeDisk,
      stat: (path) => behind(nodeDisk.stat(path)),
      lstat: (path) => behind(nodeDisk.lstat(path)),
      fstat: (fd) => behind(nodeDisk.fstat(fd)),
    };
    const ws = openTemp({ root: ada.root, disk, git: () => openGit(ada.root) });
    expect(await toldBeside(ws)).toHaveLength(1);
  });

  it("[VERIFY-106] opens a log that a process knows again only once it was written since", async () => {
    const { clone, ws } = await committedTask();
    await made(ws);
    const opened: string[] = [];
    const disk: Disk = { ...nodeDisk, open: (path, flags) => (opened.push(path), nodeDisk.open(path, flags)) };
    const other = openTemp({ root: clone.root, disk, git: () => openGit(clone.root) });
    /** How often the next write opens it, after git changed its index. */
    const opens = async (file: string): Promise<number> => {
      writeFileSync(join(clone.root, file), "new\n");
      clone.git("add", file);
      passTime(2000);
      opened.length = 0;
      expect(await told(other)).toEqual([]);
      return opened.filter((path) => path.endsWith(`/${NEW}/events.jsonl`)).length;
    };
    // Young at the first look, and known for longer than a tick at the second.
    expect([await opens("a"), await opens("b"), await opens("c")]).toEqual([1, 1, 0]);
    utimesSync(join(clone.root, FILE), new Date(), new Date(Date.now() + 60_000));
    expect(await opens("d")).toBe(1);
  });

  it("[regression VERIFY-113] in a shallow clone a deletion that was fetched tells nothing, and what a stash has is told", async () => {
    const { ada, cloneOf } = repository();
    const first = openTemp({ root: ada.root });
    await newTask(first, FIRST);
    ada.commit("a task");
    const bo = cloneOf(ada, "bo");
    const origin = `file://${ada.root}`;
    const shallow = join(bo.root, "../shallow");
    execFileSync("git", ["clone", "-q", "--depth", "1", origin, shallow], { env: Clone.env, stdio: "pipe" });
    const clone = new Clone(shallow);
    const open = (): Workspace => openTemp({ root: shallow, git: () => openGit(shallow) });
    const ws = open();
    await made(ws);
    await ok(ws, "tasks_note", { task: FIRST, note: "reverted later" });
    clone.commit("two");
    ada.git("pull", "-q", shallow, "main");
    ada.git("checkout", "-q", "HEAD~1", "--", `.coco/tasks/${FIRST}`);
    rmSync(join(ada.root, ".coco/tasks", NEW), { recursive: true });
    ada.commit("away");
    for (const text of ["more", "and more"]) {
      writeFileSync(join(ada.root, "other.txt"), text);
      ada.commit(text);
    }
    clone.git("fetch", "-q", "--depth", "1", "origin", "main");
    clone.git("reset", "-q", "--hard", "FETCH_HEAD");
    expect(isThere(clone)).toBe(false);
    const { warnings } = await call(open(), "tasks_note", { task: FIRST, note: "next" });
    expect(warnings).toEqual([]);
    expect(found(ws)).toEqual([]);
    await broughtBack(clone, ws);
    rmSync(join(shallow, ".coco/tasks", NEW), { recursive: true });
    await made(ws, "TASK-003");
    clone.git("stash", "-qu");
    expect(await told(open())).toMatchObject([{ message: expect.stringContaining("Expected TASK-003") as string }]);
  });
});

interface Refusal {
  code: string;
  message: string;
  recovery: string;
  details: object;
}
