import { describe, expect, it } from "vitest";
import type { Given } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";

/** `s:0.s:0.s:0` with everything closed and the task DONE. */
function allClosed(): Given {
  const given = givenTask("a");
  given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "b", success_criteria: ["it works"] }] });
  given.call("tasks_decompose", { parent: "s:0.s:0", steps: [{ title: "c", success_criteria: ["it works"] }] });
  for (const path of ["s:0.s:0.s:0", "s:0.s:0", "s:0"]) given.call("tasks_close_step", { path, checkpoints: "gate" });
  given.call("tasks_complete", {});
  return given;
}

const EVERYTHING = ["step_reopened", "step_reopened", "step_reopened", "task_reopened"];

function reopenedPaths(given: Given, told: ReturnType<Given["call"]>): (string | undefined)[] {
  const ids = told.events.filter((e) => e.type === "step_reopened").map((e) => e["step_id"]);
  return ids.map((id) => ["s:0", "s:0.s:0", "s:0.s:0.s:0"].find((path) => given.step(path).id === id));
}

describe("reopening", () => {
  it("[STEP-16] keeps the confirmations and takes the closing back", () => {
    const given = givenTask("a", "b");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const told = given.call("tasks_progress", { path: "s:0", completed: false, reason: "a case was missed" });
    expect(types(told)).toEqual(["step_reopened"]);
    expect(told.result).toMatchObject({ completed: false, step: { done: false, missing_checkpoints: [] } });
    expect(given.step("s:0")).toMatchObject({ done: false, done_at: null, reopened: "a case was missed" });
    expect(given.refusal("tasks_progress", { path: "s:0", completed: false }).code).toBe("NOT_DONE");
    expect(types(given.call("tasks_progress", { path: "s:0" }))).toEqual(["step_done"]);
  });

  it("[STEP-16] opens the closed steps above, nearest first, and the DONE task", () => {
    const given = allClosed();
    const told = given.call("tasks_progress", { path: "s:0.s:0.s:0", completed: false });
    expect(types(told)).toEqual(EVERYTHING);
    expect(reopenedPaths(given, told)).toEqual(["s:0.s:0.s:0", "s:0.s:0", "s:0"]);
    expect(given.entity()).toMatchObject({ status: "ACTIVE", status_reason: "there is an open step in it" });
    expect(given.step("s:0").reopened).toBe("a step below it is open again");
  });

  it("[STEP-16] follows from added steps, at any level, and at the top opens the task alone", () => {
    const given = allClosed();
    const steps = [{ title: "new", success_criteria: [] }];
    const top = given.call("tasks_decompose", { steps });
    expect(types(top)).toEqual(["steps_added", "task_reopened"]);
    given.call("tasks_delete", { path: "s:1" });
    given.call("tasks_complete", {});
    const below = given.call("tasks_decompose", { parent: "s:0.s:0", steps });
    expect(types(below)).toEqual(["steps_added", "step_reopened", "step_reopened", "task_reopened"]);
    expect(reopenedPaths(given, below)).toEqual(["s:0.s:0", "s:0"]);
    expect(given.step("s:0.s:0.s:0").done).toBe(true);
  });

  it("[STEP-16] passes an open step in between", () => {
    const given = givenTask("a");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "b", success_criteria: [] }] });
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_progress", { path: "s:0", force: true, reason: "b goes on elsewhere" });
    const told = given.call("tasks_decompose", { parent: "s:0.s:0", steps: [{ title: "c", success_criteria: [] }] });
    expect(types(told)).toEqual(["steps_added", "step_reopened"]);
    expect(reopenedPaths(given, told)).toEqual(["s:0"]);
  });
});

describe("a gate that stops holding", () => {
  it("[STEP-15] opens the step when a confirmation is taken back", () => {
    const given = allClosed();
    const told = given.call("tasks_verify", { path: "s:0.s:0.s:0", checkpoints: { tests: false } });
    expect(types(told)).toEqual(["step_verified", ...EVERYTHING]);
    expect(given.step("s:0.s:0.s:0").reopened).toContain("not all of its checkpoints");
  });

  it("[STEP-15] stays closed when what is taken back was not required", () => {
    const given = allClosed();
    const path = "s:0.s:0.s:0";
    expect(types(given.call("tasks_verify", { path, checkpoints: { docs: false, tests: true } }))).toEqual([
      "step_verified",
    ]);
    expect(given.entity().status).toBe("DONE");
  });

  it("[STEP-15] opens the step when criteria or tests are defined anew, also with the same words", () => {
    const words = { path: "s:0.s:0.s:0" };
    for (const set of [{ success_criteria: ["it works"] }, { tests: [] }]) {
      const given = allClosed();
      const told = given.call("tasks_define", { ...words, ...set });
      expect(types(told)).toEqual(["step_defined", ...EVERYTHING]);
      const confirmed = given.step("s:0.s:0.s:0").confirmed;
      expect([confirmed.criteria, confirmed.tests]).toEqual(["tests" in set, "success_criteria" in set]);
    }
  });

  it("[STEP-15] opens the step when proof is required of it afterwards", () => {
    const given = allClosed();
    const told = given.call("tasks_define", { path: "s:0.s:0.s:0", proof: { tests: "require" } });
    expect(types(told)).toEqual(["step_defined", ...EVERYTHING]);
  });

  it("[STEP-15] has nothing to do with title, blockers and milder proof", () => {
    const given = allClosed();
    const set = { title: "renamed", blockers: ["x"], proof: { tests: "warn" as const } };
    const told = given.call("tasks_define", { path: "s:0.s:0.s:0", ...set });
    expect(types(told)).toEqual(["step_defined"]);
    expect(given.step("s:0.s:0.s:0")).toMatchObject({ title: "renamed", blockers: ["x"], done: true });
  });

  it("[STEP-15] is not judged on an open step, and something has to be defined", () => {
    const given = givenTask("a");
    expect(types(given.call("tasks_define", { path: "s:0", tests: ["npm test"] }))).toEqual(["step_defined"]);
    expect(given.refusal("tasks_define", { path: "s:0" }).code).toBe("INVALID_INPUT");
    expect(given.refusal("tasks_define", { path: "s:0", proof: {} }).code).toBe("INVALID_INPUT");
    expect(given.refusal("tasks_define", { path: "s:0", title: "a\nb" }).code).toBe("INVALID_INPUT");
  });
});

describe("evidence on a closed step", () => {
  it("[STEP-15] leaves it closed, and [STEP-20] the task waits for what it asks", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const told = given.call("tasks_evidence_capture", { path: "s:0", checks: ["audited"], checkpoint: "security" });
    expect(types(told)).toEqual(["evidence_captured"]);
    expect(given.step("s:0").done).toBe(true);
    const error = given.refusal("tasks_complete", {});
    expect(error).toMatchObject({ code: "CHECKPOINTS_NOT_CONFIRMED", details: { missing: ["security"] } });
    const [suggestion] = error.suggestions;
    given.call("tasks_verify", suggestion!.args as { checkpoints: "all" });
    given.call("tasks_complete", {});
    expect(given.entity().status).toBe("DONE");
  });

  /** Closed, then asked for docs by evidence. */
  const asked = (): Given => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "docs" });
    return given;
  };

  it("[STEP-15] stays closed, whatever else is said of the step", () => {
    const given = asked();
    const path = "s:0";
    const said = [
      given.call("tasks_define", { path, title: "b" }),
      given.call("tasks_define", { path, blockers: ["x"] }),
      given.call("tasks_define", { path, proof: { perf: "warn" } }),
      given.call("tasks_verify", { path, checkpoints: { tests: true } }),
      given.call("tasks_verify", { path, checkpoints: { security: false } }),
    ];
    expect(said.map(types).flat()).toEqual([...Array(3).fill("step_defined"), "step_verified", "step_verified"]);
    expect(given.step(path)).toMatchObject({ title: "b", blockers: ["x"], done: true, reopened: null });
  });

  it("[STEP-15] opens again when more is asked than evidence did", () => {
    for (const [tool, more] of [
      ["tasks_verify", { checkpoints: { tests: false } }],
      ["tasks_define", { success_criteria: ["it works"] }],
      ["tasks_define", { proof: { perf: "require" } }],
    ] as const) {
      const given = asked();
      const told = given.call(tool as "tasks_verify", { path: "s:0", ...more } as never);
      expect(types(told)).toEqual([tool === "tasks_verify" ? "step_verified" : "step_defined", "step_reopened"]);
      expect(given.step("s:0").done).toBe(false);
    }
  });
});
