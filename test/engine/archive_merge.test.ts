// @module-tag long
import { appendFileSync, cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Clone } from "../support/git_clone.mjs";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { repository } from "../support/git.ts";
import { UNSYNCED } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { ROTATING, SWEEP, runsOf } from "../support/sweep.ts";
import { call, counting, newTask, ok, openTemp, ticking } from "../support/workspace.ts";

const TASK = "TASK-001";
const parts = (root: string): string[] =>
  ["tasks", "archive"].filter((part) => existsSync(join(root, ".coco", part, TASK, "events.jsonl")));

interface Side {
  clone: Clone;
  ws: Workspace;
}

type Work = (ws: Workspace) => Promise<unknown>;

const archives: Work = (ws) => ok(ws, "tasks_archive", { task: TASK });
const notes: Work = (ws) => ok(ws, "tasks_note", { task: TASK, note: "not over yet" });
const reopens: Work = (ws) => ok(ws, "tasks_complete", { task: TASK, status: "TODO" });
const captures: Work = (ws) =>
  ok(ws, "tasks_evidence_capture", {
    task: TASK,
    items: [{ kind: "note", title: "Seen", content: "x".repeat(100_000) }],
  } as never);
const archivesAndRestores: Work = async (ws) => {
  await archives(ws);
  await ok(ws, "tasks_restore", { task: TASK });
};
const notesAndArchives: Work = async (ws) => {
  await notes(ws);
  await archives(ws);
};

/** Two clones of a task of a plan that is CANCELED, after each did its work; the first clock is ahead of the second by `skew` months. */
async function diverged(ours: Work, theirs: Work, { skew = 1, renames = true } = {}): Promise<[Side, Side]> {
  const { ada, cloneOf } = repository();
  const begin = openTemp({ root: ada.root, now: ticking(Date.UTC(2026, 0, 1)) });
  await ok(begin, "tasks_create", { title: "Plan" });
  await ok(begin, "tasks_create", {
    parent: "PLAN-001",
    title: "A task",
    steps: [{ title: "One", success_criteria: ["it works"], tests: ["npm test"] }],
  });
  await ok(begin, "tasks_complete", { task: TASK, status: "CANCELED" });
  await newTask(begin, "OTHER");
  await begin.close();
  ada.commit("begin");
  const bob = cloneOf(ada, "bob");
  const sides = [ada, bob].map((clone, i): Side => {
    if (!renames) clone.git("config", "merge.renames", "false");
    const now = ticking(Date.UTC(2026, i === 0 ? 3 + skew : 3, 1));
    return {
      clone,
      ws: openTemp({ root: clone.root, now, newId: counting(`side ${i}`), git: () => openGit(clone.root) }),
    };
  }) as [Side, Side];
  for (const [i, work] of [ours, theirs].entries()) {
    await work(sides[i]!.ws);
    sides[i]!.clone.commit(`side ${i}`);
  }
  return sides;
}

async function merged(
  { clone, ws }: Side,
  other: Side,
  commit: string,
): Promise<{ row: JsonObject | undefined; radar: unknown }> {
  clone.merge(other.clone, commit);
  await ws.repair.resolve(undefined, { stage: true });
  expect([...clone.unmerged().keys()]).toEqual([]);
  clone.conclude("merge");
  expect(clone.git("status", "--porcelain")).toBe("");
  expect(ws.verify().findings.filter(({ info }) => !info)).toEqual([]);
  const { tasks } = (await ok(ws, "tasks_context", {})) as { tasks: JsonObject[] };
  return { row: tasks.find(({ id }) => id === TASK), radar: await ok(ws, "tasks_radar", { task: TASK }) };
}

const CASES: [string, Work, Work, "archive" | "tasks"][] = [
  [
    "one side archives, the other is silent",
    archives,
    (ws) => ok(ws, "tasks_note", { task: "OTHER", note: "elsewhere" }),
    "archive",
  ],
  ["one side archives, the other writes a note", archives, notes, "tasks"],
  ["one side archives, the other reopens", archives, reopens, "tasks"],
  ["one side archives, the other attaches a new file", archives, captures, "tasks"],
  ["both archive", archives, archives, "archive"],
  ["one side archives, the other writes and archives", archives, notesAndArchives, "archive"],
  ["one side archives, the other archives and restores", archives, archivesAndRestores, "tasks"],
];

describe("one side archives what the other edits", () => {
  for (const [renames, skew] of [
    [true, 1],
    [false, -1],
  ] as const) {
    it.each(CASES)(
      `[ARCHIVE-20] with${renames ? "" : "out"} renames, ${skew > 0 ? "later" : "earlier"}: %s`,
      { tags: ["rotating"], timeout: 60_000 },
      async (_name, ours, theirs, where) => {
        const [a, b] = await diverged(ours, theirs, { skew, renames });
        const [x, y] = [a.clone.head(), b.clone.head()];
        const one = await merged(a, b, y);
        const two = await merged(b, a, x);
        expect([parts(a.clone.root), parts(b.clone.root)]).toEqual([[where], [where]]);
        expect(one).toEqual(two);
        expect(one.row !== undefined).toBe(where === "tasks");
        const log = (side: Side): string[] =>
          readFileSync(join(side.clone.root, ".coco", where, TASK, "events.jsonl"), "utf8")
            .trim()
            .split("\n")
            .toSorted();
        expect(log(a)).toEqual(log(b));
      },
    );
  }

  it(
    "[ARCHIVE-30] [ARCHIVE-20] a task that a merge brought back is worked on, archived again, and its plan can be told",
    ROTATING,
    async () => {
      const [a, b] = await diverged(archives, notes);
      await merged(a, b, b.clone.head());
      const readme = (): string => readFileSync(join(a.clone.root, ".coco/tasks/PLAN-001/README.md"), "utf8");
      expect(readme()).toContain(`archive/${TASK}`);
      expect((await ok(a.ws, "tasks_radar", { plan: "PLAN-001" }))["tasks"]).toMatchObject({ total: 1 });
      expect((await call(a.ws, "tasks_restore", { task: TASK })).error?.code).toBe("ALREADY_DONE");
      await ok(a.ws, "tasks_restore", { plan: "PLAN-001", tasks: [TASK] });
      expect(readme()).not.toContain(`archive/${TASK}`);
      await ok(a.ws, "tasks_note", { task: TASK, note: "going on" });
      await ok(a.ws, "tasks_archive", { task: TASK });
      expect(parts(a.clone.root)).toEqual(["archive"]);
      expect(readme()).toContain(`archive/${TASK}`);
      expect((await call(a.ws, "tasks_restore", { plan: "PLAN-001", tasks: [TASK] })).error?.code).toBe("ALREADY_DONE");
    },
  );

  it("[ARCHIVE-20] before resolve such a task is read by its id, verify finds its folder, and rebuild moves it", async () => {
    const [a, b] = await diverged(archives, notes);
    a.clone.merge(b.clone);
    expect(parts(a.clone.root)).toEqual(["archive"]);
    expect((await call(a.ws, "tasks_radar", { task: TASK })).error).toBeNull();
    expect((await call(a.ws, "tasks_note", { task: TASK, note: "later" })).error?.code).toBe("ARCHIVED");
    expect(a.ws.verify(TASK).findings.map(({ code }) => code)).toContain("ARCHIVED_NOT_DELETED");
    await a.ws.repair.rebuild();
    expect(parts(a.clone.root)).toEqual(["tasks"]);
  });
});

describe("the fold", () => {
  /** Whether the task is away once git has put the lines of both together; the first clock is ahead or behind. */
  async function isAway(folder: string, sides: readonly string[][], skew: number): Promise<boolean> {
    const base = join(folder, `base${skew}`);
    const begin = openTemp({ root: base, disk: UNSYNCED, now: ticking(Date.UTC(2026, 0, 1)), newId: counting("base") });
    await newTask(begin);
    await ok(begin, "tasks_complete", { task: TASK, status: "CANCELED" });
    await begin.close();
    const logs: string[] = [];
    for (const [i, work] of sides.entries()) {
      const root = join(folder, `side${i}${skew}`);
      cpSync(base, root, { recursive: true });
      const now = ticking(Date.UTC(2026, i === 0 ? 3 + skew : 3, 1));
      const ws = openTemp({ root, disk: UNSYNCED, now, newId: counting(`side ${i}`) });
      for (const one of work)
        if (one === "note") await call(ws, "tasks_note", { task: TASK, note: "n" });
        else await call(ws, `tasks_${one}` as "tasks_restore", { task: TASK });
      await ws.close();
      logs.push(readFileSync(join(root, ".coco", parts(root)[0]!, TASK, "events.jsonl"), "utf8"));
    }
    appendFileSync(join(base, ".coco/tasks", TASK, "events.jsonl"), logs.join(""));
    const merged = openTemp({ root: base, disk: UNSYNCED });
    await merged.repair.resolve();
    expect(merged.verify().findings.filter(({ info }) => !info)).toEqual([]);
    await merged.close();
    return parts(base)[0] === "archive";
  }

  it("[ARCHIVE-20] says the same of the same branches whatever their clocks say", SWEEP, async () => {
    const work = fc.array(fc.constantFrom("note", "archive", "restore"), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(work, work, (ours, theirs) =>
        inTempFolder(async (folder) => {
          const sides = [ours, theirs];
          expect(await isAway(folder, sides, 1)).toBe(await isAway(folder, sides, -1));
        }),
      ),
      runsOf(15),
    );
  });
});
