import { BEFORE_ALL_TIMES } from "../../src/state/first_ready.ts";
import fc from "fast-check";
import { toSecond } from "../../src/to_second.ts";
import { describe, expect, it } from "vitest";
import { listedOf } from "../../src/state/listed.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import { fitBudget } from "../../src/views/budget.ts";
import { HANDOFF_CUTS, RADAR_CUTS } from "../../src/views/cuts.ts";
import { RESUME_CUTS, RESUME_SUPER_CUTS } from "../../src/views/cuts_resume.ts";
import type { TasksBlock } from "../../src/views/plan_tasks.ts";
import { planTasksOf, tasksBlock } from "../../src/views/plan_tasks.ts";
import type { Radar } from "../../src/views/radar.ts";
import { Given, validates } from "../support/given.ts";
import * as t from "../support/story.ts";
import { asWritten, Story } from "../support/story.ts";
import { limit, sizeOf } from "../support/view_results.ts";

const ANSWERS = [
  "tasks_radar",
  "tasks_handoff",
  "tasks_resume",
  "tasks_context_pack",
  "tasks_resume_pack",
  "tasks_resume_super",
  "tasks_snapshot",
] as const satisfies readonly ToolName[];

const plan = { plan: "PLAN-001" };

/** A plan with these tasks, each with these steps; TASK-099 belongs to no plan. */
function given(...tasks: string[][]): Given {
  const work = new Given();
  work.call("tasks_create", { title: "Version 2" });
  work.call("tasks_create", { kind: "task", id: "TASK-099", title: "Elsewhere" });
  tasks.forEach((steps, i) =>
    work.call("tasks_create", {
      id: `TASK-00${i + 1}`,
      parent: "PLAN-001",
      title: `Part ${i + 1}`,
      steps: steps.map((title) => ({ title, success_criteria: ["it works"] })),
    }),
  );
  return work;
}

function close(work: Given, task: string, path = "s:0"): void {
  work.call("tasks_close_step", { task, path, checkpoints: "gate" });
}

function block(work: Given): TasksBlock {
  return work.call("tasks_radar", plan).result["tasks"] as unknown as TasksBlock;
}

const radar = (work: Given): Radar => work.call("tasks_radar", plan).result["radar"] as unknown as Radar;
const ids = (list: { id: string }[]): string[] => list.map(({ id }) => id);

/** One task for each way in which a task may stand. */
function busy(): Given {
  const work = given(["Write"], ["Test", "Ship"], ["Wait"], ["Block"], ["Prove"], ["Close"], [], ["Done"]);
  work.by = "agent:bob";
  work.call("tasks_claim", { task: "TASK-002", path: "s:0" });
  work.by = "human:ada";
  work.call("tasks_edit", { task: "TASK-003", depends_on: ["TASK-001"] });
  work.call("tasks_block", { task: "TASK-004", path: "s:0", reason: "no key" });
  const failed = { kind: "run", command: "npm test", exit_code: 1 } as const;
  work.call("tasks_evidence_capture", { task: "TASK-005", path: "s:0", checkpoint: "tests", items: [failed] });
  close(work, "TASK-006");
  close(work, "TASK-008");
  work.call("tasks_complete", { task: "TASK-008" });
  return work;
}

describe("the tasks of a plan", () => {
  it.each(ANSWERS)("[VIEW-81] %s about a plan rolls up its tasks, about a task it does not", (tool) => {
    const work = given(["Write"]);
    expect(work.call(tool, plan).result["tasks"]).toMatchObject({ total: 1, ready: [{ id: "TASK-001" }] });
    expect(work.call(tool, { task: "TASK-001" }).result).not.toHaveProperty("tasks");
  });

  it("[VIEW-81] says of each list how many stand in it, and which", () => {
    const work = busy();
    const found = block(work);
    expect(found).toMatchObject({
      total: 8,
      by_status: { TODO: 3, ACTIVE: 4, DONE: 1, FAILED: 0, CANCELED: 0 },
      counts: { ready: 3, claimed: 1, blocked: 2, at_risk: 1, in_conflict: 0, ready_to_complete: 1 },
      next: { tool: "tasks_claim_next", args: plan },
      claimed: [{ id: "TASK-002", path: "s:0", by: "agent:bob" }],
      blocked: [
        { id: "TASK-003", why: ["Waits for TASK-001 (TODO: Part 1)"] },
        { id: "TASK-004", why: ["s:0 Block is blocked: no key"] },
      ],
      at_risk: [{ id: "TASK-005" }],
      ready_to_complete: [{ id: "TASK-006", title: "Part 6" }],
    });
    expect(found.ready).toEqual([
      { id: "TASK-001", title: "Part 1", path: "s:0", step: "Write" },
      { id: "TASK-002", title: "Part 2", path: "s:1", step: "Ship" },
      { id: "TASK-005", title: "Part 5", path: "s:0", step: "Prove" },
    ]);
    expect(found.at_risk[0]!.why[0]).toMatch(/exit code 1/);
    expect(found.claimed[0]!.expires_at).toBe(work.step("s:0", "TASK-002").lease!.expires_at);
  });

  it("[VIEW-81] a list shows ten, and counts tell the rest", () => {
    const work = new Given();
    work.call("tasks_create", { title: "Version 2" });
    const steps = [{ title: "Write", success_criteria: ["it works"] }];
    for (let n = 12; n > 0; n--) work.call("tasks_create", { id: `T-${n}`, parent: "PLAN-001", title: "x", steps });
    const { counts, ready } = block(work);
    expect(counts.ready).toBe(12);
    expect(ids(ready)).toEqual(Array.from({ length: 10 }, (_, i) => `T-${i + 1}`));
  });

  it("[VIEW-81] [LEASE-36] a claim on the whole task keeps it from being ready until it is over", () => {
    const work = given(["Write"]);
    work.call("tasks_claim", { task: "TASK-001", ttl_s: 3600 });
    expect(block(work)).toMatchObject({
      ready: [],
      claimed: [{ path: null, by: "human:ada" }],
      counts: { claimed: 1 },
    });
    expect(radar(work).next[0]).toMatch(
      /^Wait for a claim to end: no task is ready, 1 claimed \(the first claim ends at 2026-.*\), 0 blocked$/,
    );
    work.later(600);
    expect(block(work)).toMatchObject({ ready: [{ id: "TASK-001" }], claimed: [], counts: { claimed: 0 } });
    expect(radar(work).next[0]).toBe("Take up TASK-001 s:0 Write");
  });

  it("[VIEW-81] next is a look where no task is ready, at one that claims alone keep from it first", () => {
    const work = given(["Test"], ["Write"]);
    work.call("tasks_claim", { task: "TASK-002", path: "s:0" });
    work.call("tasks_block", { task: "TASK-001", path: "s:0", reason: "no key" });
    expect(block(work).next).toMatchObject({ tool: "tasks_snapshot", args: { task: "TASK-002" } });
    work.call("tasks_block", { task: "TASK-002", path: "s:0", reason: "no key" });
    expect(block(work).next).toMatchObject({ tool: "tasks_snapshot", args: { task: "TASK-001" } });
    expect(radar(work).next).toEqual([
      expect.stringMatching(/^See what stands in the way of TASK-001: no task is ready, 1 claimed .*, 2 blocked$/),
    ]);
  });

  it("[VIEW-81] [LINT-1] steps that wait for each other block their task, and lint names the circle", () => {
    const work = given(["Write", "Test", "Ship"]);
    const waits = (path: string, on: string): void => {
      work.step(path, "TASK-001").depends_on = [work.step(on, "TASK-001").id];
    };
    waits("s:2", "s:0");
    expect(block(work)).toMatchObject({ counts: { ready: 1, blocked: 0 } });
    // As a merge leaves it.
    waits("s:0", "s:1");
    waits("s:1", "s:0");
    expect(block(work)).toMatchObject({ counts: { ready: 0, blocked: 1 }, next: { tool: "tasks_snapshot" } });
    expect(block(work).blocked[0]!.why).toContain("s:0 Write waits for s:1 Test");
    const lint = () => work.call("tasks_lint", { task: "TASK-001" });
    const circle = {
      severity: "error",
      code: "DEPENDENCY_CYCLE",
      message: expect.stringContaining("s:1 Test") as string,
    };
    expect((lint().result["issues"] as object[]).filter((one) => "code" in one && one.code === circle.code)).toEqual([
      expect.objectContaining(circle),
    ]);
    const { tool, args } = lint().suggestions![0]!;
    work.call(tool as ToolName, args as never);
    expect(JSON.stringify(lint().result)).not.toContain("DEPENDENCY_CYCLE");
    expect(block(work)).toMatchObject({ counts: { ready: 1, blocked: 0 } });
  });

  it("[VIEW-81] conflicts of a task show in the list and under blockers", () => {
    const task = new Story({ id: "TASK-1" })
      .do(t.addSteps(0, ["a"]))
      .apart([t.define(0, { title: "left" })], [t.define(0, { title: "right" })]);
    const { subject } = task;
    const tasks = planTasksOf([listedOf(subject)], { find: () => subject, idOf: asWritten, now: BEFORE_ALL_TIMES });
    const { counts, in_conflict } = tasksBlock(tasks, undefined);
    expect(counts.in_conflict).toBe(1);
    expect(in_conflict[0]!.why[0]).toMatch(/^Conflict on s:0 title/);
  });

  it("[VIEW-81] weak proof and a FAILED task are risks; what else has ended is only counted", () => {
    const work = given(["Weak"], ["Forced"], ["Failed"]);
    work.call("tasks_define", { task: "TASK-001", path: "s:0", proof: { tests: "warn" } });
    work.call("tasks_evidence_capture", {
      task: "TASK-001",
      path: "s:0",
      checkpoint: "tests",
      checks: ["CMD: npm test"],
    });
    close(work, "TASK-001");
    const forced = { task: "TASK-002", path: "s:0" };
    work.call("tasks_verify", { ...forced, checkpoints: { criteria: true, tests: true } });
    work.call("tasks_block", { ...forced, reason: "no key" });
    work.call("tasks_progress", { ...forced, completed: true, force: true, reason: "late" });
    work.call("tasks_complete", { task: "TASK-003", status: "FAILED" });
    const { at_risk } = block(work);
    expect(ids(at_risk)).toEqual(["TASK-003", "TASK-001", "TASK-002"]);
    expect(at_risk.map(({ why }) => why[0])).toEqual([
      "The task is FAILED",
      "s:0 Weak has weak proof of tests: a command or a link is missing",
      "s:0 Forced was closed by force: late",
    ]);
    const { risks } = work.call("tasks_handoff", { task: "TASK-001" }).result["handoff"] as { risks: string[] };
    expect(risks).toEqual(["s:0 Weak has weak proof of tests: a command or a link is missing"]);
    for (const task of ["TASK-001", "TASK-002"]) work.call("tasks_complete", { task });
    expect(ids(block(work).at_risk)).toEqual(["TASK-003"]);
  });

  it("[VIEW-81] next follows the life of a plan, in words and as a call", () => {
    const work = given();
    const next = (): [string | undefined, string | undefined, object | undefined] => {
      const { result, suggestions } = work.call("tasks_radar", plan);
      const [first] = suggestions ?? [];
      const said = (result["tasks"] as unknown as TasksBlock).next;
      expect(said).toEqual(first ? { tool: first.tool, args: first.args, purpose: first.reason } : null);
      for (const { tool, args } of suggestions ?? []) expect(validates(TOOLS[tool]!.input, args)).toBe(true);
      return [radar(work).next[0], first?.tool, first?.args];
    };
    expect(next()).toMatchObject(["Add tasks to this plan", "tasks_macro_start", plan]);
    work.call("tasks_create", { id: "TASK-001", parent: "PLAN-001", title: "Part" });
    expect(next()).toMatchObject(["Add steps to TASK-001 Part", "tasks_decompose", { task: "TASK-001" }]);
    work.call("tasks_decompose", { task: "TASK-001", steps: [{ title: "Write", success_criteria: ["it works"] }] });
    expect(next()).toMatchObject(["Take up TASK-001 s:0 Write", "tasks_claim_next", plan]);
    work.call("tasks_block", { task: "TASK-001", path: "s:0", reason: "no key" });
    expect(next()).toMatchObject([
      "See what stands in the way of TASK-001: no task is ready, 0 claimed, 1 blocked",
      "tasks_snapshot",
      { task: "TASK-001" },
    ]);
    expect(radar(work).blockers).toEqual(["TASK-001: s:0 Write is blocked: no key"]);
    work.call("tasks_block", { task: "TASK-001", path: "s:0", blocked: false });
    close(work, "TASK-001");
    const closed = "Complete TASK-001 Part: every step of it is closed";
    expect(next()).toMatchObject([closed, "tasks_complete", { task: "TASK-001" }]);
    work.call("tasks_complete", { task: "TASK-001" });
    expect(next()).toMatchObject(["Finish plan: every task is DONE", "tasks_complete", plan]);
    work.call("tasks_complete", plan);
    expect(next()).toEqual(["Nothing: the plan is DONE", undefined, undefined]);
  });

  it("[VIEW-81] of a task that another actor holds whole, next says when it can be completed or given steps, and a free one comes first", () => {
    const work = given(["Write"], []);
    close(work, "TASK-001");
    work.by = "agent:bob";
    for (const task of ["TASK-001", "TASK-002"]) work.call("tasks_claim", { task });
    work.by = "human:ada";
    const ends = (task: string): string => toSecond(work.entity(task).lease!.expires_at);
    const held = [
      `Complete TASK-001 Part 1 when the claim of agent:bob ends: ${ends("TASK-001")}`,
      `Add steps to TASK-002 Part 2 when the claim of agent:bob ends: ${ends("TASK-002")}`,
    ];
    expect(radar(work).next).toEqual(held);
    expect(work.refusal("tasks_complete", { task: "TASK-001" }).code).toBe("LEASE_HELD");
    work.by = "agent:bob";
    expect(radar(work).next).toEqual([
      "Complete TASK-001 Part 1: every step of it is closed",
      "Add steps to TASK-002 Part 2",
    ]);
    work.by = "human:ada";
    work.call("tasks_create", { parent: "PLAN-001", id: "TASK-003", title: "Part 3" });
    expect(radar(work).next).toEqual([held[0], "Add steps to TASK-003 Part 3"]);
  });

  it("[VIEW-81] a failed task keeps the plan from being finished by itself", () => {
    const work = given(["Write"], ["Test"]);
    work.call("tasks_complete", { task: "TASK-001", status: "FAILED" });
    close(work, "TASK-002");
    work.call("tasks_complete", { task: "TASK-002" });
    expect(block(work).next).toMatchObject({ tool: "tasks_macro_start" });
    work.call("tasks_complete", { task: "TASK-001", status: "CANCELED" });
    expect(block(work).next).toMatchObject({ tool: "tasks_complete", args: plan });
    expect(radar(work).next).toEqual(["Finish plan: every task has ended"]);
  });

  it("[VIEW-81] an item that is due comes first once the plan has begun, else last", () => {
    const work = given(["Write"]);
    work.call("tasks_plan", { ...plan, steps: ["Clarify", "Build"] });
    expect(radar(work).next).toEqual(["Take up TASK-001 s:0 Write", "Next item 1/2: Clarify"]);
    expect(block(work).next!.tool).toBe("tasks_claim_next");
    work.call("tasks_plan", { ...plan, advance: true });
    expect(radar(work).next).toEqual(["Next item 2/2: Build", "Take up TASK-001 s:0 Write"]);
    expect(block(work).next!.tool).toBe("tasks_plan");
    work.call("tasks_plan", { ...plan, advance: true });
    expect(radar(work).next).toEqual(["Take up TASK-001 s:0 Write"]);
  });

  it("[VIEW-9] the handoff names each task under what it is", () => {
    const { handoff } = busy().call("tasks_handoff", plan).result as unknown as { handoff: Record<string, string[]> };
    expect(handoff["done"]).toEqual(["TASK-008 Part 8"]);
    expect(handoff["remaining"]!.map((line) => line.replace(/until \S+Z/, "until ..."))).toEqual([
      "TASK-001 Part 1: take up s:0 Write",
      "TASK-002 Part 2: claimed by agent:bob until ..., take up s:1 Ship",
      "TASK-003 Part 3: Waits for TASK-001 (TODO: Part 1)",
      "TASK-004 Part 4: s:0 Block is blocked: no key",
      "TASK-005 Part 5: take up s:0 Prove",
      "TASK-006 Part 6: complete it",
      "TASK-007 Part 7: add steps",
      "Finish plan",
    ]);
    expect(handoff["risks"]).toMatchObject([
      "TASK-003: Waits for TASK-001 (TODO: Part 1)",
      "TASK-004: s:0 Block is blocked: no key",
      expect.stringMatching(/^TASK-005: s:0 Prove: a run for tests failed/),
    ]);
  });
});

describe("the budget of a plan's answers", () => {
  const whole = busy();

  it("[BUDGET-1] [regression VIEW-86] every answer fits, the radar core goes after all of tasks", () => {
    const orders = [
      ["tasks_radar", RADAR_CUTS],
      ["tasks_handoff", HANDOFF_CUTS],
      ["tasks_resume", RESUME_CUTS],
      ["tasks_resume_super", RESUME_SUPER_CUTS],
    ] as const;
    const results = orders.map(([tool, cuts]) => [whole.call(tool, plan).result, cuts] as const);
    fc.assert(
      fc.property(fc.constantFrom(...results), limit, ([result, cuts], max) => {
        const { result: fitted } = fitBudget(result, max, cuts);
        expect(sizeOf(fitted)).toBeLessThanOrEqual(Math.max(max, 256));
        const { next, now } = result["radar"] as unknown as Radar;
        expect("tasks" in fitted ? fitted["radar"] : { next, now }).toMatchObject({ next, now });
      }),
    );
  });

  it("[regression VIEW-86] what asks for action stays longest: ready after claimed, by_status and next after the lists", () => {
    const size = sizeOf(whole.call("tasks_radar", plan).result);
    const left: string[] = [];
    for (let max_chars = size; max_chars > 256; max_chars -= 20) {
      const { tasks } = whole.call("tasks_radar", { ...plan, max_chars }).result as { tasks?: object };
      const keys = Object.keys(tasks ?? {}).join();
      if (left.at(-1) !== keys) left.push(keys);
    }
    const order = ["claimed", "ready_to_complete", "at_risk", "blocked", "in_conflict", "ready", "counts"];
    const gone = left.map((keys) => order.filter((key) => !keys.split(",").includes(key)));
    for (const keys of gone) expect(keys).toEqual(order.slice(0, keys.length));
    expect(gone.at(-1)).toEqual(order);
    expect(left.at(-1)).toBe("");
    expect(left).toContain("total,by_status,next");
  });
});
