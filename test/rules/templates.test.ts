import { describe, expect, it } from "vitest";
import { PROOF_CHECKPOINTS } from "../../src/state/entity.ts";
import { Given, givenTask, types } from "../support/given.ts";

type Listed = {
  id: string;
  kind: "plan" | "task";
  plan_steps?: string[];
  steps?: { title: string; proof?: object }[];
}[];
const listed = (given: Given): Listed =>
  given.call("tasks_templates_list", {}).result["templates"] as unknown as Listed;

describe("templates", () => {
  it("[TPL-1] are listed with what they hold, proof modes included", () => {
    const templates = listed(new Given());
    expect(templates.map(({ id, kind, plan_steps, steps }) => [id, kind, (plan_steps ?? steps)?.length])).toEqual([
      ["basic-plan", "plan", 3],
      ["principal-plan", "plan", 9],
      ["basic-task", "task", 3],
      ["principal-task", "task", 5],
    ]);
    expect(templates[3]!.steps!.map((s) => s.proof ?? null)).toEqual([null, null, null, { tests: "require" }, null]);
  });

  it("[TPL-2] make plans and tasks with just that, in one op", () => {
    const given = givenTask();
    for (const { id, kind, plan_steps, steps } of listed(given)) {
      const told = given.call("tasks_scaffold", { template: id, kind, title: `From ${id}` });
      expect(told.result["template"]).toEqual({ id, kind });
      expect(types(told)).toEqual(["task_created", kind === "plan" ? "plan_updated" : "steps_added"]);
      const entity = given.entity((told.result[kind] as { id: string }).id);
      expect(entity).toMatchObject({ kind, title: `From ${id}`, revision: 1 });
      expect(entity.checklist.steps).toEqual(plan_steps ?? []);
      expect(entity.children.map((s) => s.title)).toEqual((steps ?? []).map((s) => s.title));
      for (const step of entity.children) expect(step.success_criteria.length * step.tests.length).toBeGreaterThan(0);
      expect(told.suggestions).toHaveLength(1);
    }
  });

  it("[TPL-2] make what they are for where no kind is named", () => {
    const given = givenTask();
    for (const { id, kind } of listed(given)) {
      const told = given.call("tasks_scaffold", { template: id, title: `From ${id}` });
      expect(told.result["template"]).toEqual({ id, kind });
      const made = (told.result[kind] as { id: string }).id;
      expect(made).toMatch(kind === "plan" ? /^PLAN-/ : /^TASK-/);
      expect(given.entity(made).kind).toBe(kind);
    }
    expect(given.refusal("tasks_scaffold", { template: "no-such", title: "t" }).code).toBe("UNKNOWN_ID");
  });

  it("[TPL-2] [STEP-8] of a principal task leave a step that closes only with proof", () => {
    const given = new Given();
    given.call("tasks_scaffold", { template: "principal-task", kind: "task", title: "t" });
    const proofs = given.entity().children.map((s) => PROOF_CHECKPOINTS.filter((c) => s.proof[c] === "require"));
    expect(proofs).toEqual([[], [], [], ["tests"], []]);
    expect(given.refusal("tasks_close_step", { path: "s:3", checkpoints: "gate" }).code).toBe("PROOF_REQUIRED");
  });

  it("[TPL-2] put a task under a plan", () => {
    const given = givenTask();
    const more = { template: "basic-task", kind: "task", title: "t", parent: "PLAN-001", description: "d" } as const;
    const told = given.call("tasks_scaffold", more);
    expect(told.result).toMatchObject({ plan: { id: "PLAN-001" }, task: { id: "TASK-002", revision: 1 } });
    expect(told.result["steps"]).toHaveLength(3);
    expect(given.entity("TASK-002").description).toBe("d");
  });

  it("[TPL-2] are refused for what they are not", () => {
    const given = givenTask();
    const code = (more: object): string =>
      given.refusal("tasks_scaffold", { template: "basic-task", kind: "task", title: "t", ...more }).code;
    expect(code({ template: "best-task" })).toBe("UNKNOWN_ID");
    expect(code({ template: "constructor" })).toBe("UNKNOWN_ID");
    expect(code({ kind: "plan" })).toBe("INVALID_INPUT");
    expect(code({ template: "basic-plan", kind: "plan", parent: "PLAN-001" })).toBe("INVALID_INPUT");
    expect(code({ parent: "TASK-001" })).toBe("INVALID_INPUT");
    expect(code({ title: " " })).toBe("INVALID_INPUT");
  });
});
