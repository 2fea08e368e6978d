/** The tasks that the viewer calls ready beside those of `taskfold ready`. */
import { describe, expect, it } from "vitest";
import type { BoardAnswer, EntityAnswer, GraphAnswer, WorkspaceAnswer } from "../../src/views/viewer/api.ts";
import { isBlocked, isReady } from "../../src/views/viewer/blocked.ts";
import { hasMark } from "../../viewer/src/board/select.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { run } from "./cli_support.ts";
import { read, viewerOf } from "./view_support.ts";

const steps = [{ title: "One", success_criteria: ["done"], tests: ["npm test"] }];

describe("what is ready", () => {
  it("[VIEWER-122] [PAGE-105] is the list of `taskfold ready`, on the board, on pages, in the graph and in the counts", async () => {
    const ws = openTemp({ by: "agent:ada", now: () => Date.now() });
    await ok(ws, "tasks_create", { title: "Version 2" });
    const make = async (title: string, more: object = {}): Promise<string> =>
      (await ok(ws, "tasks_create", { parent: "PLAN-001", title, ...more }))["id"] as string;
    const begun = await make("with a step", { steps });
    const empty = await make("without steps");
    await make("behind one", { depends_on: [begun] });
    await ok(ws, "tasks_claim", { task: await make("claimed whole"), ttl_s: 600 });
    await ok(ws, "tasks_claim", { task: await make("claimed step", { steps }), path: "s:0", ttl_s: 600 });
    const stuck = await make("blocked", { steps });
    await ok(ws, "tasks_block", { task: stuck, path: "s:0", reason: "why" });
    await ok(ws, "tasks_complete", { task: await make("canceled"), status: "CANCELED", reason: "so" });
    const away = await make("put away");
    await ok(ws, "tasks_complete", { task: away, status: "CANCELED", reason: "so" });
    await ok(ws, "tasks_archive", { tasks: [away] });
    const closed = await make("to be completed", {
      steps: [{ title: "One", success_criteria: ["done"], proof: { tests: "off" } }],
    });
    await ok(ws, "tasks_close_step", { task: closed, path: "s:0", checkpoints: { criteria: true, tests: true } });
    const lost = await make("its only step is deleted", { steps });
    await ok(ws, "tasks_delete", { task: lost, path: "s:0" });
    const { out } = await run({ cwd: ws.root }, "ready", "--json");
    const { tasks } = (JSON.parse(out) as { result: { tasks: { id: string }[] } }).result;
    const listed = tasks.map(({ id }) => id).sort();
    expect(listed).toEqual([begun, empty, lost].sort());

    const viewer = viewerOf(ws.root, () => Date.now());
    const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
    const idsOf = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id).sort();
    expect(idsOf(rows.filter(isReady))).toEqual(listed);
    expect(idsOf(rows.filter((row) => hasMark(row, "ready")))).toEqual(listed);
    expect(idsOf(rows.filter((row) => hasMark(row, "complete")))).toEqual([closed]);
    const { needs_you } = await ok(ws, "tasks_status", {});
    const needs = needs_you as { what: string; task: string }[];
    expect(needs.flatMap(({ what, task }) => (what === "complete" ? [task] : []))).toEqual([closed]);
    expect(idsOf(rows.filter(isBlocked))).toEqual([stuck]);
    const { counts } = await read<WorkspaceAnswer>(viewer, "workspace.json");
    expect(counts.ready).toBe(listed.length);
    const graph = await read<GraphAnswer>(viewer, "plans/PLAN-001/graph.json");
    expect(graph.ready.toSorted()).toEqual(listed);
    for (const { id, kind, ready, needs_steps, to_complete, workable } of rows) {
      if (kind === "plan") continue;
      const page = await read<EntityAnswer>(viewer, `entities/${id}.json`);
      expect([page.ready, page.needs_steps, page.to_complete, page.workable], id).toEqual([
        ready,
        needs_steps,
        to_complete,
        workable,
      ]);
    }
  });
});
