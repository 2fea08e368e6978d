/** Claims on lanes: when each ends, and who goes on where one ended before its work did. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentLane, AgentsAnswer, AgentSpan, EntityAnswer } from "../../src/views/viewer/api.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { spanText } from "../../viewer/src/agents/span_text.ts";
import { en } from "../../viewer/src/text/en.ts";
import { zh } from "../../viewer/src/text/zh.ts";
import { openTemp, START, WORKSPACE } from "../support/workspace.ts";
import { ROTATING, runsOf } from "../support/sweep.ts";
import { read, viewerOf } from "./view_support.ts";

const SECOND = 1000;
const task = "TASK-001";
const checkpoints = { criteria: true, tests: true };
const step = (title: string) => ({ title, success_criteria: ["done"], tests: ["npm test"] });

type Tool = Parameters<Workspace["callTool"]>[0];
type Call = [by: string, tool: Tool, input?: object];

/** A task with three steps, the first with one below it, and a clock that goes on a second with each call. */
class Room {
  now = START;
  readonly ws = openTemp({ now: () => this.now });

  async begin(): Promise<this> {
    await this.do(
      ["ada", "tasks_create", { title: "Version 2" }],
      ["ada", "tasks_create", { parent: "PLAN-001", title: "A parser", steps: ["a", "b", "c"].map(step) }],
      ["ada", "tasks_decompose", { task, parent: "s:0", steps: [step("below")] }],
      ["ada", "tasks_create", { title: "Elsewhere", kind: "task" }],
    );
    return this;
  }

  async try([by, tool, input]: Call): Promise<string | undefined> {
    this.now += SECOND;
    const given = ["tasks_create", "tasks_delete", "tasks_archive", "tasks_restore"].includes(tool) ? {} : { task };
    const { error } = await this.ws.callTool(tool, { workspace: WORKSPACE, ...given, ...input }, { by: `agent:${by}` });
    return error?.message;
  }

  async do(...calls: Call[]): Promise<void> {
    for (const call of calls) {
      const refusal = await this.try(call);
      if (refusal !== undefined) throw new Error(`${JSON.stringify(call)}: ${refusal}`);
    }
  }

  async lanes(): Promise<AgentLane[]> {
    const { lanes } = await read<AgentsAnswer>(
      viewerOf(this.ws.root, () => this.now),
      "agents.json",
    );
    return lanes;
  }

  async spansOf(by: string): Promise<AgentSpan[]> {
    return (await this.lanes()).find((lane) => lane.by === `agent:${by}`)!.spans;
  }

  /** By the page of the task, and by the lanes. */
  async held(): Promise<{ page: string[]; lanes: string[]; spans: AgentSpan[] }> {
    const { claims } = await read<EntityAnswer>(
      viewerOf(this.ws.root, () => this.now),
      `entities/${task}.json`,
    );
    const lanes = await this.lanes();
    const open = lanes.flatMap(({ by, spans }) =>
      spans.flatMap(({ entity, kind, end, of, expires_at }) =>
        entity === task && kind === "claim" && end === "open" ? `${by} ${of} ${expires_at}` : [],
      ),
    );
    const holding = claims.filter(({ holds }) => holds);
    return {
      page: holding.map(({ by, step: of, expires_at }) => `${by} ${of?.id ?? null} ${expires_at}`).sort(),
      lanes: open.sort(),
      spans: lanes.flatMap(({ spans }) => spans),
    };
  }
}

const claim = (by: string, path?: string, ttl_s = 600): Call => [
  by,
  "tasks_claim",
  { ttl_s, ...(path ? { path } : {}) },
];
const close = (by: string, path: string): Call => [by, "tasks_close_step", { path, checkpoints }];
const complete = (by: string, status: string): Call => [by, "tasks_complete", { status, reason: "so" }];
const put = { tasks: [task] };

describe("the end of a claim", () => {
  it.each<[name: string, calls: Call[], ends: string[]]>([
    ["a step that is closed", [claim("bob", "s:1"), close("bob", "s:1")], ["closed"]],
    ["a task set to FAILED", [claim("bob"), complete("bob", "FAILED")], ["closed"]],
    ["a task set to CANCELED", [claim("bob"), complete("bob", "CANCELED")], ["closed"]],
    [
      "a task that is DONE",
      [claim("bob"), ...["s:0.s:0", "s:0", "s:1", "s:2"].map((path) => close("bob", path)), complete("bob", "DONE")],
      ["closed"],
    ],
    [
      "a step below one that is deleted",
      [claim("bob", "s:0.s:0"), ["bob", "tasks_delete", { task, path: "s:0" }]],
      ["closed"],
    ],
    ["a task that is deleted", [claim("bob", "s:1"), ["bob", "tasks_delete", { target: task }]], ["closed"]],
    [
      "a task that is put away",
      [claim("bob", "s:1"), complete("bob", "CANCELED"), ["bob", "tasks_archive", put]],
      ["closed"],
    ],
    [
      "a task that is put away, and is back with its restore",
      [
        claim("bob", "s:1"),
        complete("bob", "CANCELED"),
        ["bob", "tasks_archive", put],
        ["bob", "tasks_restore", { task }],
      ],
      ["closed", "open"],
    ],
    [
      "a closing, whose undo brings no claim back",
      [claim("bob", "s:1"), close("bob", "s:1"), ["bob", "tasks_undo"]],
      ["closed"],
    ],
    ["a release", [claim("bob", "s:1"), ["bob", "tasks_release", { path: "s:1" }]], ["released"]],
    ["nothing", [claim("bob", "s:1"), ["ada", "tasks_note", { note: "here" }]], ["open"]],
  ])("[VIEWER-12] comes on the lane with %s", async (_name, calls, ends) => {
    const room = await new Room().begin();
    await room.do(...calls);
    expect((await room.spansOf("bob")).map(({ end }) => end)).toEqual(ends);
    const { page, lanes } = await room.held();
    expect(lanes).toEqual(page);
  });

  it(
    "[VIEWER-12] is such that lanes hold what the page of the task says is held, after any changes",
    ROTATING,
    async () => {
      const by = fc.constantFrom("ada", "bob", "cyd");
      const path = fc.constantFrom("s:0", "s:0.s:0", "s:1", "s:2", undefined);
      const input = fc.record({ path, ttl_s: fc.constantFrom(2, 5, 3600) });
      const tool = fc.constantFrom<Tool>(
        ...([
          "tasks_claim",
          "tasks_claim",
          "tasks_claim",
          "tasks_release",
          "tasks_close_step",
          "tasks_undo",
          "tasks_redo",
        ] as const),
        ...([
          "tasks_complete",
          "tasks_delete",
          "tasks_decompose",
          "tasks_archive",
          "tasks_restore",
          "tasks_note",
        ] as const),
      );
      const status = fc.constantFrom("DONE", "FAILED", "CANCELED", "ACTIVE", "TODO");
      const call = fc
        .tuple(by, tool, input, status, fc.boolean())
        .map(([who, what, { path: at, ttl_s }, to, force]): Call => {
          const place = at ? { path: at } : {};
          if (what === "tasks_claim") return [who, what, { ttl_s, ...place }];
          if (what === "tasks_release") return [who, what, { ...place, ...(force ? { force, reason: "urgent" } : {}) }];
          if (what === "tasks_close_step") return [who, what, { path: at ?? "s:1", checkpoints }];
          if (what === "tasks_complete") return [who, what, { status: to, reason: "so" }];
          if (what === "tasks_delete") return [who, what, { task, path: at ?? "s:2" }];
          if (what === "tasks_decompose") return [who, what, { parent: at ?? "s:1", steps: [step("more")] }];
          if (what === "tasks_archive") return [who, what, put];
          if (what === "tasks_restore") return [who, what, { task }];
          return [who, what, what === "tasks_note" ? { note: "here" } : {}];
        });
      const moves = fc.array(call, { minLength: 4, maxLength: 16 });
      await fc.assert(
        fc.asyncProperty(moves, async (calls) => {
          const room = await new Room().begin();
          for (const one of calls) await room.try(one);
          const { page, lanes, spans } = await room.held();
          expect(lanes).toEqual(page);
          for (const { from, to } of spans) expect(to === null || to >= from, `${from} ${to}`).toBe(true);
        }),
        runsOf(60),
      );
    },
  );
});

describe("who goes on", () => {
  const marksOf = (lanes: AgentLane[], by: string): string[] =>
    lanes
      .find((lane) => lane.by === `agent:${by}`)!
      .marks.flatMap(({ kind, other }) => (other === null ? [] : `${kind} ${other}`));

  it.each<[name: string, path: string | undefined, other: string | undefined]>([
    ["the same step", "s:0", "s:0"],
    ["a step of a task that another held whole", undefined, "s:1"],
    ["a whole task with a step that another held", "s:1", undefined],
    ["a step below", "s:0", "s:0.s:0"],
    ["a step above", "s:0.s:0", "s:0"],
  ])("[VIEWER-12] takes over once a claim ran out: %s", async (_name, path, other) => {
    const room = await new Room().begin();
    await room.do(claim("bob", path, 10));
    room.now += 60 * SECOND;
    await room.do(claim("cyd", other));
    expect(await room.spansOf("bob")).toMatchObject([{ end: "killed", other: "agent:cyd" }]);
    const lanes = await room.lanes();
    expect(marksOf(lanes, "bob")).toEqual(["kill agent:cyd"]);
    expect(marksOf(lanes, "cyd")).toEqual(["take_over agent:bob"]);
    const { page, lanes: held } = await room.held();
    expect(held).toEqual(page);
  });

  it("[VIEWER-12] a step beside the one that another held takes nothing over", async () => {
    const room = await new Room().begin();
    await room.do(claim("bob", "s:0", 10));
    room.now += 60 * SECOND;
    await room.do(claim("cyd", "s:1"));
    expect(await room.spansOf("bob")).toMatchObject([{ end: "expired", other: null }]);
  });

  it.each<[where: string, input: object]>([
    ["here", { task }],
    ["in another task", { task: "TASK-002" }],
  ])("[VIEWER-12] kills no holder that acted %s before its claim was taken over", async (_where, input) => {
    const room = await new Room().begin();
    await room.do(claim("bob", "s:0", 10));
    room.now += 60 * SECOND;
    await room.do(["bob", "tasks_note", { ...input, note: "still here" }], claim("cyd", "s:0"));
    expect(await room.spansOf("bob")).toMatchObject([{ end: "expired", other: "agent:cyd" }]);
    const lanes = await room.lanes();
    expect(marksOf(lanes, "bob")).toEqual([]);
    expect(lanes.find((lane) => lane.by === "agent:bob")!.counts.kill).toBeUndefined();
    expect(marksOf(lanes, "cyd")).toEqual(["take_over agent:bob"]);
  });

  it("[VIEWER-12] one claim of the whole takes over several, which is one mark on each lane", async () => {
    const room = await new Room().begin();
    await room.do(claim("bob", "s:0", 10), claim("bob", "s:1", 10));
    room.now += 60 * SECOND;
    await room.do(claim("cyd"));
    expect((await room.spansOf("bob")).map(({ end }) => end)).toEqual(["killed", "killed"]);
    const lanes = await room.lanes();
    expect([marksOf(lanes, "bob"), marksOf(lanes, "cyd")]).toEqual([["kill agent:cyd"], ["take_over agent:bob"]]);
  });

  it("[VIEWER-12] a claim that another actor ends by force is revoked, which kills no holder", async () => {
    const room = await new Room().begin();
    await room.do(claim("bob", "s:0"), ["ada", "tasks_release", { path: "s:0", force: true, reason: "urgent" }]);
    expect(await room.spansOf("bob")).toMatchObject([{ end: "revoked", other: "agent:ada" }]);
    const lanes = await room.lanes();
    expect([marksOf(lanes, "bob"), marksOf(lanes, "ada")]).toEqual([[], ["release agent:bob"]]);
    await room.do(claim("cyd", "s:0"));
    expect(marksOf(await room.lanes(), "cyd")).toEqual(["take_over agent:bob"]);
    expect(await room.spansOf("bob")).toMatchObject([{ end: "revoked", other: "agent:ada" }]);
  });

  it("[regression PAGE-91] a bar says in both languages what the other actor did", () => {
    const span: AgentSpan = {
      kind: "claim",
      entity: task,
      of: null,
      title: "",
      from: "2026-11-23T08:00:00.000Z",
      to: "2026-11-23T08:10:00.000Z",
      expires_at: null,
      end: "open",
      other: "agent:ada",
    };
    const told = (end: AgentSpan["end"]): string[] =>
      [en, zh].map((words) =>
        spanText({ ...span, end }, words)
          .split(/: (?=\D*$)|：(?=\D*$)/)
          .at(-1)!,
      );
    expect(told("released")).toEqual(["released, handed over to ada", "已释放，移交给 ada"]);
    expect(told("killed")).toEqual(["killed, taken over by ada", "被终止，由 ada 接手"]);
    expect(told("revoked")).toEqual(["ended by ada, by force", "被 ada 强制释放"]);
    expect(told("taken")).toEqual(["taken over by ada", "由 ada 接手"]);
  });
});
