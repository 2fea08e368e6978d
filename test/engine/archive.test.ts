import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import type { Workspace } from "../../src/engine/workspace.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { gatedLocks } from "../support/gated_locks.ts";
import { machinePath } from "../support/machine.ts";
import { processIsGone, quick } from "../support/faulty_task.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { numbersOf, ROTATING, runsOf, SWEEP } from "../support/sweep.ts";
import { reviewed } from "../support/packet_work.ts";
import { inTempFolder, tempFolder } from "../support/temp.ts";
import { call, code, logPath, newTask, notesOf, ok, openTemp, START, tree, withTaskdoc } from "../support/workspace.ts";

const DAY = 86_400_000;
const live = (root: string, id = "TASK-001"): string => join(root, ".coco/tasks", id);
const away = (root: string, id = "TASK-001"): string => join(root, ".coco/archive", id);
const ids = (value: unknown): string[] => (value as { id: string }[]).map(({ id }) => id);

/** A plan with tasks that ended so, in this order. */
async function ended(ws: Workspace, ...statuses: ("DONE" | "FAILED" | "CANCELED" | "TODO")[]): Promise<string[]> {
  await ok(ws, "tasks_create", { title: "Plan" });
  const made: string[] = [];
  for (const status of statuses) {
    const { id } = await ok(ws, "tasks_create", { parent: "PLAN-001", title: `It is ${status}` });
    await ok(ws, "tasks_complete", { task: id as string, status });
    made.push(id as string);
  }
  return made;
}

describe("a folder that another process moves first", () => {
  const LOCK = { kind: "lstat", path: "locks/TASK-001.lock" } as const;

  /** A task that is deleted while `meanwhile` happens, between its change and the move of its folder. */
  async function deleted(meanwhile?: { move: (root: string) => void; after: number }) {
    const disk = new FaultyDisk(quick);
    const ws = openTemp({ disk });
    await newTask(ws);
    const before = disk.count(LOCK);
    if (meanwhile) disk.meanwhile(LOCK, () => meanwhile.move(ws.root), meanwhile);
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    return { ws, looks: disk.count(LOCK) - before };
  }

  it("[regression DUR-68] is where it belongs, and the call that was about to move it is done", async () => {
    const { looks } = await deleted();
    const move = (root: string): void => {
      mkdirSync(join(root, ".coco/archive"));
      renameSync(live(root), away(root));
    };
    const { ws } = await deleted({ move, after: looks - 1 });
    expect([existsSync(live(ws.root)), existsSync(away(ws.root))]).toEqual([false, true]);
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "late" })).toBe("UNKNOWN_ID");
    expect(ws.verify().findings).toEqual([]);
  });
});

describe("putting ended tasks away", () => {
  it("[ARCHIVE-1] [ARCHIVE-3] DONE, FAILED and CANCELED ones go whole, in one transaction, one event each", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "FAILED", "CANCELED", "TODO");
    const before = tree(live(ws.root), { times: false }).filter((line) => !/events.jsonl|task.yaml|README/.test(line));
    const reply = await ok(ws, "tasks_archive", { plan: "PLAN-001" });
    expect(reply).toMatchObject({
      archived: [
        { id: "TASK-001", title: "It is DONE", status: "DONE", folder: ".coco/archive/TASK-001" },
        { id: "TASK-002", status: "FAILED" },
        { id: "TASK-003", status: "CANCELED" },
      ],
      skipped: [],
      left: 0,
    });
    expect(tree(away(ws.root), { times: false }).filter((line) => !/events.jsonl|task.yaml|README/.test(line))).toEqual(
      before,
    );
    const last = ["TASK-001", "TASK-002", "TASK-003"].map((id) => lastEvent(away(ws.root, id)));
    expect(last.map(({ type }) => type)).toEqual(Array(3).fill("task.archived"));
    expect(new Set(last.map(({ op }) => op.txn!.id)).size).toBe(1);
    const context = await ok(ws, "tasks_context", {});
    expect([ids(context["tasks"]), context["archived"]]).toEqual([["TASK-004"], 3]);
    const events = (await ok(ws, "tasks_delta", { limit: 200 }))["events"] as { type: string; task: string }[];
    expect(events.filter(({ type }) => type === "task_archived").map(({ task }) => task)).toEqual([
      "TASK-001",
      "TASK-002",
      "TASK-003",
    ]);
    expect(await code(ws, "tasks_claim_next", {})).toBe("NOTHING_READY");
    expect(await code(ws, "tasks_archive", { task: "PLAN-001" })).toBe("TARGET_CONTRADICTION");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[ARCHIVE-3] an archived task is read as before, and takes no change", async () => {
    const ws = openTemp();
    await ended(ws, "DONE");
    const task = "TASK-001";
    await ok(ws, "tasks_focus_set", { task });
    await ok(ws, "tasks_archive", { task });
    for (const tool of [
      "tasks_radar",
      "tasks_handoff",
      "tasks_resume",
      "tasks_history",
      "tasks_mirror",
      "tasks_snapshot",
    ] as const) {
      for (const input of [{ task }, {}]) {
        const { error, warnings } = await call(ws, tool, input);
        expect([tool, error, tool === "tasks_history" || warnings.some((one) => one.code === "ARCHIVED")]).toEqual([
          tool,
          null,
          true,
        ]);
      }
    }
    for (const [tool, input] of [
      ["tasks_note", { task, note: "late" }],
      ["tasks_note", { note: "late, by the focus" }],
      ["tasks_edit", { task, title: "Other" }],
      ["tasks_complete", { task, status: "TODO" }],
      ["tasks_close_task", { task }],
      ["tasks_delete", { task }],
      ["tasks_undo", { task }],
      ["tasks_claim_next", { task }],
      ["tasks_focus_set", { task }],
      [
        "tasks_batch",
        { atomic: true, operations: [{ tool: "tasks_progress", args: { task, path: "s:0", completed: true } }] },
      ],
    ] as const) {
      const reply = await call(ws, tool as "tasks_note", input as never);
      expect([tool, reply.error?.code]).toEqual([tool, "ARCHIVED"]);
      expect(reply.suggestions).toMatchObject([{ tool: "tasks_restore", args: { task } }]);
    }
    expect(ws.log(task).events.at(-1)).toMatchObject({ type: "task_archived" });
  });

  it("[ARCHIVE-3] also by another process, which knows it as live", async () => {
    const ws = openTemp();
    await ended(ws, "DONE");
    const other = openTemp({ root: ws.root });
    await ok(other, "tasks_radar", { task: "TASK-001" });
    await ok(other, "tasks_note", { task: "TASK-001", note: "written" });
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    expect(await code(other, "tasks_note", { task: "TASK-001", note: "late" })).toBe("ARCHIVED");
    expect((await call(other, "tasks_radar", { task: "TASK-001" })).warnings).toMatchObject([{ code: "ARCHIVED" }]);
    await ok(ws, "tasks_restore", { task: "TASK-001" });
    await ok(other, "tasks_note", { task: "TASK-001", note: "again" });
    expect(other.verify().findings).toEqual([]);
  });

  it("[ARCHIVE-5] chooses by age, plan, status and name, the longest unchanged first", async () => {
    let now = START;
    const ws = openTemp({ now: () => (now += 1000) });
    await ended(ws, "DONE", "CANCELED", "DONE");
    now += 40 * DAY;
    await newTask(ws, "LATE", []);
    await ok(ws, "tasks_complete", { task: "LATE" });
    const would = async (input: object): Promise<string[]> =>
      ids((await ok(ws, "tasks_archive", { dry_run: true, ...input }))["archived"]);
    expect(await would({ done_before: "30d" })).toEqual(["TASK-001", "TASK-002", "TASK-003"]);
    expect(await would({ done_before: "1s" })).toEqual(["TASK-001", "TASK-002", "TASK-003", "LATE"]);
    expect(await would({ done_before: "2026-01-02" })).toEqual(["TASK-001", "TASK-002", "TASK-003"]);
    expect(await would({ done_before: "2025-12-31T23:00:00Z" })).toEqual([]);
    expect(await would({ status: "DONE" })).toEqual(["TASK-001", "TASK-003", "LATE"]);
    expect(await would({ plan: "PLAN-001", status: "DONE" })).toEqual(["TASK-001", "TASK-003"]);
    expect(await would({ tasks: ["LATE", "TASK-002"] })).toEqual(["TASK-002", "LATE"]);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "looked at again" });
    expect(await would({ done_before: "30d" })).toEqual(["TASK-002", "TASK-003"]);
    const first = await ok(ws, "tasks_archive", { status: "DONE", limit: 2 });
    expect([ids(first["archived"]), first["left"]]).toEqual([["TASK-003", "LATE"], 1]);
    const rest = await ok(ws, "tasks_archive", { status: "DONE", limit: 2 });
    expect([ids(rest["archived"]), rest["left"]]).toEqual([["TASK-001"], 0]);
    await ok(ws, "tasks_focus_set", { task: "TASK-002" });
    expect(await code(ws, "tasks_archive", {})).toBe("TARGET_REQUIRED");
    expect(await code(ws, "tasks_archive", { task: "TASK-002", plan: "PLAN-001" })).toBe("TARGET_CONTRADICTION");
    expect(await code(ws, "tasks_archive", { status: "CANCELED", expected_revision: 3 })).toBe("INVALID_INPUT");
    expect(await code(ws, "tasks_archive", { done_before: "yesterday" })).toBe("INVALID_INPUT");
    expect(await code(ws, "tasks_archive", { plan: "TASK-002" })).toBe("TARGET_CONTRADICTION");
    expect(await code(ws, "tasks_archive", { tasks: ["NOWHERE"] })).toBe("UNKNOWN_ID");
    expect(await code(ws, "tasks_archive", { task: "TASK-002", expected_revision: 1 })).toBe("REVISION_MISMATCH");
  });

  it("[ARCHIVE-7] what is not over, held, under way or edited by hand stays, and the reply says why", async () => {
    const ws = openTemp();
    await reviewed(ws);
    await ok(ws, "packet_stage_start", { task: "TASK-001", stage: "codex_review" });
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "FAILED" });
    for (const id of ["OPEN", "HELD", "EDITED", "STRAY", "GONE", "FREE"]) await newTask(ws, id, ["One"]);
    await withTaskdoc(ws, "EDITED");
    for (const id of ["EDITED", "STRAY", "GONE", "FREE"])
      await ok(ws, "tasks_complete", { task: id, status: "CANCELED" });
    const other = openTemp({ root: ws.root, by: "agent:other" });
    await ok(other, "tasks_claim", { task: "HELD", path: "s:0" });
    await ok(other, "tasks_complete", { task: "HELD", status: "CANCELED" });
    await ok(ws, "tasks_archive", { task: "GONE" });
    writeFileSync(join(live(ws.root, "EDITED"), "taskdoc.tsk/goals.md"), "My goal\n");
    mkdirSync(join(live(ws.root, "STRAY"), "taskdoc.tsk/mine"), { recursive: true });
    writeFileSync(join(live(ws.root, "STRAY"), "taskdoc.tsk/mine/a.md"), "mine\n");
    const tasks = ["TASK-001", "OPEN", "HELD", "EDITED", "STRAY", "GONE", "FREE"];
    const dry = await ok(ws, "tasks_archive", { tasks, dry_run: true });
    const { archived, skipped } = await ok(ws, "tasks_archive", { tasks });
    const why = Object.fromEntries(
      (skipped as { id: string; code: string }[]).map(({ id, code: reason }) => [id, reason]),
    );
    expect(ids(archived)).toEqual(["FREE"]);
    expect(why).toEqual({
      "TASK-001": "STAGE_RUNNING",
      OPEN: "NOT_DONE",
      HELD: "LEASE_HELD",
      EDITED: "FILES_EDITED",
      STRAY: "FILES_EDITED",
      GONE: "ALREADY_DONE",
    });
    expect([dry["archived"], dry["skipped"]]).toEqual([archived, skipped]);
    for (const [task, reason] of Object.entries(why))
      expect([task, await code(ws, "tasks_archive", { task })]).toEqual([task, reason]);
    expect(readFileSync(join(live(ws.root, "EDITED"), "taskdoc.tsk/goals.md"), "utf8")).toBe("My goal\n");
  });

  it("[ARCHIVE-7] a file of a section that another process is about to take away or to write is no edit", async () => {
    const ws = openTemp();
    const section = join(live(ws.root), "taskdoc.tsk/ux/list.md");
    // Of a spelling that lost in a merge.
    const left = join(live(ws.root), "taskdoc.tsk/UX/list.md");
    await newTask(ws);
    await ok(ws, "change_mind", { task: "TASK-001", category: "ux", selector: "list", content: "- [ ] look at it\n" });
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED" });
    mkdirSync(join(left, ".."));
    renameSync(section, left);
    const dry = { task: "TASK-001", dry_run: true };
    expect(await ok(ws, "tasks_archive", dry)).toMatchObject({ archived: [{ id: "TASK-001" }] });
    writeFileSync(left, "mine\n");
    expect(await code(ws, "tasks_archive", dry)).toBe("FILES_EDITED");
    writeFileSync(left, "- [ ] look at it\n");
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    expect(readFileSync(join(away(ws.root), "taskdoc.tsk/ux/list.md"), "utf8")).toBe("- [ ] look at it\n");
  });

  it("[ARCHIVE-7] a sweep of all passes over what stays, and comes to the others", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "DONE", "DONE");
    writeFileSync(join(live(ws.root), "README.md"), "mine\n");
    const reply = await ok(ws, "tasks_archive", { done_before: "0s", limit: 1 });
    expect(reply).toMatchObject({
      archived: [{ id: "TASK-002" }],
      skipped: [{ id: "TASK-001", code: "FILES_EDITED" }],
      left: 1,
    });
    expect(await ok(ws, "tasks_archive", { done_before: "0s", limit: 1 })).toMatchObject({
      archived: [{ id: "TASK-003" }],
      left: 0,
    });
  });

  it("[ARCHIVE-5] a dry run touches nothing", async () => {
    const ws = openTemp();
    await ended(ws, "DONE");
    const before = tree(join(ws.root, ".coco"));
    expect(await ok(ws, "tasks_archive", { task: "TASK-001", dry_run: true })).toMatchObject({
      archived: [{ id: "TASK-001" }],
      dry_run: true,
    });
    expect(tree(join(ws.root, ".coco"))).toEqual(before);
  });

  it("[ARCHIVE-9] the plan names them, with links that lead there, and its progress stays", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "CANCELED", "TODO");
    const progress = async (): Promise<unknown> =>
      ((await ok(ws, "tasks_context", {}))["plans"] as { progress: number }[])[0]!.progress;
    const was = await progress();
    await ok(ws, "tasks_archive", { plan: "PLAN-001" });
    const readme = (): string => readFileSync(join(live(ws.root, "PLAN-001"), "README.md"), "utf8");
    const links = [...readme().matchAll(/\]\((\.\.\/\.\.\/archive\/[^)]+)\)/g)].map(([, link]) => link!);
    expect(links).toEqual(["../../archive/TASK-001/README.md", "../../archive/TASK-002/README.md"]);
    for (const link of links) expect(existsSync(join(live(ws.root, "PLAN-001"), link))).toBe(true);
    expect(await progress()).toBe(was);
    const again = openTemp({ root: ws.root });
    expect((await ok(again, "tasks_context", {}))["plans"]).toMatchObject([
      { tasks: { total: 3, done: 1, archived: 2 } },
    ]);
    expect((await ok(ws, "tasks_radar", { plan: "PLAN-001" }))["tasks"]).toMatchObject({
      total: 3,
      archived: 2,
      by_status: { DONE: 1, CANCELED: 1, TODO: 1 },
    });
    await ok(ws, "tasks_restore", { task: "TASK-001" });
    expect(readme()).not.toContain("archive/TASK-001");
    expect(readme()).toContain("archive/TASK-002");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[ARCHIVE-9] of many the README links the last fifty", ROTATING, async () => {
    const ws = openTemp({ disk: quick });
    await ended(ws, ...Array<"DONE">(53).fill("DONE"));
    await ok(ws, "tasks_archive", { plan: "PLAN-001" });
    const readme = readFileSync(join(live(ws.root, "PLAN-001"), "README.md"), "utf8");
    expect(readme.match(/archive\/TASK/g)).toHaveLength(50);
    expect(readme).toContain("- 3 more before these\n");
  });

  it("[ARCHIVE-9] dependents of a DONE one go on, of a FAILED one they wait as before", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "FAILED");
    for (const [id, on] of [
      ["AFTER-DONE", "TASK-001"],
      ["AFTER-FAILED", "TASK-002"],
    ] as const) {
      await newTask(ws, id, ["One"]);
      await ok(ws, "tasks_edit", { task: id, depends_on: [on] });
    }
    const rows = async () =>
      ((await ok(ws, "tasks_context", {}))["tasks"] as { id: string; waits_for?: string[] }[])
        .filter(({ id }) => id.startsWith("AFTER"))
        .map(({ id, waits_for }) => [id, waits_for]);
    const before = await rows();
    await ok(ws, "tasks_archive", { plan: "PLAN-001" });
    expect(await rows()).toEqual(before);
    expect(before).toEqual([
      ["AFTER-DONE", undefined],
      ["AFTER-FAILED", ["TASK-002"]],
    ]);
    expect(await ok(ws, "tasks_claim_next", {})).toMatchObject({ task: "AFTER-DONE" });
    expect(await code(ws, "tasks_claim_next", { task: "AFTER-FAILED" })).toBe("NOTHING_READY");
    await ok(ws, "tasks_edit", { task: "AFTER-DONE", depends_on: ["TASK-001", "TASK-002"] });
  });

  it("[ARCHIVE-1] no id is given again, live, archived or restored", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "DONE");
    await ok(ws, "tasks_archive", { plan: "PLAN-001" });
    const other = openTemp({ root: ws.root });
    expect(await ok(other, "tasks_create", { parent: "PLAN-001", title: "New" })).toMatchObject({ id: "TASK-003" });
    expect(await code(ws, "tasks_create", { kind: "task", id: "task-001", title: "Taken" })).toBe("ID_TAKEN");
    await ok(ws, "tasks_restore", { task: "TASK-002" });
    expect(await ok(ws, "tasks_create", { parent: "PLAN-001", title: "New" })).toMatchObject({ id: "TASK-004" });
  });

  it("[ARCHIVE-12] the archive is listed by page, deleted ones marked", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "DONE", "DONE", "TODO");
    await ok(ws, "tasks_archive", { plan: "PLAN-001" });
    await ok(ws, "tasks_delete", { task: "TASK-004" });
    const page = await ok(ws, "tasks_context", { archived: true, tasks_limit: 3 });
    expect(page).toMatchObject({
      archived: 4,
      plans: [],
      tasks_pagination: { total: 4, next_cursor: 3 },
      counts: { plans: 1, tasks: 0 },
    });
    expect(ids(page["tasks"])).toEqual(["TASK-001", "TASK-002", "TASK-003"]);
    const rest = await ok(ws, "tasks_context", { archived: true, tasks_limit: 3, tasks_cursor: 3 });
    expect(rest["tasks"]).toMatchObject([{ id: "TASK-004", deleted: true }]);
  });

  it("[ARCHIVE-12] counts entities, and no folder that holds no log", async () => {
    const ws = openTemp();
    await ended(ws, "DONE");
    await ok(ws, "tasks_archive", { plan: "PLAN-001" });
    const archive = join(ws.root, ".coco/archive");
    mkdirSync(join(archive, "notes/evidence"), { recursive: true });
    mkdirSync(join(archive, "papers"));
    writeFileSync(join(archive, "papers/README.md"), "mine\n");
    const listed = await ok(ws, "tasks_context", { archived: true });
    expect([listed["archived"], ids(listed["tasks"])]).toEqual([1, ["TASK-001"]]);
    expect(listed["tasks_pagination"]).toMatchObject({ total: 1, count: 1 });
  });

  it.each([
    ["one task", { task: "TASK-001" }],
    ["named ones", { tasks: ["TASK-001", "TASK-002"] }],
    ["a sweep", { done_before: "0s" }],
  ])("[regression ARCHIVE-13] the key of %s gives the first answer again", async (_name, input) => {
    const ws = openTemp();
    await ended(ws, "DONE", "DONE");
    const keyed = { ...input, idempotency_key: "once" };
    const { archived } = await ok(ws, "tasks_archive", keyed);
    await newTask(ws, "LATE", []);
    await ok(ws, "tasks_complete", { task: "LATE" });
    const again = await call(openTemp({ root: ws.root }), "tasks_archive", keyed);
    expect(again.result).toMatchObject({ archived });
    expect(again.warnings.map((one) => one.code)).toContain("REPLAYED");
    expect(existsSync(live(ws.root, "LATE"))).toBe(true);
    expect(await code(ws, "tasks_archive", { ...keyed, dry_run: false })).toBe("IDEMPOTENCY_CONFLICT");
  });
});

describe("coming back", () => {
  it("[ARCHIVE-30] the task is live again, and a repeated or wrong call says so", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "TODO");
    const task = "TASK-001";
    expect(await code(ws, "tasks_restore", { task })).toBe("ALREADY_DONE");
    await ok(ws, "tasks_archive", { task });
    expect(await code(ws, "tasks_restore", { task, expected_revision: 1 })).toBe("REVISION_MISMATCH");
    expect([existsSync(away(ws.root)), existsSync(live(ws.root))]).toEqual([true, false]);
    mkdirSync(live(ws.root), { recursive: true });
    writeFileSync(join(live(ws.root), "mine.md"), "mine\n");
    expect(await code(ws, "tasks_restore", { task })).toBe("ID_TAKEN");
    rmSync(live(ws.root), { recursive: true });
    const back = { task, idempotency_key: "back" };
    expect(await ok(ws, "tasks_restore", back)).toMatchObject({ id: task, archived: false });
    expect((await call(ws, "tasks_restore", back)).warnings).toMatchObject([{ code: "REPLAYED" }]);
    await ok(ws, "tasks_archive", { task });
    expect((await call(ws, "tasks_restore", back)).warnings.map((one) => one.code)).toContain("REPLAYED");
    expect([existsSync(away(ws.root)), existsSync(live(ws.root))]).toEqual([true, false]);
    await ok(ws, "tasks_delete", { task: "TASK-002" });
    expect(await code(ws, "tasks_restore", { task: "TASK-002" })).toBe("UNKNOWN_ID");
    expect(await code(ws, "tasks_restore", { task: "NOWHERE" })).toBe("UNKNOWN_ID");
    expect(await code(ws, "tasks_restore", { plan: "PLAN-001" })).toBe("TARGET_CONTRADICTION");
    expect(ws.verify().findings).toEqual([]);
  });

  it(
    "[ARCHIVE-30] [ARCHIVE-1] whatever was done to a task, archiving and restoring it changes nothing that reads show",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(25), async (numbers) => {
          await inTempFolder(async (folder) => {
            const work = new RandomWork(folder, "archive");
            await work.do(numbers);
            const { ws } = work;
            const tasks = ids((await ok(ws, "tasks_context", { tasks_limit: 200 }))["tasks"]);
            for (const task of tasks) await call(ws, "tasks_complete", { task, status: "CANCELED" });
            const shown = async (task: string) => {
              const { target: _target, ...rest } = await ok(ws, "tasks_radar", { task });
              return [rest, await ok(ws, "tasks_mirror", { task }).then(({ rows }) => rows)];
            };
            const before = await Promise.all(tasks.map(shown));
            const done: string[] = [];
            for (const task of tasks) if ((await call(ws, "tasks_archive", { task })).error === null) done.push(task);
            for (const task of done) expect(existsSync(live(folder, task))).toBe(false);
            const made = await ok(ws, "tasks_create", { kind: "task", title: "New" });
            expect(tasks).not.toContain(made["id"]);
            for (const task of done) await ok(ws, "tasks_restore", { task });
            expect(await Promise.all(tasks.map(shown))).toEqual(before);
            expect(ws.verify().findings.filter(({ info }) => !info)).toEqual([]);
            await ws.close();
          });
        }),
        runsOf(8),
      );
    },
  );

  it("[ARCHIVE-1] a task outlives its plan there", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "DONE");
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    expect(await ok(ws, "tasks_delete", { plan: "PLAN-001" })).toMatchObject({ deleted_tasks: ["TASK-002"] });
    await ok(ws, "tasks_restore", { task: "TASK-001" });
    expect((await ok(ws, "tasks_context", {}))["tasks"]).toMatchObject([{ id: "TASK-001", parent: "PLAN-001" }]);
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    expect(ws.verify().findings).toEqual([]);
  });

  it("[ARCHIVE-30] a packet comes back by either tool, and its plan names it no more", async () => {
    for (const [goes, comes] of [
      ["packet_archive", "tasks_restore"],
      ["tasks_archive", "packet_restore"],
    ] as const) {
      const ws = openTemp();
      await reviewed(ws);
      await ok(ws, "tasks_create", { title: "Plan" });
      const { id: task } = (await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Of the plan" })) as {
        id: string;
      };
      for (const id of ["TASK-001", task]) await ok(ws, "tasks_complete", { task: id, status: "CANCELED" });
      await ok(ws, goes, { task: "TASK-001" });
      await ok(ws, comes, { task: "TASK-001" });
      expect(existsSync(live(ws.root))).toBe(true);
      await ok(ws, "tasks_archive", { task });
      expect(readFileSync(join(live(ws.root, "PLAN-001"), "README.md"), "utf8")).toContain(`archive/${task}`);
      expect(ws.verify().findings).toEqual([]);
    }
  });
});

describe("crashes and strange folders", () => {
  it.each(["tasks_archive", "tasks_restore"] as const)(
    "[ARCHIVE-22] %s: a process that dies at any change leaves the task here or there, and a later write puts it right",
    SWEEP,
    async (tool) => {
      for (const n of numbersOf(4)) {
        const root = tempFolder();
        const before = openTemp({ root, disk: quick });
        await ended(before, "DONE", "TODO");
        if (tool === "tasks_restore") await ok(before, "tasks_archive", { task: "TASK-001" });
        await before.close();
        const disk = new FaultyDisk(quick);
        disk.stop(n);
        const dying = openTemp({ root, disk });
        await call(dying, tool, { task: "TASK-001" });
        if (!disk.dead) {
          disk.mend();
          break;
        }
        disk.die();
        processIsGone(root);
        const ws = openTemp({ root, disk: quick });
        const there = ids((await ok(ws, "tasks_context", {}))["tasks"]).includes("TASK-001");
        const readable = await call(ws, "tasks_radar", { task: "TASK-001" });
        expect(readable.error, `at ${n}`).toBeNull();
        await ok(ws, "tasks_note", { task: "TASK-002", note: "a later write" });
        const isLive = existsSync(live(root)) && !existsSync(away(root));
        expect(existsSync(live(root)) !== existsSync(away(root)), `at ${n}`).toBe(true);
        expect(ids((await ok(ws, "tasks_context", {}))["tasks"]).includes("TASK-001"), `at ${n}`).toBe(isLive);
        expect(isLive || !there, `at ${n}`).toBe(true);
        expect(ws.verify().findings, `at ${n}`).toEqual([]);
        const said = (await call(ws, tool, { task: "TASK-001" })).error?.code;
        expect([undefined, "ALREADY_DONE"], `at ${n}`).toContain(said);
        expect(existsSync(tool === "tasks_archive" ? away(root) : live(root)), `at ${n}`).toBe(true);
        expect(ws.verify().findings, `at ${n}`).toEqual([]);
        await ws.close();
      }
    },
  );

  it("[ARCHIVE-22] a folder of that name in the archive is not touched, and resolve joins one of the same task", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "DONE");
    mkdirSync(away(ws.root), { recursive: true });
    writeFileSync(join(away(ws.root), "mine.md"), "mine\n");
    cpSync(live(ws.root, "TASK-002"), away(ws.root, "TASK-002"), { recursive: true });
    for (const task of ["TASK-001", "TASK-002"]) {
      const reply = await call(ws, "tasks_archive", { task });
      expect(reply.warnings).toMatchObject([{ code: "PROJECTION_FAILED" }]);
    }
    expect(readdirSync(away(ws.root))).toEqual(["mine.md"]);
    expect((await ok(ws, "tasks_context", {}))["tasks"]).toEqual([]);
    expect((await ws.repair.resolve()).joined).toEqual(["TASK-001", "TASK-002"]);
    for (const id of ["TASK-001", "TASK-002"]) expect(existsSync(live(ws.root, id))).toBe(false);
    expect(readFileSync(join(away(ws.root), "mine.md"), "utf8")).toBe("mine\n");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[regression ARCHIVE-24] a link in the place of the archive, or of a folder in it, is not followed", async () => {
    const ws = openTemp();
    await ended(ws, "DONE", "DONE");
    const outside = tempFolder();
    symlinkSync(outside, join(ws.root, ".coco/archive"));
    expect((await call(ws, "tasks_archive", { task: "TASK-001" })).warnings).toMatchObject([
      { code: "PROJECTION_FAILED" },
    ]);
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync(live(ws.root))).toBe(true);
    rmSync(join(ws.root, ".coco/archive"));
    await ok(ws, "tasks_archive", { task: "TASK-002" });
    cpSync(away(ws.root, "TASK-002"), join(outside, "TASK-002"), { recursive: true });
    rmSync(away(ws.root, "TASK-002"), { recursive: true });
    symlinkSync(join(outside, "TASK-002"), away(ws.root, "TASK-002"));
    const before = tree(outside);
    const fresh = openTemp({ root: ws.root });
    expect(await code(fresh, "tasks_restore", { task: "TASK-002" })).toBe("UNKNOWN_ID");
    expect(await code(fresh, "tasks_radar", { task: "TASK-002" })).toBe("UNKNOWN_ID");
    await ok(fresh, "tasks_context", { archived: true });
    expect(tree(outside)).toEqual(before);
  });

  it("[ARCHIVE-1] [ARCHIVE-30] restores and creations at once never share an id", async () => {
    const ws = openTemp();
    await ended(ws, "DONE");
    const other = openTemp({ root: ws.root });
    for (let i = 0; i < 5; i++) {
      await ok(ws, "tasks_archive", { task: "TASK-001" });
      const [back, taken] = await Promise.all([
        call(ws, "tasks_restore", { task: "TASK-001" }),
        call(other, "tasks_create", { kind: "task", id: "TASK-001", title: "Another" }),
      ]);
      expect([back.error, taken.error?.code]).toEqual([null, "ID_TAKEN"]);
    }
  });
});

describe("two processes", () => {
  it("[ARCHIVE-3] a task that another process restores before its folder moves stays where it is", async () => {
    const ws = openTemp();
    const { root } = ws;
    await newTask(ws, "TASK-1", []);
    await ok(ws, "tasks_complete", { task: "TASK-1", status: "CANCELED", reason: "not needed" });
    const other = openTemp({ root });
    let restored: Promise<unknown> | undefined;
    let isRestored = false;
    const late = openTemp({
      root,
      lockProvider: gatedLocks((name) => {
        if (name !== "TASK-1" || !readFileSync(logPath(root, "TASK-1"), "utf8").includes("task.archived")) return false;
        restored ??= ok(other, "tasks_restore", { task: "TASK-1" }).then(() => (isRestored = true));
        return !isRestored;
      }),
    });
    await ok(late, "tasks_archive", { task: "TASK-1" });
    await restored;
    expect(readdirSync(join(root, ".coco/tasks"))).toContain("TASK-1");
    await ok(other, "tasks_note", { task: "TASK-1", note: "it is live" });
    const { tasks } = (await ok(late, "tasks_context", {})) as { tasks: { id: string }[] };
    expect(tasks.map(({ id }) => id)).toContain("TASK-1");
  });

  it("[ARCHIVE-3] a read answers about a task that another process moves to the archive between its look and its reading", async () => {
    const ws = openTemp();
    await ended(ws, "DONE");
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    await ws.close();
    const moved = (): void => renameSync(live(ws.root), away(ws.root));
    renameSync(away(ws.root), live(ws.root));
    const disk = new FaultyDisk();
    disk.meanwhile({ kind: "open", path: /tasks[/\\]TASK-001[/\\]events\.jsonl$/ }, moved);
    const reader = openTemp({ root: ws.root, disk });
    const reply = await call(reader, "tasks_radar", { task: "TASK-001" });
    expect(existsSync(live(ws.root))).toBe(false);
    expect(reply).toMatchObject({ success: true, result: { target: { id: "TASK-001" } } });
    expect(reply.warnings.map((warning) => warning.code)).toContain("ARCHIVED");
  });

  it("[ARCHIVE-22] a folder does not move, and no file leaves it, while another process writes its folded files", async () => {
    const { root } = openTemp();
    let asked = 0;
    let isHeld = false;
    const ws = openTemp({
      root,
      lockTimeoutMs: 50,
      // The first one writes the files of the change itself.
      lockProvider: gatedLocks((name) => name === "TASK-001.files" && isHeld && asked++ > 0),
    });
    await ended(ws, "DONE");
    isHeld = true;
    const reply = await call(ws, "tasks_archive", { task: "TASK-001" });
    expect([reply.success, reply.warnings.map((warning) => warning.code)]).toEqual([true, ["PROJECTION_FAILED"]]);
    expect([existsSync(live(root)), existsSync(away(root))]).toEqual([true, false]);
    appendFileSync(logPath(root), "=======\n");
    await expect(ws.repair.resolve("TASK-001")).rejects.toMatchObject({ code: "LOCK_TIMEOUT" });
    writeFileSync(logPath(root), readFileSync(logPath(root), "utf8").replace("=======\n", ""));
    await ws.close();
    const next = openTemp({ root });
    await ok(next, "tasks_note", { task: "PLAN-001", note: "of another process" });
    expect([existsSync(live(root)), existsSync(away(root))]).toEqual([false, true]);
    expect(next.verify().findings).toEqual([]);
  });

  it("[ARCHIVE-22] a folder does not come back, and two are not joined, while another process writes its folded files", async () => {
    const first = openTemp();
    const { root } = first;
    await ended(first, "DONE");
    await ok(first, "tasks_archive", { task: "TASK-001" });
    await first.close();
    let isHeld = true;
    const locks = gatedLocks((name) => name === "TASK-001.files" && isHeld);
    const ws = openTemp({ root, lockTimeoutMs: 50, lockProvider: locks });
    expect(await code(ws, "tasks_restore", { task: "TASK-001" })).toBe("LOCK_TIMEOUT");
    expect([existsSync(live(root)), existsSync(away(root))]).toEqual([false, true]);
    cpSync(away(root), live(root), { recursive: true });
    await ws.repair.resolve("TASK-001").catch(() => {});
    expect([existsSync(live(root)), existsSync(away(root))]).toEqual([true, true]);
    isHeld = false;
    await ws.repair.resolve("TASK-001");
    expect([existsSync(live(root)), existsSync(away(root))]).toEqual([false, true]);
    expect(ws.verify().findings).toEqual([]);
  });

  it("[DUR-8] a change is kept and answered, whatever lies in the archive of a task that a dead process left stale", async () => {
    const first = openTemp();
    const { root } = first;
    for (const id of ["TASK-001", "TASK-002", "TASK-003"]) await newTask(first, id);
    await first.close();
    const readme = join(root, ".coco/tasks/TASK-003/README.md");
    const whole = readFileSync(readme, "utf8");
    writeFileSync(readme, "");
    mkdirSync(machinePath(root, "dirty"), { recursive: true });
    writeFileSync(machinePath(root, "dirty", "left-1"), "TASK-002\nTASK-003\n");
    mkdirSync(join(root, ".coco/archive/TASK-002"), { recursive: true });
    writeFileSync(join(root, ".coco/archive/TASK-002/events.jsonl"), "");
    const disk = new FaultyDisk();
    disk.fail({ kind: "open", path: /archive[/\\]TASK-002/ }, "EACCES", { times: Infinity });
    const ws = openTemp({ root, disk });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "kept" });
    expect(notesOf(root)).toEqual(["kept"]);
    expect(readFileSync(readme, "utf8")).toBe(whole);
  });
});

function lastEvent(folder: string): { type: string; op: { txn?: { id: string } } } {
  return JSON.parse(readFileSync(join(folder, "events.jsonl"), "utf8").trim().split("\n").at(-1)!) as never;
}
