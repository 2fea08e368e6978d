/** Lanes of many agents, pages of them and of logs, and clocks that were years behind or ahead. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentsAnswer, HealthAnswer, LogsAnswer, StandingsAnswer } from "../../src/views/viewer/api.ts";
import { LANES_PAGE, LIST_PAGE } from "../../src/views/viewer/api.ts";
import { mainStart } from "../../src/views/viewer/main_time.ts";
import { exportView } from "../../src/hosts/view/export_view.ts";
import { readPageFiles } from "../../src/hosts/view/page_files.ts";
import { ok, openTemp, START, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { builtPages, read, viewerOf } from "./view_support.ts";

const HOUR = 3_600_000;
const FUTURE = Date.parse("2099-01-01T00:00:00.000Z");

describe("a clock that was years behind", () => {
  it("[regression VIEWER-67] lanes and bars begin with the work, and say how many marks are long before it", async () => {
    let clock = Date.parse("1970-01-01T00:00:00.000Z");
    const ws = openTemp({ now: () => (clock += 1000) });
    await ok(ws, "tasks_create", { title: "Version 2" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser" });
    clock = START;
    for (let n = 0; n < 3; n++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${n}` });
    const viewer = viewerOf(ws.root, () => START + HOUR);
    const { from, main_from, early, lanes, throughput } = await read<AgentsAnswer>(viewer, "agents.json");
    expect([from!.slice(0, 4), main_from!.slice(0, 4), early]).toEqual(["1970", "2026", 2]);
    expect(lanes[0]!.marks, "lists have it").toHaveLength(5);
    expect(throughput).toMatchObject({ bucket: "hour", early: 2, buckets: [{ changes: 3 }] });
    const { logs } = await read<HealthAnswer>(viewer, "health.json");
    expect(logs.growth.map(({ day }) => day.slice(0, 4))).toEqual(["2026"]);
    expect(logs.early).toBeGreaterThan(0);
    expect(logs.early + logs.growth.reduce((sum, { events }) => sum + events, 0)).toBe(logs.events);
  });

  it("[regression VIEWER-67] the axis leaves out fewer marks than it shows, and work that rests for a year goes on", () => {
    const happened = fc.array(fc.record({ at: fc.nat(40 * 365 * 24 * HOUR), count: fc.integer({ min: 1, max: 9 }) }), {
      maxLength: 30,
    });
    const sumOf = (list: { count: number }[]): number => list.reduce((sum, { count }) => sum + count, 0);
    fc.assert(
      fc.property(happened, (given) => {
        const list = given.toSorted((a, b) => a.at - b.at);
        const start = mainStart(list);
        const [before, after] = [list.slice(0, start), list.slice(start)];
        expect(sumOf(before) === 0 || sumOf(before) < sumOf(after)).toBe(true);
        const gap = start > 0 ? list[start]!.at - list[start - 1]!.at : Infinity;
        expect(gap).toBeGreaterThan(3 * 365 * 24 * HOUR);
      }),
    );
    const days = (...at: number[]): number => mainStart(at.map((day) => ({ at: day * 24 * HOUR, count: 1 })));
    expect(days(0, 400, 401, 402)).toBe(0);
    expect(days(0, 1, 4000), "one change after years is not most of the work").toBe(0);
    expect(days(0, 4000, 4001, 4002)).toBe(1);
    expect(days(), "nothing").toBe(0);
  });
});

describe("a clock that is years ahead", () => {
  it("[VIEWER-14] lanes stand by their last act that is not ahead, and an actor of such acts alone comes last", async () => {
    let clock = START;
    const ws = openTemp({ now: () => (clock += 1000) });
    const note = (by: string) =>
      ws.callTool("tasks_note", { workspace: WORKSPACE, task: "TASK-001", note: by }, { by });
    await ok(ws, "tasks_create", { title: "Version 2" });
    await ok(ws, "tasks_create", { parent: "PLAN-001", title: "A parser" });
    await note("agent:ada");
    await note("agent:ben");
    clock = FUTURE;
    await note("agent:ada");
    await note("agent:zoe");
    const viewer = viewerOf(ws.root, () => START + HOUR);
    const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
    const { standings } = await read<StandingsAnswer>(viewer, "standings.json");
    const actors = standings.map(({ by }) => by);
    expect(actors.slice(0, 2)).toEqual(["agent:ben", "agent:ada"]);
    expect(actors.at(-1)).toBe("agent:zoe");
    expect(lanes.map(({ by }) => by)).toEqual(actors);
    const lastOf = (name: string): string | undefined => lanes.find(({ by }) => by === name)?.last.slice(0, 4);
    expect([lastOf("agent:ada"), lastOf("agent:zoe")]).toEqual(["2026", "2099"]);
    const later = await read<StandingsAnswer>(
      viewerOf(ws.root, () => FUTURE + HOUR),
      "standings.json",
    );
    expect(
      later.standings.slice(0, 2).map(({ by }) => by),
      "their time has come",
    ).toEqual(["agent:zoe", "agent:ada"]);
  });
});

describe("how each agent stands", () => {
  it("[VIEWER-5] the table says what each actor finished, what failed and when, where it works and where it waits", async () => {
    const ws = openTemp();
    const step = { title: "One", success_criteria: ["it works"], tests: ["npm test"] };
    const as = (by: string, tool: string, input: object) =>
      ws.callTool(tool, { workspace: WORKSPACE, task: "TASK-001", ...input }, { by });
    await ok(ws, "tasks_create", { kind: "task", title: "First", steps: [step, { ...step, title: "Two" }] });
    await ok(ws, "tasks_create", { kind: "task", title: "Second", depends_on: ["TASK-001"], steps: [step] });
    const items = [{ kind: "run", command: "npm test", exit_code: 1 }];
    await as("agent:ada", "tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items });
    await as("agent:ada", "tasks_close_step", { path: "s:0", checkpoints: "gate", force: "by hand" });
    await as("agent:ben", "tasks_claim", { path: "s:1", ttl_s: 86_400 });
    await as("agent:ben", "tasks_claim", { task: "TASK-002", ttl_s: 86_400 });
    const viewer = viewerOf(ws.root, () => START + HOUR);
    const { lanes } = await read<AgentsAnswer>(viewer, "agents.json");
    const { standings } = await read<StandingsAnswer>(viewer, "standings.json");
    const of = (by: string) => standings.find((one) => one.by === by);
    const failure = lanes.find(({ by }) => by === "agent:ada")!.marks.find(({ kind }) => kind === "failure")!;
    expect(of("agent:ada")).toMatchObject({ failed: 1, last_failure: failure.ts, holds: [], waits: [] });
    expect(of("agent:ben")).toMatchObject({ done: 0, failed: 0, last_failure: null, holds: ["TASK-001", "TASK-002"] });
    expect(of("agent:ben")!.waits).toEqual(["TASK-002"]);
    const later = await read<StandingsAnswer>(
      viewerOf(ws.root, () => START + 48 * HOUR),
      "standings.json",
    );
    const over = later.standings.find(({ by }) => by === "agent:ben");
    expect(over, "its claims are over").toMatchObject({ holds: [], waits: [] });
  });
});

describe("more than a page", () => {
  it("[VIEWER-14] every lane and every log stands on one page, also of an export", ROTATING, async () => {
    const ws = openTemp();
    for (let n = 0; n <= LIST_PAGE; n++)
      await ws.callTool("tasks_create", { workspace: WORKSPACE, title: `Task ${n}` }, { by: `agent:a${n}` });
    const viewer = viewerOf(ws.root, () => START + HOUR);
    const first = await read<AgentsAnswer>(viewer, "agents.json");
    expect(first).toMatchObject({ page: 0, pages: 3, lanes_total: LIST_PAGE + 1 });
    expect(await read(viewer, "agents/0.json")).toEqual(first);
    const pages = [first];
    for (let n = 1; n < first.pages; n++) pages.push(await read<AgentsAnswer>(viewer, `agents/${n}.json`));
    const names = pages.flatMap(({ lanes }) => lanes.map(({ by }) => by));
    const { standings, total } = await read<StandingsAnswer>(viewer, "standings.json");
    expect([names, LIST_PAGE + 1]).toEqual([standings.map(({ by }) => by), total]);
    expect(new Set(names).size).toBe(LIST_PAGE + 1);
    expect(pages.map(({ lanes }) => lanes.length)).toEqual([LANES_PAGE, LANES_PAGE, 1]);
    for (const { lanes } of pages) for (const lane of lanes) expect(lane.marks).toHaveLength(1);
    const logs: string[] = [];
    for (const page of [0, 1])
      logs.push(...(await read<LogsAnswer>(viewer, `logs/${page}.json`)).logs.map(({ id }) => id));
    expect(new Set(logs).size).toBe(LIST_PAGE + 1);
    const { logs: summary } = await read<HealthAnswer>(viewer, "health.json");
    expect(summary.largest.map(({ id }) => id)).toEqual(logs.slice(0, LIST_PAGE));
    for (const name of ["agents/3.json", "logs/2.json"])
      await expect(viewer.answer(name).then(({ body }) => body())).rejects.toMatchObject({ code: "UNKNOWN_ID" });
    const dir = join(tempFolder(), "out");
    await exportView({
      viewer,
      pages: readPageFiles(builtPages()),
      dir,
      from: ws.root,
      now: new Date(START).toISOString(),
    });
    const held = ["agents.json", "agents/1.json", "agents/2.json", "agents/3.json", "logs/1.json", "logs/2.json"];
    expect(held.map((name) => existsSync(join(dir, "api/v1", name)))).toEqual([true, true, true, false, true, false]);
  });
});
