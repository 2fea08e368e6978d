/** Tasks that end with their last step, and what is told of the steps that are left. */
import { describe, expect, it } from "vitest";
import { Given, givenTask, types } from "../support/given.ts";

const close = (given: Given, path: string, more: { fence?: number } = {}) =>
  given.call("tasks_close_step", { path, checkpoints: "gate", ...more });
const codes = (told: { warnings?: { code: string }[] }): string[] => (told.warnings ?? []).map(({ code }) => code);

/** TASK-001 with steps a and b, which ends with the last of them. */
function ending(...steps: Parameters<typeof givenTask>): Given {
  const given = givenTask(...steps);
  given.call("tasks_edit", { task: "TASK-001", complete_when_done: true });
  return given;
}

describe("a task that is complete when it is done", () => {
  it("[STEP-79] is completed in the op that closes its last step, whichever tool closes it", () => {
    const closings: ((given: Given) => unknown)[] = [
      (given) => types(close(given, "s:1")),
      (given) => {
        given.call("tasks_verify", { path: "s:1", checkpoints: "gate" });
        return types(given.call("tasks_done", { path: "s:1" }));
      },
      (given) => {
        given.call("tasks_verify", { path: "s:1", checkpoints: "gate" });
        return types(given.call("tasks_progress", { path: "s:1" }));
      },
    ];
    const made = closings.map((closing) => {
      const given = ending("a", "b");
      expect(types(close(given, "s:0"))).toEqual(["step_verified", "step_done"]);
      const found = closing(given);
      expect(given.entity().status).toBe("DONE");
      return found;
    });
    expect(made).toEqual([
      ["step_verified", "step_done", "task_completed"],
      ["step_done", "task_completed"],
      ["step_done", "task_completed"],
    ]);
  });

  it("[STEP-79] [UNDO-1] is open again, with its step, after one undo, and done again after the redo", () => {
    const given = ending("a");
    close(given, "s:0");
    given.call("tasks_undo", {});
    expect([given.entity().status, given.step("s:0").done]).toEqual(["TODO", false]);
    given.call("tasks_redo", {});
    expect([given.entity().status, given.step("s:0").done]).toEqual(["DONE", true]);
  });

  it("[STEP-79] goes by its plan where it says nothing, and by itself where it does", () => {
    const given = new Given();
    given.call("tasks_create", { title: "p", complete_when_done: true });
    const steps = [{ title: "a", success_criteria: [] }];
    given.call("tasks_create", { parent: "PLAN-001", title: "follows", steps });
    given.call("tasks_create", { parent: "PLAN-001", title: "refuses", steps, complete_when_done: false });
    given.call("tasks_create", { kind: "task", title: "alone", steps });
    for (const task of ["TASK-001", "TASK-002", "TASK-003"])
      given.call("tasks_close_step", { task, path: "s:0", checkpoints: "gate" });
    const stands = () => ["TASK-001", "TASK-002", "TASK-003"].map((id) => given.entity(id).status);
    expect(stands()).toEqual(["DONE", "TODO", "TODO"]);
    given.call("tasks_progress", { task: "TASK-002", path: "s:0", completed: false });
    const ops = [{ op: "unset" as const, field: "complete_when_done" }];
    given.call("tasks_patch", { task: "TASK-002", ops });
    given.call("tasks_done", { task: "TASK-002", path: "s:0" });
    expect(stands()).toEqual(["DONE", "DONE", "TODO"]);
    expect(given.entity("PLAN-001").status).toBe("TODO");
  });

  it("[STEP-79] stays open, with the reason, where evidence asks for more of it; the step is closed", () => {
    const given = ending("a", "b");
    close(given, "s:0");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: audit"], checkpoint: "security" });
    const told = close(given, "s:1");
    expect(codes(told)).toEqual(["NOT_COMPLETED"]);
    expect(told.warnings![0]!.message).toMatch(/TASK-001 stays open. CHECKPOINTS_NOT_CONFIRMED: Expected security/);
    expect(types(told)).toEqual(["step_verified", "step_done"]);
    expect([given.entity().status, given.step("s:1").done]).toEqual(["TODO", true]);
    expect(told.suggestions).toMatchObject([{ tool: "tasks_verify" }]);
  });

  it("[STEP-79] [LEASE-4] is completed by the number of a claim on its last step, and by no other", () => {
    const given = ending("a");
    const { lease } = given.call("tasks_claim", { path: "s:0" }).result as { lease: { fence: number } };
    expect(given.refusal("tasks_close_step", { path: "s:0", checkpoints: "gate", fence: lease.fence + 1 }).code).toBe(
      "LEASE_LOST",
    );
    close(given, "s:0", { fence: lease.fence });
    expect(given.entity().status).toBe("DONE");
  });

  it("[STEP-79] stays as it ended, when a step of it closes after that", () => {
    const given = ending("a");
    given.call("tasks_complete", { status: "CANCELED" });
    expect(codes(close(given, "s:0"))).toEqual([]);
    expect(given.entity().status).toBe("CANCELED");
  });

  it("[STEP-79] is what tasks_resume and README.md say of it, and undo takes the option back", () => {
    const given = ending("a");
    const option = () =>
      (given.call("tasks_resume", {}).result["detail"] as object as { complete_when_done?: boolean })
        .complete_when_done;
    expect(option()).toBe(true);
    given.call("tasks_edit", { task: "TASK-001", complete_when_done: false });
    expect(option()).toBe(false);
    given.call("tasks_undo", {});
    given.call("tasks_undo", {});
    expect(option()).toBeUndefined();
  });
});

describe("the reply to a closing", () => {
  it("[STEP-11] counts the steps that are left, and those that the caller can go on with", () => {
    const given = givenTask("a", "b", { title: "c", depends_on: ["s:1"] }, "d", "e");
    given.call("tasks_block", { path: "s:3", reason: "no key" });
    expect(close(given, "s:0").result).toMatchObject({ status: "ACTIVE", steps: { total: 5, open: 4, ready: 2 } });
    given.by = "agent:ben";
    given.call("tasks_claim", { path: "s:4" });
    given.by = "human:ada";
    expect(close(given, "s:1").result).toMatchObject({ steps: { total: 5, open: 3, ready: 1 } });
    given.by = "agent:ben";
    expect(close(given, "s:2").result).toMatchObject({ steps: { total: 5, open: 2, ready: 1 } });
    const opened = given.call("tasks_progress", { path: "s:2", completed: false });
    expect(opened.result).toMatchObject({ status: "ACTIVE", steps: { total: 5, open: 3, ready: 2 } });
  });

  it("[STEP-11] counts none as ready in a task that waits for another one, or that is over", () => {
    const given = ending("a", "b");
    given.call("tasks_create", { parent: "PLAN-001", title: "other" });
    given.call("tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] });
    expect(close(given, "s:0").result).toMatchObject({ steps: { total: 2, open: 1, ready: 0 } });
    expect(close(given, "s:1").result).toMatchObject({ status: "DONE", steps: { total: 2, open: 0, ready: 0 } });
  });
});

describe("ordered steps", () => {
  const steps = ["x", "y", "z"].map((title) => ({ title, success_criteria: [] }));
  const waits = (given: Given, id: string, from = 0): (number | null)[] => {
    const { children } = given.entity(id);
    return children.slice(from).map(({ depends_on }) => {
      expect(depends_on.length).toBeLessThan(2);
      return depends_on.length === 0 ? null : children.findIndex((step) => step.id === depends_on[0]);
    });
  };

  it("[STEP-72] wait each for the one before, in a new task and in one of a template", () => {
    const given = new Given();
    given.call("tasks_create", { kind: "task", title: "t", steps, ordered: true });
    expect(waits(given, "TASK-001")).toEqual([null, 0, 1]);
    given.call("tasks_scaffold", { template: "basic-task", title: "u", ordered: true });
    expect(waits(given, "TASK-002")).toEqual(
      given.entity("TASK-002").children.map((_step, n) => (n === 0 ? null : n - 1)),
    );
    given.call("tasks_create", { kind: "task", title: "v", steps });
    expect(waits(given, "TASK-003")).toEqual([null, null, null]);
    expect(given.refusal("tasks_close_step", { task: "TASK-001", path: "s:1", checkpoints: "gate" }).code).toBe(
      "STEP_WAITS",
    );
  });

  it("[STEP-72] go on behind the last step of their list that stands, at the top and below a step", () => {
    const given = givenTask("a", "b");
    given.call("tasks_delete", { path: "s:1" });
    given.call("tasks_decompose", { steps, ordered: true });
    expect(waits(given, "TASK-001", 2)).toEqual([0, 2, 3]);
    given.call("tasks_decompose", { parent: "s:0", steps, ordered: true });
    const below = given.step("s:0").children;
    expect(below.map(({ depends_on }) => depends_on)).toEqual([[], [below[0]!.id], [below[1]!.id]]);
  });

  it("[STEP-72] keep what they name themselves, each once", () => {
    const given = givenTask("a");
    const more = steps.map((step, n) => ({ ...step, depends_on: n === 2 ? ["s:0", "s:2"] : [] }));
    given.call("tasks_decompose", { steps: more, ordered: true });
    const [a, , y, z] = given.entity().children;
    expect(z!.depends_on).toEqual([a!.id, y!.id]);
    expect(
      given.refusal("tasks_decompose", { steps: [{ ...steps[0]!, depends_on: ["s:5"] }, steps[1]!], ordered: true })
        .code,
    ).toBe("INVALID_INPUT");
  });
});
