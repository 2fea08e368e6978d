import { describe, expect, it } from "vitest";
import { Given, givenTask, types, WORKSPACE } from "../support/given.ts";

describe("completing", () => {
  it("[STEP-20] a task needs every step closed and names the first open one", () => {
    const given = givenTask("a", "b");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "a1", success_criteria: [] }] });
    const error = given.refusal("tasks_complete", {});
    expect(error).toMatchObject({ code: "STEPS_OPEN", details: { open: 3, step_id: given.step("s:0.s:0").id } });
    expect(error.message).toContain('3 of 3 open, first s:0.s:0 "a1"');
    expect(error.suggestions).toMatchObject([
      { tool: "tasks_close_step", args: { step_id: given.step("s:0.s:0").id, checkpoints: "gate" } },
    ]);
    for (const path of ["s:0.s:0", "s:0", "s:1"]) given.call("tasks_close_step", { path, checkpoints: "gate" });
    const told = given.call("tasks_complete", { reason: "shipped" });
    expect(types(told)).toEqual(["task_completed"]);
    expect(told.result).toMatchObject({ id: "TASK-001", status: "DONE", status_reason: "shipped" });
    expect(told.warnings).toEqual([]);
  });

  it("[STEP-20] a task without steps is completed with a warning; deleted steps are none", () => {
    const given = givenTask("a");
    given.call("tasks_delete", { path: "s:0" });
    const told = given.call("tasks_complete", {});
    expect(told.warnings?.map((w) => w.code)).toEqual(["NO_STEPS"]);
    expect(given.entity().status).toBe("DONE");
  });

  it("[STEP-20] following the suggestions leads to DONE, whatever stands in the way", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } }, "b", "c");
    given.call("tasks_decompose", { parent: "s:1", steps: [{ title: "b1", success_criteria: [] }] });
    given.call("tasks_block", { path: "s:1.s:0", reason: "later" });
    given.call("tasks_evidence_capture", { path: "s:2", checks: ["measured"], checkpoint: "perf" });
    const tools: string[] = [];
    for (let i = 0; given.entity().status !== "DONE"; i++) {
      expect(i).toBeLessThan(20);
      const [next] = given.call("tasks_radar", {}).suggestions!;
      const args = JSON.parse(JSON.stringify(next!.args).replaceAll(/<fill: [^>]*>/g, "https://example.org"));
      tools.push(next!.tool);
      given.call(next!.tool as "tasks_done", args as { task: string });
    }
    expect(tools).toEqual([
      "tasks_evidence_capture",
      "tasks_close_step",
      "tasks_block",
      "tasks_close_step",
      "tasks_close_step",
      "tasks_close_step",
      "tasks_complete",
    ]);
  });

  it("[STEP-21] sets any other status at any time; DONE twice is refused", () => {
    const given = givenTask("a");
    for (const status of ["FAILED", "FAILED", "CANCELED", "TODO", "ACTIVE"] as const) {
      const told = given.call("tasks_complete", { status, reason: "so" });
      expect(types(told)).toEqual(["status_changed"]);
      expect(told.result).toMatchObject({ status, status_reason: "so" });
    }
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_complete", {});
    const error = given.refusal("tasks_complete", { status: "DONE" });
    expect(error.code).toBe("ALREADY_DONE");
    expect(error.suggestions[0]?.args).toEqual({ workspace: WORKSPACE, task: "TASK-001", status: "ACTIVE" });
    expect(given.refusal("tasks_complete", { status: "FINISHED" as "DONE" }).code).toBe("INVALID_INPUT");
  });

  it("[STEP-20] a plan is completed whatever its tasks are, and says which have not ended", () => {
    const given = new Given();
    given.call("tasks_create", { title: "p" });
    for (let i = 0; i < 4; i++) given.call("tasks_create", { parent: "PLAN-001", title: `t${i}` });
    given.call("tasks_complete", { task: "TASK-002" });
    given.call("tasks_complete", { task: "TASK-003", status: "CANCELED" });
    const told = given.call("tasks_complete", { plan: "PLAN-001" });
    expect(told.warnings).toMatchObject([
      { code: "OPEN_TASKS", message: expect.stringContaining("TASK-001, TASK-004") },
    ]);
    expect(told.result).toMatchObject({ id: "PLAN-001", kind: "plan", status: "DONE" });
    expect(given.refusal("tasks_complete", { plan: "PLAN-001" }).code).toBe("ALREADY_DONE");
  });
});
