/** What lanes and bars tell of work that was taken back, that failed, and of tasks that are gone. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { Viewer } from "../../src/engine/open_viewer.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import type {
  AgentsAnswer,
  BoardAnswer,
  EntityAnswer,
  GraphAnswer,
  WorkspaceAnswer,
} from "../../src/views/viewer/api.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { ok, openTemp, START, WORKSPACE } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";

const HOUR = 3_600_000;
const task = "TASK-001";
const checkpoints = { criteria: true, tests: true };

async function begun(options: Parameters<typeof openTemp>[0] = {}): Promise<Workspace> {
  const ws = openTemp({ by: "agent:ada", ...options });
  await ok(ws, "tasks_create", { title: "Version 2" });
  const steps = ["One", "Other"].map((title) => ({ title, success_criteria: ["done"], tests: ["npm test"] }));
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser", steps });
  return ws;
}

describe("lanes and bars", () => {
  it("[VIEWER-5] steps closed are those whose closing stands, in the hour in which they were closed", async () => {
    let now = START;
    const ws = await begun({ now: () => now });
    const closed = async (): Promise<number[]> => {
      const { throughput } = await read<AgentsAnswer>(
        viewerOf(ws.root, () => now),
        "agents.json",
      );
      return throughput.buckets.map(({ closes }) => closes);
    };
    await ok(ws, "tasks_close_step", { task, path: "s:0", checkpoints });
    expect(await closed()).toEqual([1]);
    now += HOUR;
    for (const [tool, closes] of [
      ["tasks_undo", 0],
      ["tasks_redo", 1],
      ["tasks_undo", 0],
    ] as const) {
      await ok(ws, tool, { task });
      expect(await closed(), tool).toEqual([closes, 0]);
    }
    const { lanes } = await read<AgentsAnswer>(viewerOf(ws.root), "agents.json");
    expect(lanes[0]!.counts, "marks tell each of them").toMatchObject({ close: 1, undo: 2, redo: 1 });
  });

  it("[regression VIEWER-93] a task that is set to FAILED is a failure on the lane, and one set to CANCELED is a change", async () => {
    const ws = await begun();
    await ok(ws, "tasks_complete", { task, status: "CANCELED", reason: "not now" });
    await ok(ws, "tasks_complete", { task, status: "FAILED", reason: "no grammar" });
    const { lanes } = await read<AgentsAnswer>(viewerOf(ws.root), "agents.json");
    const told = lanes[0]!.marks.filter(({ entity }) => entity === task).slice(-2);
    expect(told.map(({ kind, text }) => [kind, text.slice(0, 3)])).toEqual([
      ["change", "Set"],
      ["failure", "Set"],
    ]);
  });

  it("[VIEWER-5] a deletion takes nothing from the lanes, and the row of a deleted task lies in the archive", async () => {
    const ws = await begun();
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Its docs", depends_on: [task] });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Put away" });
    await ok(ws, "tasks_claim", { task, path: "s:0", ttl_s: 600 });
    for (const path of ["s:0", "s:1"]) await ok(ws, "tasks_close_step", { task, path, checkpoints });
    await ok(ws, "tasks_complete", { task });
    await ok(ws, "tasks_complete", { task: "TASK-003" });
    await ok(ws, "tasks_archive", { tasks: ["TASK-003"] });
    const before = await read<AgentsAnswer>(viewerOf(ws.root), "agents.json");
    const deleted = await ws.callTool("tasks_delete", { workspace: WORKSPACE, target: task }, { by: "agent:ben" });
    expect(deleted.error).toBeNull();

    const viewer = viewerOf(ws.root);
    const after = await read<AgentsAnswer>(viewer, "agents.json");
    const laneOf = ({ lanes }: AgentsAnswer, by: string) => lanes.find((lane) => lane.by === by);
    expect(laneOf(after, "agent:ada")).toEqual(laneOf(before, "agent:ada"));
    expect(laneOf(after, "agent:ben")!.marks.map(({ entity }) => entity)).toContain(task);
    const closes = ({ throughput }: AgentsAnswer): number => throughput.buckets.reduce((n, one) => n + one.closes, 0);
    expect([closes(before), closes(after)]).toEqual([2, 2]);

    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    const rowOf = (id: string) => rows.find((row) => row.id === id)!;
    expect(rowOf(task)).toMatchObject({ archived: true, deleted: true, status: "DONE", ready: null });
    expect(rowOf("TASK-003")).toMatchObject({ archived: true });
    expect(rowOf("TASK-003").deleted).toBeUndefined();
    expect(rowOf("TASK-002").waits_for, "a deleted task is not DONE").toEqual([task]);
    const { counts } = await read<WorkspaceAnswer>(viewer, "workspace.json");
    const listed = await ok(ws, "tasks_context", {});
    expect([counts.archived, counts.tasks]).toEqual([listed["archived"], 1]);
    const plan = await read<EntityAnswer>(viewer, "entities/PLAN-001.json");
    expect(plan.plan!.tasks.map(({ id }) => id)).toEqual(["TASK-002", "TASK-003"]);
    const { nodes } = await read<GraphAnswer>(viewer, "plans/PLAN-001/graph.json");
    expect(nodes.map(({ id }) => id)).not.toContain(task);
  });
});

describe("a reader at rest", () => {
  /** A viewer whose logs are counted as they are opened, and whose waits end when they are told to. */
  function counted(root: string) {
    let opened = 0;
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags) => {
        if (path.endsWith("events.jsonl")) opened++;
        return nodeDisk.open(path, flags);
      },
    };
    let waits: { ms: number; call: () => void }[] = [];
    const runtime = {
      ...nodeRuntime,
      after: (ms: number, call: () => void) => {
        const wait = { ms, call };
        waits.push(wait);
        return () => void (waits = waits.filter((one) => one !== wait));
      },
    };
    const viewer = new Viewer({ root, version: "0.0.0", disk, runtime });
    onTestFinished(() => viewer.close());
    const rest = (): void => waits.splice(0).forEach(({ call }) => call());
    return { viewer, rest, waiting: () => waits.length, opens: () => opened };
  }

  it("has read the past of every log before the page of agents asks for it", async () => {
    const ws = await begun();
    const { viewer, rest, waiting, opens } = counted(ws.root);
    await read(viewer, "board/0.json");
    const before = waiting();
    viewer.readAhead();
    viewer.readAhead();
    expect(waiting()).toBe(before + 1);
    const atRest = opens();
    rest();
    await vi.waitFor(() => expect(opens()).toBe(atRest + 2), { timeout: 20_000 });
    await read(viewer, "agents.json");
    expect(opens()).toBe(atRest + 2);
    // Only the log that changed is read again.
    await ok(ws, "tasks_note", { task, note: "later" });
    await viewer.lookAgain();
    const changed = opens();
    viewer.readAhead();
    rest();
    await read(viewer, "agents.json");
    expect(opens() - changed).toBeLessThanOrEqual(1);
  });

  it("reads nothing ahead once it is closed", async () => {
    const ws = await begun();
    const { viewer, rest, opens } = counted(ws.root);
    await read(viewer, "board/0.json");
    viewer.readAhead();
    viewer.close();
    const closed = opens();
    rest();
    await read(viewerOf(ws.root), "agents.json");
    expect(opens()).toBe(closed);
  });
});
