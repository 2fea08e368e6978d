/** A transaction of which a log has a part, while git takes away whole what another part builds on. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { passTime } from "../support/clock.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import type { Clone } from "../support/git_clone.mjs";
import { committedTask } from "../support/knows_git.ts";
import { code, logLines, newTask, ok, openTemp } from "../support/workspace.ts";

const [KEPT, TAKEN, OTHER] = ["TASK-001", "TASK-002", "TASK-003"];

const journal = ({ root }: Clone): string[] => readdirSync(join(root, ".coco/registry/journal"));
const parts = ({ root }: Clone): number[] =>
  [KEPT, TAKEN].map((id) => logLines(root, id).filter((line) => line.includes('"step.blocked"')).length);
const codes = (ws: Workspace): string[] => ws.verify().findings.map(({ code: name }) => name);

/**
 * The first and the third task stand on main, all three on side. A transaction over the first two was cut off on side: the first one's log
 * has its part.
 */
async function cutOffOnSide(): Promise<{ clone: Clone; open: () => Workspace }> {
  const { clone, ws, open } = await committedTask();
  await newTask(ws, OTHER);
  clone.commit("another task");
  clone.git("switch", "-qc", "side");
  await newTask(ws, TAKEN);
  clone.commit("a task of side");
  await ws.close();
  const disk = new FaultyDisk();
  const dying = openTemp({ root: clone.root, disk });
  disk.fail({ kind: "write", path: `${TAKEN}/events.jsonl` }, "EIO");
  const operations = [KEPT, TAKEN].map((task) => ({
    tool: "tasks_block",
    args: { task, path: "s:0", reason: "waits" },
  }));
  expect(await code(dying, "tasks_batch", { atomic: true, operations })).toBe("UNKNOWN_OUTCOME");
  disk.die();
  expect([journal(clone).length, parts(clone)]).toEqual([1, [1, 0]]);
  return { clone, open };
}

/** The third task is changed there. */
function write(ws: Workspace, note: string): Promise<unknown> {
  return ok(ws, "tasks_note", { task: OTHER, note });
}

/** Nothing of the transaction is lost once side is back, and nothing is there twice. */
async function isWholeOnSide(clone: Clone, ws: Workspace): Promise<void> {
  await write(ws, "on side");
  expect([journal(clone), parts(clone)]).toEqual([[], [1, 1]]);
  expect(codes(ws).filter((name) => name.startsWith("TXN_"))).toEqual([]);
}

describe("a transaction of which git took a log away whole", () => {
  it("[TXN-6] waits where the part that was written stays in the work tree, and is finished once the branch is back", async () => {
    const { clone, open } = await cutOffOnSide();
    clone.git("switch", "-q", "main");
    expect(existsSync(join(clone.root, ".coco/tasks", TAKEN, "events.jsonl"))).toBe(false);
    const ws = open();
    for (const note of ["one", "two"]) await write(ws, note);
    expect(journal(clone)).toHaveLength(1);
    const [pending, ...rest] = ws.verify().findings.filter((found) => found.code.startsWith("TXN_"));
    expect(pending).toMatchObject({
      code: "TXN_PENDING",
      message: expect.stringMatching(`in the log of ${TAKEN}\\.$`),
    });
    expect(rest).toEqual([]);
    clone.git("switch", "-q", "side");
    await isWholeOnSide(clone, ws);
  });

  it("[TXN-6] waits where a branch alone has the part that was written", async () => {
    const { clone, open } = await cutOffOnSide();
    clone.commit("half of a transaction");
    clone.git("switch", "-q", "main");
    expect(logLines(clone.root, KEPT).join()).not.toContain('"txn"');
    const ws = open();
    await write(ws, "on main");
    expect(journal(clone)).toHaveLength(1);
    clone.git("checkout", "-q", "--", ".");
    clone.git("switch", "-q", "side");
    await isWholeOnSide(clone, ws);
  });

  it("[TXN-6] waits where the host gave no git to ask", async () => {
    const { clone } = await cutOffOnSide();
    clone.git("switch", "-q", "main");
    await write(openTemp({ root: clone.root }), "on main");
    expect(journal(clone)).toHaveLength(1);
  });

  it.each([TAKEN, undefined])("[TXN-6] is set aside by resolve %s with acceptGap alone", async (id) => {
    const { clone, open } = await cutOffOnSide();
    clone.git("switch", "-q", "main");
    const ws = open();
    await ws.repair.resolve();
    await ws.repair.resolve(id, { acceptGap: true, dryRun: true });
    expect(journal(clone)).toHaveLength(1);
    expect(await ws.repair.resolve(id, { acceptGap: true, git: openGit(clone.root)! })).toMatchObject({
      changed: true,
    });
    expect(journal(clone)).toEqual([]);
    expect(codes(ws)).toEqual(expect.arrayContaining(["TXN_SET_ASIDE", "TXN_INCOMPLETE"]));
  });

  it("[TXN-6] does not wait for a folder that a person deleted before git had it", async () => {
    const { clone, open } = await cutOffOnSide();
    clone.git("branch", "-q", "empty", "main");
    clone.git("symbolic-ref", "HEAD", "refs/heads/empty");
    clone.git("reset", "-q");
    clone.git("branch", "-qD", "side");
    rmSync(join(clone.root, ".git/logs"), { recursive: true });
    rmSync(join(clone.root, ".coco/tasks", TAKEN), { recursive: true });
    const ws = open();
    await write(ws, "after");
    expect(journal(clone)).toEqual([]);
    expect(codes(ws)).toEqual(expect.arrayContaining(["TXN_SET_ASIDE", "TXN_INCOMPLETE"]));
  });
});

describe("calls beside a transaction that waits", () => {
  it("[TXN-6] read none of its logs, and ask git nothing, while neither changes", async () => {
    const { clone } = await cutOffOnSide();
    clone.git("switch", "-q", "main");
    let asked = 0;
    const git = () => (asked++, openGit(clone.root));
    const disk = new FaultyDisk();
    const ws = openTemp({ root: clone.root, disk, git });
    const reads = (): number =>
      disk.calls.filter(({ kind, path }) => kind !== "lstat" && kind !== "stat" && path.includes(`/${KEPT}/`)).length;
    await write(ws, "young signs are not relied on");
    passTime(2000);
    await write(ws, "from here on they are");
    expect(reads()).toBeGreaterThan(0);
    const before = [reads(), asked];
    for (const note of ["one", "two"]) await write(ws, note);
    expect(await ok(ws, "tasks_radar", { task: OTHER })).toMatchObject({ target: { id: OTHER } });
    expect([reads(), asked]).toEqual(before);
    clone.git("switch", "-q", "side");
    await isWholeOnSide(clone, ws);
  });
});
