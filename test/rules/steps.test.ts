import { describe, expect, it } from "vitest";
import { countCodePoints } from "../../src/state/code_points.ts";
import { pathOf } from "../../src/state/tree.ts";
import { Given, givenTask, types } from "../support/given.ts";

describe("the tree", () => {
  it("[STEP-1] stands in tasks only: every step tool refuses a plan", () => {
    const given = givenTask();
    const plan = { plan: "PLAN-001", path: "s:0" };
    const refused = [
      given.refusal("tasks_decompose", { plan: "PLAN-001", steps: [{ title: "x", success_criteria: [] }] }),
      given.refusal("tasks_define", { ...plan, title: "x" }),
      given.refusal("tasks_note", { ...plan, note: "x" }),
      given.refusal("tasks_verify", { ...plan, checkpoints: "gate" }),
      given.refusal("tasks_done", plan),
      given.refusal("tasks_close_step", { ...plan, checkpoints: "gate" }),
      given.refusal("tasks_progress", plan),
      given.refusal("tasks_block", plan),
      given.refusal("tasks_delete", plan),
      given.refusal("tasks_evidence_capture", { ...plan, checks: ["CMD: ls"] }),
    ];
    expect(refused.map((e) => e.code)).toEqual(refused.map(() => "INVALID_INPUT"));
    expect(given.entity("PLAN-001").revision).toBe(1);
  });

  it("[STEP-1] never gives the path of a deleted step to another", () => {
    const given = givenTask("a", "b");
    given.call("tasks_delete", { path: "s:1" });
    const told = given.call("tasks_decompose", { steps: [{ title: "c", success_criteria: [] }] });
    expect(told.result["steps"]).toEqual([{ step_id: "STEP-00000003", path: "s:2" }]);
    expect(given.refusal("tasks_done", { path: "s:1" }).code).toBe("UNKNOWN_ID");
  });

  it("[STEP-1] puts s:10 after s:9", () => {
    const given = givenTask(...Array.from({ length: 12 }, (_, i) => `step ${i}`));
    expect(given.entity().children.map(pathOf).slice(8)).toEqual(["s:8", "s:9", "s:10", "s:11"]);
  });

  it("[STEP-3] is addressed by id, by path, or by both when they agree", () => {
    const given = givenTask("a", "b");
    given.call("tasks_decompose", { parent: "s:1", steps: [{ title: "b1", success_criteria: [] }] });
    const { id } = given.step("s:1.s:0");
    for (const by of [{ step_id: id }, { path: "s:1.s:0" }, { step_id: id, path: "s:1.s:0" }]) {
      const { result } = given.call("tasks_note", { ...by, note: "seen" });
      expect(result["step"]).toMatchObject({ step_id: id, path: "s:1.s:0", title: "b1" });
    }
    expect(given.refusal("tasks_note", { step_id: id, path: "s:0", note: "x" }).code).toBe("TARGET_CONTRADICTION");
    expect(given.refusal("tasks_done", { path: "s:7" }).code).toBe("UNKNOWN_ID");
    expect(given.refusal("tasks_done", { path: "s:01" }).code).toBe("INVALID_INPUT");
    expect(given.refusal("tasks_done", { step_id: "STEP-FFFFFFFF" }).code).toBe("UNKNOWN_ID");
    expect(given.refusal("tasks_done", {}).code).toBe("TARGET_REQUIRED");
  });

  it("[STEP-3] does not find what is below a deleted step", () => {
    const given = givenTask("a");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "a1", success_criteria: [] }] });
    const below = given.step("s:0.s:0").id;
    given.call("tasks_delete", { path: "s:0" });
    expect(given.refusal("tasks_verify", { step_id: below, checkpoints: "all" }).code).toBe("UNKNOWN_ID");
    expect(given.refusal("tasks_verify", { path: "s:0.s:0", checkpoints: "all" }).code).toBe("UNKNOWN_ID");
  });

  it("[STEP-3] refuses a write by a path that a merge moved, and takes the id", () => {
    const given = givenTask("a", "b");
    const { id } = given.step("s:1");
    given.entity().moved.set("children", [id]);
    const error = given.refusal("tasks_note", { path: "s:1", note: "x" });
    expect(error).toMatchObject({ code: "PATH_MOVED", details: { step_id: id } });
    expect(given.call("tasks_note", { step_id: id, note: "x" }).result["step"]).toMatchObject({ step_id: id });
  });

  it("[STEP-5] takes steps with all their lists by one op, under a path or an id", () => {
    const given = givenTask("a");
    const body = { title: "a1", success_criteria: ["c", "c"], tests: [" t "], blockers: ["b", "none"] };
    const told = given.call("tasks_decompose", { parent: given.step("s:0").id, steps: [body, body] });
    expect(types(told)).toEqual(["steps_added"]);
    expect(told.result["steps"]).toEqual([
      { step_id: "STEP-00000002", path: "s:0.s:0" },
      { step_id: "STEP-00000003", path: "s:0.s:1" },
    ]);
    expect(given.step("s:0.s:1")).toMatchObject({ success_criteria: ["c"], tests: ["t"], blockers: ["b"] });
  });

  it("[STEP-5] is at most 256 levels deep", () => {
    const given = givenTask("0");
    for (let depth = 1; depth < 256; depth++) {
      const parent = given.entity().steps.get(`STEP-${depth.toString(16).toUpperCase().padStart(8, "0")}`)!.id;
      given.call("tasks_decompose", { parent, steps: [{ title: String(depth), success_criteria: [] }] });
    }
    const parent = "STEP-00000100";
    const error = given.refusal("tasks_decompose", { parent, steps: [{ title: "x", success_criteria: [] }] });
    expect(error.code).toBe("INVALID_INPUT");
    expect(error.message).toContain("found depth 257");
  });

  it("[STEP-5] refuses a bad title anywhere in the list, naming it", () => {
    const steps = [
      { title: "fine", success_criteria: [] },
      { title: " ", success_criteria: [] },
    ];
    expect(givenTask().refusal("tasks_decompose", { steps }).message).toContain("steps[1].title");
  });
});

describe("notes", () => {
  it("[STEP-63] stand on a step or on the whole", () => {
    const given = givenTask("a");
    const told = given.call("tasks_note", { path: "s:0", note: "line one\nline two" });
    expect(told.events[0]).toMatchObject({ type: "step_noted", note: "line one\nline two" });
    expect(given.step("s:0").notes).toBe(1);
    expect(given.call("tasks_note", { note: "on the task" }).result["step"]).toBeNull();
    expect(given.call("tasks_note", { plan: "PLAN-001", note: "on the plan" }).result["task"]).toBe("PLAN-001");
    expect(given.entity().notes.map((n) => n.step)).toEqual(["STEP-00000001", null]);
  });

  it("[STEP-63] are refused blank", () => {
    const given = givenTask("a");
    expect(given.refusal("tasks_note", { path: "s:0", note: " \n " }).code).toBe("INVALID_INPUT");
  });
});

describe("deleting", () => {
  it("[STEP-5] takes everything below a step with it and counts what went", () => {
    const given = givenTask("a", "b");
    const steps = ["a1", "a2"].map((title) => ({ title, success_criteria: [] }));
    given.call("tasks_decompose", { parent: "s:0", steps });
    given.call("tasks_decompose", { parent: "s:0.s:1", steps });
    given.call("tasks_delete", { path: "s:0.s:0" });
    const told = given.call("tasks_delete", { path: "s:0" });
    expect(types(told)).toEqual(["step_deleted"]);
    expect(told.result).toMatchObject({ deleted_steps: 4, step: { path: "s:0", title: "a" } });
    expect(given.entity().children.map((s) => s.deleted)).toEqual([true, false]);
  });

  it("[TXN-9] takes a task, and a plan, by an event of its own", () => {
    const given = givenTask();
    const told = given.call("tasks_delete", { task: "TASK-001" });
    expect(told.result).toMatchObject({ id: "TASK-001", kind: "task", deleted: true });
    expect(types(given.call("tasks_delete", { plan: "PLAN-001" }))).toEqual(["task_deleted"]);
    expect(given.all()).toEqual([]);
  });
});

describe("messages", () => {
  it("[regression STEP-26] are one bounded line that names path and title, whatever was written", () => {
    const given = new Given();
    const title = "🚀".repeat(200);
    const long = "word\n".repeat(20_000);
    given.call("tasks_create", { kind: "task", title, steps: [{ title, success_criteria: [long] }] });
    const told = [
      given.call("tasks_note", { path: "s:0", note: long }),
      given.call("tasks_block", { path: "s:0", reason: long }),
      given.call("tasks_block", { path: "s:0", blocked: false, reason: long }),
      given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" }),
      given.call("tasks_progress", { path: "s:0", completed: false, reason: long }),
      given.call("tasks_complete", { status: "FAILED", reason: long }),
    ];
    for (const event of told.flatMap((t) => t.events)) {
      const message = event["message"] as string;
      expect(message).not.toContain("\n");
      expect(message).toContain(event.type.startsWith("step") ? `s:0 "${title}"` : title);
      expect(countCodePoints(message)).toBeLessThan(450);
    }
  });

  it("[STEP-15] a definition sets what it names, and takes back the confirmation of what it changes", () => {
    const fields = { title: "A grammar", success_criteria: ["it is small"], tests: ["npm test"], blockers: ["no key"] };
    for (const [field, value] of Object.entries(fields)) {
      const given = givenTask("Grammar");
      given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
      const { $: _name, confirmed, ...before } = structuredClone(given.step("s:0"));
      given.call("tasks_define", { path: "s:0", [field]: value });
      expect(given.step("s:0")).toMatchObject({ ...before, [field]: value });
      expect(given.step("s:0").confirmed).toEqual({
        ...confirmed,
        criteria: field !== "success_criteria",
        tests: field !== "tests",
      });
    }
  });
});
