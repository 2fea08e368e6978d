/** A log and its task.yaml that git made earlier together: what was lost is told, and a branch is no loss. */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { gatedLocks } from "../support/gated_locks.ts";
import { heldSyncs } from "../support/held_syncs.ts";
import { notificationsPath } from "../support/notifications.ts";
import { committedTask } from "../support/knows_git.ts";
import { tempFolder } from "../support/temp.ts";
import { call, counting, logLines, logPath, newTask, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const TASK = "TASK-001";

async function note(ws: Workspace, text: string): Promise<string[]> {
  const { warnings, success } = await call(ws, "tasks_note", { task: TASK, note: text });
  expect(success).toBe(true);
  return warnings.flatMap(({ code, message }) => (code === "LOG_TRUNCATED" ? [message] : []));
}

function gaps(root: string): number {
  return logLines(root).filter((line) => line.includes('"log.gap"')).length;
}

function found(ws: Workspace): string[] {
  return ws.verify(TASK).findings.flatMap(({ code }) => (code === "LOG_TRUNCATED" ? [code] : []));
}

describe("a work tree that went back", () => {
  it.each([
    ["checkout", "--", "."],
    ["reset", "-q", "--hard"],
    ["restore", "."],
  ])(
    "[VERIFY-100] a change that git %s %s takes away is told by the next write, noted, and stays told until it is accepted",
    ROTATING,
    async (...args) => {
      const { clone, ws, open } = await committedTask();
      await note(ws, "lost");
      const { head, revision } = (await ok(ws, "tasks_radar", { task: TASK }))["target"] as {
        head: string;
        revision: number;
      };
      clone.git(...args);
      const [message, ...more] = await note(open(), "after");
      expect(more).toEqual([]);
      expect(message).toContain(
        `Expected ${revision} changes up to head ${head}, as they were acknowledged; found ${revision - 1}`,
      );
      expect(gaps(clone.root)).toBe(1);
      // It is told by every process, and noted once.
      expect(await note(ws, "later")).toEqual([message]);
      expect(await note(open(), "later")).toEqual([message]);
      expect(gaps(clone.root)).toBe(1);
      expect(found(ws)).toEqual(["LOG_TRUNCATED"]);
      expect((await ws.repair.resolve(TASK, { acceptGap: true })).entities[0]?.declared).toEqual([head]);
      expect(await note(ws, "accepted")).toEqual([]);
      expect(found(ws)).toEqual([]);
    },
  );

  it.each(["fsync", "group", "os"] as const)(
    "[VERIFY-100] is told to the process that wrote it, at level %s, where several went at once",
    ROTATING,
    async (durability) => {
      const { clone, ws } = await committedTask({ durability });
      await newTask(ws, "TASK-002");
      await ok(ws, "tasks_batch", {
        operations: [TASK, "TASK-002"].map((task) => ({ tool: "tasks_note", args: { task, note: "both" } })),
      } as never);
      await Promise.all(["one", "two"].map((text) => note(ws, text)));
      clone.git("checkout", "--", ".");
      expect(await note(ws, "after")).toHaveLength(1);
      expect(gaps(clone.root)).toBe(1);
    },
  );

  it.each(["fsync", "group", "os"] as const)(
    "[VERIFY-100] is told at level %s of changes whose writer died before it marked them, once a repeated call was answered by them",
    ROTATING,
    async (durability) => {
      const { clone, ws, open } = await committedTask({ durability });
      await newTask(ws, "TASK-002");
      clone.commit("both");
      const marks = notificationsPath(clone.root);
      const calls = [
        ["tasks_note", { task: TASK, note: "alone", idempotency_key: "alone" }],
        [
          "tasks_batch",
          {
            atomic: true,
            operations: [TASK, "TASK-002"].map((task) => ({
              tool: "tasks_block",
              args: { task, path: "s:0", reason: "both" },
            })),
            idempotency_key: "both",
          },
        ],
        ["tasks_create", { kind: "task", title: "New", id: "TASK-003", idempotency_key: "new" }],
      ] as const;
      const before = readFileSync(marks);
      for (const [tool, input] of calls) await ok(ws, tool, input as never);
      await ws.close();
      writeFileSync(marks, before);
      const again = open();
      for (const [tool, input] of calls) {
        const { warnings } = await call(again, tool, input as never);
        expect(warnings.map(({ code }) => code)).toContain("REPLAYED");
      }
      clone.git("reset", "-q", "--hard");
      clone.git("clean", "-qfd", ".coco/tasks");
      const told = (await call(again, "tasks_note", { task: "TASK-002", note: "after" })).warnings;
      expect(told.filter(({ code }) => code === "LOG_TRUNCATED").map(({ message }) => message)).toEqual([
        expect.stringContaining("as they were acknowledged; found 1 "),
        expect.stringContaining("Expected TASK-003 "),
      ]);
      expect(await note(again, "after")).toHaveLength(1);
    },
  );

  it.each(["main", "far"])(
    "[VERIFY-114] is told of a change that git took away, after a repeated call was answered on %s",
    ROTATING,
    async (branch) => {
      const { clone, ws, open } = await committedTask();
      await ok(ws, "tasks_note", { task: TASK, note: "kept", idempotency_key: "kept" });
      clone.commit("kept");
      clone.git("switch", "-qc", "far");
      for (const text of ["one", "two", "three"]) await note(ws, text);
      clone.commit("far");
      clone.git("switch", "-q", "main");
      expect(await note(open(), "lost")).toEqual([]);
      clone.git("checkout", "-qf", branch);
      if (branch === "main") clone.git("checkout", "--", ".");
      const again = open();
      const { warnings } = await call(again, "tasks_note", { task: TASK, note: "kept", idempotency_key: "kept" });
      expect(warnings.map(({ code }) => code)).toContain("REPLAYED");
      expect(await note(again, "after")).toHaveLength(1);
      expect(gaps(clone.root)).toBe(1);
    },
  );

  it(
    "[VERIFY-114] is told of a change that git took away, after the next process finished a transaction in its log",
    ROTATING,
    async () => {
      const { clone, ws, open } = await committedTask();
      await newTask(ws, "TASK-002");
      clone.commit("both");
      clone.git("switch", "-qc", "far");
      for (const text of ["one", "two", "three"]) await ok(ws, "tasks_note", { task: "TASK-002", note: text });
      clone.commit("far");
      clone.git("switch", "-q", "main");
      const git = () => openGit(clone.root);
      const disk = new FaultyDisk();
      const cut = openTemp({ root: clone.root, git, disk });
      disk.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
      const operations = [TASK, "TASK-002"].map((task) => ({
        tool: "tasks_block",
        args: { task, path: "s:0", reason: "both" },
      }));
      const { error } = await call(cut, "tasks_batch", { atomic: true, operations } as never);
      expect(error?.code).toBe("UNKNOWN_OUTCOME");
      disk.die();
      const lockProvider = gatedLocks((name) => name === TASK);
      const beside = openTemp({ root: clone.root, git, lockProvider, lockTimeoutMs: 30 });
      await ok(beside, "tasks_note", { task: "TASK-002", note: "lost" });
      clone.git("checkout", "-qf", "far");
      const told = (await call(open(), "tasks_note", { task: "TASK-002", note: "after" })).warnings;
      expect(told.map(({ code }) => code)).toContain("LOG_TRUNCATED");
    },
  );

  it(
    "[VERIFY-114] is told of a change that was marked before an earlier one, also where a commit has the earlier one",
    ROTATING,
    async () => {
      const { disk, isSyncing, go } = heldSyncs(nodeDisk);
      const { clone, ws, open } = await committedTask({ disk });
      await newTask(ws, "TASK-002");
      const operations = [TASK, "TASK-002"].map((task) => ({
        tool: "tasks_block",
        args: { task, path: "s:0", reason: "both" },
      }));
      const both = ok(ws, "tasks_batch", { atomic: true, operations } as never);
      await isSyncing;
      clone.commit("the earlier one");
      expect(await note(open(), "the later one")).toEqual([]);
      go();
      await both;
      clone.git("checkout", "--", ".");
      expect(await note(open(), "after")).toHaveLength(1);
      expect(await note(open(), "accepted")).toHaveLength(1);
      await ws.repair.resolve(TASK, { acceptGap: true });
      expect(await note(open(), "again")).toEqual([]);
    },
  );

  it(
    "[VERIFY-114] marks of another branch are compared once, though a later one is of a lower revision",
    ROTATING,
    async () => {
      const { clone, ws, open } = await committedTask();
      clone.git("switch", "-qc", "side");
      for (const text of ["one", "two", "three"]) await note(ws, text);
      clone.commit("side");
      clone.git("switch", "-q", "main");
      let asked = 0;
      const git = () => {
        const port = openGit(clone.root);
        return port && { ...port, heldBy: (texts: Parameters<typeof port.heldBy>[0]) => (asked++, port.heldBy(texts)) };
      };
      for (const times of [1, 1, 1]) {
        expect(await note(openTemp({ root: clone.root, git }), "on main")).toEqual([]);
        expect(asked).toBe(times);
      }
      clone.git("checkout", "--", ".");
      expect(await note(open(), "after")).toHaveLength(1);
    },
  );

  it(
    "[VERIFY-100] says nothing where a branch, a tag or a remote has the change: git switch is no loss",
    ROTATING,
    async () => {
      const { clone, ws, open } = await committedTask();
      clone.git("switch", "-qc", "side");
      await note(ws, "on side");
      clone.commit("side");
      clone.git("switch", "-q", "main");
      expect(await note(open(), "on main")).toEqual([]);
      clone.commit("main");
      clone.git("switch", "-q", "side");
      expect(await note(ws, "on side again")).toEqual([]);
      clone.commit("side");
      clone.git("checkout", "-q", "side~1");
      expect(await note(open(), "at an earlier commit")).toEqual([]);
      clone.commit("detached");
      clone.git("tag", "kept");
      clone.git("checkout", "-q", "main");
      expect(await note(ws, "on main again")).toEqual([]);
      clone.commit("main");
      clone.git("update-ref", "refs/remotes/origin/main", "HEAD");
      clone.git("reset", "-q", "--hard", "HEAD~1");
      expect(await note(open(), "behind the remote")).toEqual([]);
      expect(gaps(clone.root)).toBe(0);
    },
  );

  it("[VERIFY-100] says nothing where a later commit took the change out again", ROTATING, async () => {
    const { clone, ws, open } = await committedTask();
    await note(ws, "reverted");
    clone.commit("two");
    clone.git("revert", "--no-edit", "HEAD");
    expect(await note(open(), "after")).toEqual([]);
  });

  it("[VERIFY-100] names the stash that has the change, once, and notes nothing", ROTATING, async () => {
    const { clone, ws, open } = await committedTask();
    await note(ws, "stashed");
    clone.git("stash", "-q");
    writeFileSync(join(clone.root, "other.txt"), "x\n");
    clone.git("stash", "-qu");
    const reply = await call(open(), "tasks_note", { task: TASK, note: "after" });
    const told = reply.warnings.filter(({ code }) => code === "LOG_TRUNCATED");
    expect(told).toMatchObject([
      {
        code: "LOG_TRUNCATED",
        message: expect.stringMatching(/^Expected change 2 of TASK-001 .*stash@\{1\} has it\.$/) as string,
        recovery: expect.stringContaining("git stash pop stash@{1}") as string,
      },
    ]);
    expect(await note(ws, "later")).toEqual([]);
    expect(gaps(clone.root)).toBe(0);
    clone.commit("after");
    clone.tries("stash", "pop", "-q", "stash@{1}");
    await ws.repair.resolve(undefined, { stage: true, git: openGit(clone.root)! });
    expect(logLines(clone.root).join("")).toContain('"stashed"');
    expect(found(ws)).toEqual([]);
  });

  it("[VERIFY-100] a transaction tells and notes it as a change does", ROTATING, async () => {
    const { clone, ws, open } = await committedTask();
    const batch = async (): Promise<string[]> => {
      const args = { task: TASK, reason: "waits" };
      const operations = ["s:0", "s:1"].map((path) => ({ tool: "tasks_block", args: { ...args, path } }));
      const { success, warnings } = await call(open(), "tasks_batch", { atomic: true, operations });
      expect(success).toBe(true);
      return warnings.flatMap(({ code, message }) => (code === "LOG_TRUNCATED" ? [message] : []));
    };
    await note(ws, "stashed");
    clone.git("stash", "-q");
    expect(await batch()).toEqual([expect.stringMatching(/stash@\{0\} has it\.$/)]);
    clone.git("checkout", "--", ".");
    expect(await batch()).toEqual([expect.stringContaining("as they were acknowledged")]);
    expect(gaps(clone.root)).toBe(1);
  });

  it("[VERIFY-100] names the commit that has the change where no branch leads to it", ROTATING, async () => {
    const { clone, ws, open } = await committedTask();
    await note(ws, "dropped");
    clone.commit("two");
    const commit = clone.head().slice(0, 12);
    clone.git("reset", "-q", "--hard", "HEAD~1");
    const [message] = await note(open(), "after");
    expect(message).toContain(`commit ${commit}, to which no branch leads, has it`);
    expect(gaps(clone.root)).toBe(0);
    await ws.repair.resolve(TASK, { git: openGit(clone.root)!, restore: true });
    expect(logLines(clone.root).join("")).toContain('"dropped"');
  });

  it("[VERIFY-100] says nothing if the host gave no git, and tells where there is no repository", async () => {
    const { clone, ws } = await committedTask();
    await note(ws, "lost");
    clone.git("checkout", "--", ".");
    expect(await note(openTemp({ root: clone.root }), "after")).toEqual([]);
    const root = tempFolder();
    const alone = openTemp({ root, git: () => openGit(root) });
    await newTask(alone);
    const [log, yaml] = [logPath(root), join(root, ".coco/tasks", TASK, "task.yaml")];
    const before = [log, yaml].map((path) => readFileSync(path));
    await note(alone, "lost");
    for (const [i, path] of [log, yaml].entries()) {
      writeFileSync(`${path}.new`, before[i]!);
      renameSync(`${path}.new`, path);
    }
    expect(await note(alone, "after")).toHaveLength(1);
  });

  it("[VERIFY-100] means the entity and not its name, and believes no line that is none", ROTATING, async () => {
    const { clone, ws, open } = await committedTask();
    await note(ws, "of the first");
    const line = readFileSync(notificationsPath(clone.root), "utf8").trim().split("\n").at(-1)!;
    rmSync(join(clone.root, ".coco/tasks", TASK), { recursive: true });
    await newTask(openTemp({ root: clone.root, newId: counting("another") }));
    const other = line.replace(/\.([\w-]{43})\.[\w-]{8}$/, (_all, hash: string) => `.${hash}.AAAAAAAA`);
    appendFileSync(notificationsPath(clone.root), `${other}\n${line.slice(0, -4)}\n* x.y.0\n`);
    // That the first one is gone is told, and its change is missed in no log of the second one.
    expect((await note(open(), "of the second")).join("\n")).not.toContain("the log has");
    expect(gaps(clone.root)).toBe(0);
  });

  it("[FRESH-3] knows the last change also after the notification file began anew", ROTATING, async () => {
    const { clone, ws, open } = await committedTask();
    await note(ws, "lost");
    appendFileSync(notificationsPath(clone.root), "archive/TASK-009 x.y.0\n".repeat(200_000));
    await newTask(open(), "TASK-002");
    expect(readFileSync(notificationsPath(clone.root)).length).toBeLessThan(10_000);
    clone.git("checkout", "--", ".");
    expect(await note(open(), "after")).toHaveLength(1);
  });
});
