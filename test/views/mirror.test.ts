import { describe, expect, it } from "vitest";
import { Given, givenTask } from "../support/given.ts";

const rows = (told: { result: object }, key = "steps"): { path: string; id: string }[] =>
  (told.result as Record<string, { path: string; id: string }[]>)[key]!;

describe("the mirror", () => {
  it("[VIEW-18] gives a task's live steps, parents first, each with its block and what it asks for", () => {
    const given = givenTask(...Array.from({ length: 11 }, (_, i) => `step ${i}`));
    given.call("tasks_decompose", { parent: "s:1", steps: [{ title: "below", success_criteria: [] }] });
    given.call("tasks_block", { path: "s:0", reason: "no key" });
    given.call("tasks_delete", { path: "s:2" });
    given.call("tasks_close_step", { path: "s:3", checkpoints: "gate" });
    const told = given.call("tasks_mirror", {});
    expect(told.result["scope"]).toEqual({ id: "TASK-001", kind: "task" });
    expect(rows(told).map((r) => r.path)).toEqual([
      "s:0",
      "s:1",
      "s:1.s:0",
      ...[3, 4, 5, 6, 7, 8, 9, 10].map((i) => `s:${i}`),
    ]);
    expect(rows(told)[0]).toMatchObject({
      blocked: true,
      block_reason: "no key",
      missing_checkpoints: ["criteria", "tests"],
    });
    expect(rows(told)[3]).not.toHaveProperty("missing_checkpoints");
  });

  it("[VIEW-18] says when a step was closed and by whom, also in resume, and neither once it is open again", () => {
    const given = givenTask("a", "b");
    const { events } = given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const first = () => [rows(given.call("tasks_mirror", {}))[0], rows(given.call("tasks_resume", {}), "step_list")[0]];
    for (const row of first())
      expect(row).toMatchObject({ done: true, done_at: events.at(-1)!.ts, done_by: "human:ada" });
    given.call("tasks_progress", { path: "s:0", completed: false });
    for (const row of first()) {
      expect(row).toMatchObject({ path: "s:0", done: false });
      expect(row).not.toHaveProperty("done_at");
      expect(row).not.toHaveProperty("done_by");
    }
  });

  it("[VIEW-1] [UNDO-30] says when a task ended and by whom, also in resume and to its plan, and neither once it is open again", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const seen = (): unknown[] => [
      given.call("tasks_mirror", { task: "TASK-001" }).result["task"],
      given.call("tasks_resume", {}).result["target"],
      given.call("tasks_handoff", {}).result["target"],
      rows(given.call("tasks_mirror", { plan: "PLAN-001" }), "tasks")[0],
    ];
    const open = (status: string): void => {
      for (const one of seen()) {
        expect(one).toMatchObject({ status });
        expect(one).not.toHaveProperty("ended_at");
        expect(one).not.toHaveProperty("ended_by");
      }
    };
    open("ACTIVE");
    const { events } = given.call("tasks_complete", { task: "TASK-001" });
    const end = { status: "DONE", ended_at: events.at(-1)!.ts, ended_by: "human:ada" };
    for (const one of seen()) expect(one).toMatchObject(end);
    given.call("tasks_undo", {});
    open("ACTIVE");
    given.call("tasks_redo", {});
    for (const one of seen()) expect(one).toMatchObject(end);
    given.call("tasks_progress", { path: "s:0", completed: false });
    open("ACTIVE");
    // The undo of what opened it again restores the end that it had.
    given.call("tasks_undo", {});
    for (const one of seen()) expect(one).toMatchObject(end);
  });

  it("[VIEW-1] says of a plan when it ended and by whom", () => {
    const given = givenTask("a");
    const plan = (): unknown => given.call("tasks_mirror", { plan: "PLAN-001" }).result["plan"];
    expect(plan()).not.toHaveProperty("ended_at");
    const { events } = given.call("tasks_complete", { plan: "PLAN-001", status: "CANCELED" });
    expect(plan()).toMatchObject({ status: "CANCELED", ended_at: events.at(-1)!.ts, ended_by: "human:ada" });
  });

  it("[VIEW-18] gives what is below one step", () => {
    const given = givenTask("a", "b");
    given.call("tasks_decompose", { parent: "s:1", steps: [{ title: "b1", success_criteria: [] }] });
    const told = given.call("tasks_mirror", { path: "s:1" });
    expect(told.result["scope"]).toMatchObject({ path: "s:1", step_id: given.step("s:1").id });
    expect(rows(told).map((r) => r.path)).toEqual(["s:1", "s:1.s:0"]);
    expect(given.refusal("tasks_mirror", { path: "s:9" }).code).toBe("UNKNOWN_ID");
    expect(given.refusal("tasks_mirror", { plan: "PLAN-001", path: "s:0" }).code).toBe("INVALID_INPUT");
  });

  it("[VIEW-18] gives a plan's contract, checklist and tasks", () => {
    const given = givenTask("a");
    given.call("tasks_create", { kind: "task", title: "elsewhere" });
    given.call("tasks_plan", { plan: "PLAN-001", steps: ["x"], advance: true });
    given.call("tasks_contract", { plan: "PLAN-001", current: "c", contract_data: { limit: 5 } });
    const told = given.call("tasks_mirror", { plan: "PLAN-001" });
    expect(told.result["plan"]).toMatchObject({
      contract: "c",
      contract_data: { limit: 5 },
      plan_progress: "1/1",
      checklist: { steps: ["x"] },
    });
    expect(rows(told, "tasks").map((r) => r.id)).toEqual(["TASK-001"]);
  });

  it("[VIEW-18] [VIEW-13] is paged, and every row comes once", () => {
    const given = new Given();
    const steps = Array.from({ length: 7 }, (_, i) => ({ title: `step ${i}`, success_criteria: [] }));
    given.call("tasks_create", { kind: "task", title: "t", steps });
    const seen: string[] = [];
    for (let cursor: number | null = 0; cursor !== null;) {
      const told: { result: object } = given.call("tasks_mirror", { limit: 3, cursor });
      seen.push(...rows(told).map((r) => r.path));
      cursor = (told.result as { pagination: { next_cursor: number | null } }).pagination.next_cursor;
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6].map((i) => `s:${i}`));
    expect(given.call("tasks_mirror", { limit: 999 }).warnings).toMatchObject([{ code: "LIMIT_CLAMPED" }]);
  });
});
