/** Limits of the viewer and its rare states, each of which a change could take away unseen. */
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import { Viewer } from "../../src/engine/open_viewer.ts";
import type {
  AgentsAnswer,
  BoardAnswer,
  EntityAnswer,
  HealthAnswer,
  HistoryAnswer,
  WorkspaceAnswer,
} from "../../src/views/viewer/api.ts";
import { mainStart } from "../../src/views/viewer/main_time.ts";
import { mergeFolders } from "../support/branched_work.ts";
import { passTime } from "../support/clock.ts";
import { unsynced } from "../support/exchange.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { tempFolder } from "../support/temp.ts";
import { call, counting, newTask, ok, openTemp, START, ticking, tree, WORKSPACE } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";
import { ROTATING } from "../support/sweep.ts";

const HOUR = 3_600_000;
/** More than a lane has of one log. */
const CLAIMS = 1001;
const STEP = { title: "One", success_criteria: ["done"], tests: ["npm test"] };
const PATHS = ["s:0", "s:1"];
const blocking = (task: string, path: string) => ({ tool: "tasks_block", args: { task, path, reason: "waits" } });

/** Two tasks, and a transaction over both of which the log of the second got nothing before its writer died. */
async function cutOff(): Promise<string> {
  const disk = new FaultyDisk();
  const ws = openTemp({ disk, by: "agent:ada" });
  for (const id of ["TASK-001", "TASK-002"]) await newTask(ws, id);
  disk.fail({ kind: "write", path: "TASK-002/events.jsonl" }, "EIO");
  const operations = ["TASK-001", "TASK-002"].flatMap((id) => PATHS.map((path) => blocking(id, path)));
  const { error } = await call(ws, "tasks_batch", { atomic: true, operations });
  expect(error).toMatchObject({ code: "UNKNOWN_OUTCOME", details: { reason: "TXN_PENDING" } });
  disk.die();
  return ws.root;
}

/** A plan that is in its log, and a task under it that is only in the journal. */
async function cutOffMade(): Promise<string> {
  const disk = new FaultyDisk();
  const ws = openTemp({ disk });
  disk.fail({ kind: "write", path: "TASK-001/events.jsonl" }, "EIO");
  await call(ws, "tasks_bootstrap", { plan_title: "Version 2", task_title: "A parser", steps: [STEP] });
  disk.die();
  return ws.root;
}

describe("an accepted transaction that is pending", () => {
  it("[VIEWER-2] [VIEWER-1] is on the board, pages, history and lanes of a log that lacks it, and nothing is written", async () => {
    const root = await cutOff();
    const before = tree(root);
    const viewer = viewerOf(root);
    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    const two = rows.find(({ id }) => id === "TASK-002")!;
    expect(two).toMatchObject({ revision: 3, ready: null, updated_by: "agent:ada" });
    expect(two.blocked).toHaveLength(2);
    const page = await read<EntityAnswer>(viewer, "entities/TASK-002.json");
    expect(page).toMatchObject({
      revision: 3,
      head: two.head,
      ready: null,
      available: { revisions: { from: 1, to: 3 } },
    });
    expect(page.steps.map(({ state }) => state)).toEqual(["blocked", "blocked"]);
    const asOf = await read<EntityAnswer>(viewer, "entities/TASK-002/revisions/2.json");
    expect(asOf.steps.map(({ state }) => state)).toEqual(["blocked", "ready"]);
    const { ops } = await read<HistoryAnswer>(viewer, "entities/TASK-002/history/0.json");
    expect(ops.map(({ tool }) => tool)).toEqual(["tasks_create", "tasks_block", "tasks_block"]);
    const { counts } = await read<WorkspaceAnswer>(viewer, "workspace.json");
    expect(counts).toMatchObject({ tasks: 2, blocked: 2, ready: 0 });
    const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
    expect(lanes[0]!.counts).toMatchObject({ create: 2, block: 4 });
    expect(tree(root)).toEqual(before);
    expect(readdirSync(join(root, ".coco/registry/journal"))).toHaveLength(1);
    await newTask(openTemp({ root }), "TASK-003");
    passTime(300);
    expect(readdirSync(join(root, ".coco/registry/journal"))).toEqual([]);
    expect(await read<EntityAnswer>(viewer, "entities/TASK-002.json"), "the log has it now").toEqual(page);
  });

  it("[VIEWER-2] a task that only the journal has yet is on the board and has a page, and no folder is made", async () => {
    const root = await cutOffMade();
    const before = tree(root);
    const viewer = viewerOf(root);
    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    expect(rows).toMatchObject([
      { id: "PLAN-001", progress: { done: 0, total: 1 } },
      { id: "TASK-001", plan: "PLAN-001", title: "A parser" },
    ]);
    const page = await read<EntityAnswer>(viewer, "entities/TASK-001.json");
    expect(page).toMatchObject({ parent: { id: "PLAN-001", title: "Version 2" }, steps: [STEP] });
    const { total } = await read<HistoryAnswer>(viewer, "entities/TASK-001/history/0.json");
    expect(total).toBe(page.revision);
    expect(tree(root)).toEqual(before);
    expect(existsSync(join(root, ".coco/tasks/TASK-001"))).toBe(false);
  });
});

describe("an answer", () => {
  it("[VIEWER-14] names a hundred warnings at most, and shows everything else", async () => {
    const ws = openTemp();
    await newTask(ws);
    for (let n = 0; n < 105; n++) {
      const folder = join(ws.root, `.coco/tasks/TASK-${500 + n}`);
      mkdirSync(folder);
      writeFileSync(join(folder, "events.jsonl"), "no line\n");
    }
    const viewer = viewerOf(ws.root);
    for (const name of ["board/0.json", "workspace.json"]) {
      const { warnings, warnings_total } = await read<BoardAnswer>(viewer, name);
      expect([warnings.length, warnings_total], name).toEqual([100, 105]);
    }
    expect((await read<BoardAnswer>(viewer, "board/0.json")).rows).toMatchObject([{ id: "TASK-001" }]);
  });

  it("[VIEWER-27] has another tag where another release makes it", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "Version 2" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser" });
    const [one, same, other] = ["1.0.0", "1.0.0", "1.0.1"].map((version) => {
      const viewer = new Viewer({ root: ws.root, version, now: () => START });
      onTestFinished(() => viewer.close());
      return viewer;
    }) as [Viewer, Viewer, Viewer];
    const page = "entities/TASK-001";
    const parts = ["", "/revisions/1", "/differences/1-1", "/history/0", "/notes/0"].map(
      (part) => `${page}${part}.json`,
    );
    for (const name of ["workspace.json", "board/0.json", "plans/PLAN-001/graph.json", "agents.json", ...parts]) {
      const { etag } = await one.answer(name);
      expect((await same.answer(name)).etag, name).toBe(etag);
      expect((await other.answer(name)).etag, name).not.toBe(etag);
    }
  });
});

describe("the history", () => {
  it("[VIEWER-9] says which revisions came from another branch than the one before, and of one line none", async () => {
    const [main, branch, merged] = ["main", "branch", "merged"].map((name) => join(tempFolder(), name)) as [
      string,
      string,
      string,
    ];
    const noted = async (root: string, hour: number): Promise<void> => {
      const ws = openTemp({ root, now: ticking(START + hour * HOUR), newId: counting(`hour ${hour}`) });
      for (const n of [1, 2]) await ok(ws, "tasks_note", { task: "TASK-001", note: `hour ${hour}, ${n}` });
      await ws.close();
    };
    const mergedOf = async (root: string): Promise<[string, boolean][]> => {
      const { ops } = await read<HistoryAnswer>(viewerOf(root), "entities/TASK-001/history/0.json");
      return ops.map(({ message, merged: isMerged }) => [message.slice(-10), isMerged]);
    };
    const ws = openTemp({ root: main });
    await newTask(ws);
    await ws.close();
    cpSync(main, branch, { recursive: true });
    await noted(main, 1);
    await noted(branch, 2);
    mergeFolders(merged, main, branch);
    await noted(merged, 3);
    expect((await mergedOf(main)).map(([, isMerged]) => isMerged)).toEqual([false, false, false]);
    expect((await mergedOf(merged)).slice(1)).toEqual([
      ["hour 1, 1.", false],
      ["hour 1, 2.", false],
      ["hour 2, 1.", true],
      ["hour 2, 2.", false],
      ["hour 3, 1.", false],
      ["hour 3, 2.", false],
    ]);
  });
});

describe("lanes", () => {
  it("[regression VIEWER-62] count the claims that they leave out", ROTATING, async () => {
    const ws = openTemp({ by: "agent:ada", projections: "manual", disk: unsynced(nodeDisk) });
    await newTask(ws);
    for (let n = 0; n < CLAIMS; n++) {
      await ok(ws, "tasks_claim", { task: "TASK-001", ttl_s: 60 });
      await ok(ws, "tasks_release", { task: "TASK-001" });
    }
    const { lanes, cut } = await read<AgentsAnswer>(viewerOf(ws.root), "agents.json");
    const { spans, spans_total, marks, counts } = lanes[0]!;
    expect(cut).toBe(true);
    expect([spans_total, counts.claim, counts.release]).toEqual([CLAIMS, CLAIMS, CLAIMS]);
    expect(spans.length).toBeLessThanOrEqual(1000);
    expect(marks.length).toBeLessThanOrEqual(2000);
  });

  it("[VIEWER-12] show a hand-over to another agent, and none to oneself", async () => {
    const ws = openTemp();
    await newTask(ws);
    const as = async (by: string, tool: "tasks_claim" | "tasks_release"): Promise<void> => {
      const { error } = await ws.callTool(tool, { workspace: WORKSPACE, task: "TASK-001" }, { by });
      expect(error).toBeNull();
    };
    const turns = async (): Promise<unknown[]> => {
      const { lanes } = await read<AgentsAnswer>(viewerOf(ws.root), "agents.json");
      return lanes.flatMap(({ by, marks }) =>
        marks.flatMap(({ kind, other }) => (kind === "hand_over" || other !== null ? [[by, kind, other]] : [])),
      );
    };
    for (const tool of ["tasks_claim", "tasks_release", "tasks_claim", "tasks_release"] as const)
      await as("agent:ada", tool);
    expect(await turns()).toEqual([]);
    await as("agent:ben", "tasks_claim");
    expect(await turns()).toEqual([["agent:ada", "hand_over", "agent:ben"]]);
  });

  it("[regression VIEWER-67] begin behind a gap that is longer than ten times all that follows, and not behind a shorter one", () => {
    const start = (...days: number[]): number => mainStart(days.map((day) => ({ at: day * 24 * HOUR, count: 1 })));
    expect(start(0, 3999, 4399), "work over 400 days").toBe(0);
    expect(start(0, 4001, 4401)).toBe(1);
  });
});

describe("checks", () => {
  /** Says whether a check that is asked for so many seconds after one that took `tookMs` finds an edit made beside the log. */
  async function foundAfter(seconds: number, tookMs: number): Promise<boolean> {
    const ws = openTemp();
    await newTask(ws);
    let [elapsed, takes] = [0, 0];
    vi.spyOn(performance, "now").mockImplementation(() => elapsed);
    const viewer = viewerOf(ws.root, () => {
      elapsed += takes;
      takes = 0;
      return START;
    });
    await viewer.stamp();
    // The check asks what time it is once it has begun.
    takes = tookMs;
    await viewer.finishChecks();
    appendFileSync(join(ws.root, ".coco/tasks/TASK-001/README.md"), "by hand\n");
    elapsed += 1000 * seconds;
    await viewer.finishChecks();
    return (await viewer.board())[0]!.drift === true;
  }

  it.each([
    ["a quick one holds for 10 seconds", 0, 9, 11],
    ["one of 3 seconds holds for ten times as long", 3000, 29, 31],
    ["one of an hour holds for a minute", 3_600_000, 59, 61],
  ])("[VIEWER-53] %s", ROTATING, async (_, tookMs, within, after) => {
    expect(await foundAfter(within, tookMs)).toBe(false);
    expect(await foundAfter(after, tookMs)).toBe(true);
  });

  it("[VIEWER-53] an answer that is asked for during a check comes before its end, and says how far it is", async () => {
    const ws = openTemp();
    for (const id of ["TASK-001", "TASK-002", "TASK-003"]) await newTask(ws, id);
    let time = 0;
    const viewer = viewerOf(ws.root);
    await viewer.stamp();
    // Each look at the clock finds a slice over, and no look at the folders too old.
    vi.spyOn(performance, "now").mockImplementation(() => (time += 30));
    const came: string[] = [];
    const checked = viewer.finishChecks().then(() => came.push("check"));
    await new Promise((done) => setImmediate(done));
    const { findings, counts } = await read<WorkspaceAnswer>(viewer, "workspace.json");
    came.push("answer");
    await checked;
    expect(came).toEqual(["answer", "check"]);
    expect([findings.complete, counts.drift]).toEqual([false, null]);
    const { checked: done, total, complete } = await read<HealthAnswer>(viewer, "health.json");
    expect([done, total, complete]).toEqual([3, 3, true]);
  });
});
