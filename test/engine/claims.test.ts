import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { child } from "../support/child.ts";
import { newTask, ok, openTemp, START, WORKSPACE } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";

const steps = (...titles: string[]) => titles.map((title) => ({ title, success_criteria: ["it works"] }));

interface Claimed {
  task: string;
  step: { path: string };
}

const placeOf = ({ task, step }: Claimed): string => `${task} ${step.path}`;

/** Claims as this agent; the task and path that it got, or the code. */
async function next(ws: Workspace, by: string, input: object = {}): Promise<string | undefined> {
  const { result, error } = await ws.call("tasks_claim_next", { workspace: WORKSPACE, ...input }, { by });
  return error ? error.code : placeOf(result as unknown as Claimed);
}

/** Steps that stand as claimed by this agent, with the number of the claim. */
async function holding(ws: Workspace, by: string): Promise<string[]> {
  const held: string[] = [];
  for (let i = 1; i <= 4; i++) {
    const { steps: rows } = await ok(ws, "tasks_mirror", { task: `TASK-00${i}` });
    for (const { path, lease } of rows as { path: string; lease?: { by: string; fence: number } }[])
      if (lease?.by === by) held.push(`TASK-00${i} ${path} ${lease.fence}`);
  }
  return held.toSorted();
}

async function plan(ws: Workspace): Promise<void> {
  await ok(ws, "tasks_create", { title: "Plan" });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "one", steps: steps("a", "b") });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "two", steps: steps("c") });
  await newTask(ws, "TASK-010", ["elsewhere"]);
}

describe("claims in a workspace", () => {
  it("[LEASE-8] go through a plan's tasks, or all of them, in the order of their ids", async () => {
    const ws = openTemp();
    await plan(ws);
    await ok(ws, "tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] });
    expect(await next(ws, "agent:a", { plan: "PLAN-001" })).toBe("TASK-002 s:0");
    expect(await next(ws, "agent:b", { plan: "PLAN-001" })).toBe("NOTHING_READY");
    expect(await next(ws, "agent:b")).toBe("TASK-010 s:0");
    expect(await next(ws, "agent:b", { task: "TASK-001" })).toBe("NOTHING_READY");
    const close = { workspace: WORKSPACE, task: "TASK-002", path: "s:0", checkpoints: "gate" } as const;
    expect((await ws.call("tasks_close_step", close, { by: "agent:b" })).error?.code).toBe("LEASE_HELD");
    expect((await ws.call("tasks_close_step", close, { by: "agent:a" })).error).toBeNull();
    await ok(ws, "tasks_complete", { task: "TASK-002" });
    expect(await next(ws, "agent:b")).toBe("TASK-001 s:0");
    await ok(ws, "tasks_focus_set", { task: "TASK-001" });
    expect(await next(ws, "human:local")).toBe("TASK-001 s:1");
    expect(await next(ws, "agent:c")).toBe("NOTHING_READY");
    expect(await next(ws, "agent:c", { task: "TASK-999" })).toBe("UNKNOWN_ID");
  });

  it("[LEASE-8] where none is ready, what stands in the way of which task is said", async () => {
    const ws = openTemp();
    const found = async (input: object, code = "NOTHING_READY"): Promise<string> => {
      const { error } = await ws.call("tasks_claim_next", { workspace: WORKSPACE, ...input });
      expect(error?.code).toBe(code);
      expect(error?.details).toMatchObject({ open: expect.any(Number), earliest_end: null });
      return error!.message.replace(/^.* can be taken up, /, "");
    };
    await ok(ws, "tasks_create", { title: "Plan" });
    expect(await found({ plan: "PLAN-001" }, "ALL_DONE")).toBe("found no task that has not ended.");
    for (const title of ["one", "two"]) await ok(ws, "tasks_create", { parent: "PLAN-001", title, steps: steps("a") });
    await ok(ws, "tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] });
    await ok(ws, "tasks_edit", { task: "TASK-002", depends_on: ["TASK-001"] });
    const circle = "TASK-001 waiting for TASK-002; TASK-002 waiting for TASK-001";
    expect(await found({ plan: "PLAN-001" })).toBe(`found ${circle}.`);
    for (const title of ["three", "four"]) await ok(ws, "tasks_create", { kind: "task", title });
    expect(await found({})).toBe(`found ${circle}; TASK-003 without steps; 1 more task.`);
  });

  it("[LEASE-32] it is ALL_DONE where all is done, and never where a task could not be looked at", async () => {
    const root = tempFolder();
    const ws = openTemp({ root, by: "agent:a" });
    for (const title of ["one", "two"]) await ok(ws, "tasks_create", { kind: "task", title, steps: steps("a") });
    for (const task of ["TASK-001", "TASK-002"]) {
      expect(await next(ws, "agent:a")).toBe(`${task} s:0`);
      await ok(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
    }
    const { error, suggestions } = await ws.call("tasks_claim_next", { workspace: WORKSPACE });
    expect(error?.code).toBe("ALL_DONE");
    expect(suggestions.map(({ tool, args }) => `${tool} ${String(args["task"])}`)).toEqual([
      "tasks_complete TASK-001",
      "tasks_complete TASK-002",
    ]);
    await ws.close();
    writeFileSync(join(root, ".coco/tasks/TASK-002/events.jsonl"), "no log\n");
    expect(await next(openTemp({ root }), "agent:a")).toBe("NOTHING_READY");
  });

  it("[LEASE-2] of a plan is about its own fields: its tasks are claimed each by itself", async () => {
    const ws = openTemp();
    await plan(ws);
    await ok(ws, "tasks_claim", { plan: "PLAN-001" });
    const code = async (tool: string, input: object) =>
      (await ws.callTool(tool, { workspace: WORKSPACE, ...input }, { by: "agent:b" })).error?.code;
    expect(await code("tasks_plan", { plan: "PLAN-001", steps: ["mine"] })).toBe("LEASE_HELD");
    expect(await code("tasks_delete", { plan: "PLAN-001" })).toBe("LEASE_HELD");
    expect(await code("tasks_edit", { task: "TASK-001", title: "mine" })).toBeUndefined();
    expect(await next(ws, "agent:b", { plan: "PLAN-001" })).toBe("TASK-001 s:0");
  });

  it("[LEASE-8] are given once each to callers that ask at the same time", async () => {
    const ws = openTemp();
    await plan(ws);
    const agents = Array.from({ length: 6 }, (_, i) => `agent:a${i}`);
    const got = await Promise.all(agents.map(async (by) => (await next(ws, by)) ?? ""));
    expect(got.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "NOTHING_READY",
      "NOTHING_READY",
      "TASK-001 s:0",
      "TASK-001 s:1",
      "TASK-002 s:0",
      "TASK-010 s:0",
    ]);
  });

  it("[LEASE-8] [TOOL-14] repeated with their key go where the first one went", async () => {
    const ws = openTemp();
    await plan(ws);
    const key = { idempotency_key: "once" };
    expect(await next(ws, "agent:a", key)).toBe("TASK-001 s:0");
    expect(await next(ws, "agent:a", key)).toBe("TASK-001 s:0");
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED" });
    expect(await next(ws, "agent:a", key)).toBe("TASK-001 s:0");
    expect(await next(ws, "agent:a", { ...key, ttl_s: 5 })).toBe("IDEMPOTENCY_CONFLICT");
  });

  it("[LEASE-8] [TOOL-14] repeated with their key are answered when what they claimed was deleted since", async () => {
    const ws = openTemp();
    await plan(ws);
    const key = { idempotency_key: "once" };
    for (const scope of [{ task: "TASK-001" }, { plan: "PLAN-001" }, {}]) {
      const one = { ...scope, idempotency_key: `once ${JSON.stringify(scope)}` };
      const first = await ws.call("tasks_claim_next", { workspace: WORKSPACE, ...one }, { by: "agent:a" });
      const task = first.result!["task"] as string;
      expect((await ws.call("tasks_delete", { workspace: WORKSPACE, task }, { by: "agent:a" })).error).toBeNull();
      const again = await openTemp({ root: ws.root }).call(
        "tasks_claim_next",
        { workspace: WORKSPACE, ...one },
        { by: "agent:a" },
      );
      expect([again.error, again.warnings.map((w) => w.code)]).toEqual([null, ["REPLAYED"]]);
      expect(again.result).toEqual(first.result);
    }
    expect(await next(ws, "agent:a", key)).toBe("ALL_DONE");
    expect(await next(ws, "agent:a", { task: "TASK-001", idempotency_key: "new" })).toBe("UNKNOWN_ID");
  });

  it("[LEASE-8] are given once each to processes that ask at the same time, and none is lost", ROTATING, async () => {
    const ws = openTemp();
    for (let i = 1; i <= 4; i++)
      await ok(ws, "tasks_create", {
        kind: "task",
        title: `t${i}`,
        steps: steps("a", "b", "c", "d", "e", "f", "g", "h"),
      });
    const agent = (name: string): string => `
      const ws = openWorkspace({ root, by: "agent:${name}" });
      const got = [];
      const codes = [];
      for (;;) {
        const { result, error } = await call(ws, "tasks_claim_next", { idempotency_key: "${name} " + got.length });
        if (error) {
          codes.push(error.code);
          break;
        }
        got.push(result.task + " " + result.step.path + " " + result.lease.fence);
      }
      await ws.close();
      process.send({ got, codes });
    `;
    const told = (await Promise.all(["a", "b", "c"].map((name) => child(ws.root, agent(name))))) as {
      got: string[];
      codes: string[];
    }[];
    expect(told.map(({ codes }) => codes)).toEqual([["NOTHING_READY"], ["NOTHING_READY"], ["NOTHING_READY"]]);
    const all = told.flatMap(({ got }) => got.map((one) => one.replace(/ \d+$/, "")));
    expect(all.toSorted()).toEqual(
      [1, 2, 3, 4].flatMap((t) => [0, 1, 2, 3, 4, 5, 6, 7].map((s) => `TASK-00${t} s:${s}`)),
    );
    for (const [i, name] of ["a", "b", "c"].entries()) {
      const held = await holding(ws, `agent:${name}`);
      expect(held).toEqual(told[i]!.got.toSorted());
    }
    expect(ws.verify().findings).toEqual([]);
  });

  it("[LEASE-1] [LEASE-36] expire by the clock of the engine that takes the next change", async () => {
    let ms = START;
    const ws = openTemp({ now: () => ms });
    await newTask(ws);
    const claim = { workspace: WORKSPACE, task: "TASK-001", path: "s:0", ttl_s: 60 } as const;
    const { result } = await ws.call("tasks_claim", claim, { by: "agent:a" });
    expect(result!["lease"]).toEqual({
      by: "agent:a",
      claimed_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-01T00:01:00.000Z",
      fence: 2,
    });
    ms += 59_999;
    expect((await ws.call("tasks_claim", claim, { by: "agent:b" })).error?.code).toBe("LEASE_HELD");
    ms += 1;
    expect((await ws.call("tasks_claim", claim, { by: "agent:b" })).error).toBeNull();
  });
});

describe("[LEASE-36] [TOOL-9] what answers offer beside the claims of others", () => {
  const [ADA, BOB] = ["agent:ada", "agent:bob"] as const;
  const ASKED: readonly (readonly [string, object])[] = [
    ["tasks_radar", {}],
    ["tasks_handoff", {}],
    ["tasks_snapshot", {}],
    ["tasks_resume", {}],
    ["tasks_resume_pack", {}],
    ["tasks_resume_super", {}],
    ["tasks_context_pack", {}],
    ["tasks_lint", {}],
    ["tasks_close_task", {}],
    ["tasks_focus_set", {}],
    ["tasks_think", { hypothesis: "h" }],
  ];

  async function given(claims: readonly object[]) {
    let now = START;
    const ws = openTemp({ now: () => now });
    await ok(ws, "tasks_create", { title: "Plan" });
    await ok(ws, "tasks_create", { id: "TASK-001", parent: "PLAN-001", title: "t", steps: steps("a", "b", "c") });
    const by = (who: string, tool: string, input: object = {}) =>
      ws.callTool(tool, { workspace: WORKSPACE, target: "TASK-001", ...input }, { by: who });
    for (const claim of claims) expect((await by(ADA, "tasks_claim", claim)).error).toBeNull();
    return { by, later: (s: number) => (now += s * 1000) };
  }

  it.each([
    ["a step is free", [{ path: "s:0" }], "tasks_claim_next"],
    ["another task-wide claim is there", [{}], "tasks_radar"],
    ["every step is claimed", [{ path: "s:0" }, { path: "s:1" }, { path: "s:2" }], "tasks_radar"],
  ])("where %s", async (_, claims, tool) => {
    const { by } = await given(claims);
    for (const [asked, input] of ASKED) {
      const { error, suggestions } = await by(BOB, asked, input);
      expect([asked, error?.code ?? null]).toEqual([asked, null]);
      expect([asked, suggestions.map((one) => one.tool)]).toEqual([asked, [tool]]);
    }
    const { result } = await by(BOB, "tasks_snapshot");
    expect((result as { capsule: { action: { tool: string } } }).capsule.action.tool).not.toMatch(/close_step/);
    expect((await by(BOB, tool)).error).toBeNull();
    const own = await by(ADA, "tasks_radar");
    expect(own.suggestions.map((one) => [one.tool, one.args["task"]])).toEqual([["tasks_close_step", "TASK-001"]]);
  });

  it.each(["TASK-001", "PLAN-001"])("where claims are over, of %s", async (target) => {
    const { by, later } = await given([{ path: "s:0" }, { path: "s:1" }, { path: "s:2" }]);
    const offered = async (): Promise<string[]> =>
      (await by(BOB, "tasks_radar", { target })).suggestions.map((one) => one.tool);
    const look = target === "PLAN-001" ? "tasks_snapshot" : "tasks_radar";
    expect(await offered()).toEqual([look]);
    later(7200);
    // As if nothing had ever been claimed (LEASE-36).
    expect(await offered()).toEqual([target === "PLAN-001" ? "tasks_claim_next" : "tasks_close_step"]);
    expect((await by(BOB, "tasks_claim_next", { target })).error).toBeNull();
  });

  it("where a repeated call is answered from a state that is past", async () => {
    const { by } = await given([]);
    const input = { path: "s:0", checkpoints: "gate", idempotency_key: "k" };
    const first = await by(BOB, "tasks_close_step", input);
    const { step_id } = first.suggestions[0]!.args as { step_id: string };
    await by(BOB, "tasks_delete", { step_id });
    const again = await by(BOB, "tasks_close_step", input);
    expect(again.warnings.map(({ code }) => code)).toEqual(["REPLAYED"]);
    expect(again.result).toEqual(first.result);
    expect(again.suggestions.map((one) => one.tool)).toEqual(["tasks_radar"]);
  });
});
