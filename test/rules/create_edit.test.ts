import { describe, expect, it } from "vitest";
import { Given, givenTask, types } from "../support/given.ts";

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

describe("creating", () => {
  it("[TOOL-15] makes a plan, or a task where a parent is given, or what the call says", () => {
    const given = new Given();
    expect(given.call("tasks_create", { title: "p" }).result).toMatchObject({
      id: "PLAN-001",
      kind: "plan",
      parent: null,
    });
    expect(given.call("tasks_create", { title: "t", parent: "PLAN-001" }).result).toMatchObject({
      id: "TASK-001",
      kind: "task",
      parent: "PLAN-001",
    });
    expect(given.call("tasks_create", { title: "t", kind: "task" }).result).toMatchObject({
      kind: "task",
      parent: null,
    });
    expect(given.entity("TASK-001").parent?.root).toBe(given.entity("PLAN-001").root);
    expect(given.entity("TASK-002")).toMatchObject({ topology: "squad", priority: "MEDIUM", status: "TODO" });
  });

  it("[TOOL-15] refuses what does not go together", () => {
    const given = givenTask();
    const steps = [{ title: "a", success_criteria: [] }];
    const refused = [
      given.refusal("tasks_create", { title: "x", parent: "TASK-001" }),
      given.refusal("tasks_create", { title: "x", kind: "plan", parent: "PLAN-001" }),
      given.refusal("tasks_create", { title: "x", steps }),
      given.refusal("tasks_create", { title: "x", kind: "task", contract: "c" }),
      given.refusal("tasks_create", { title: "x", parent: "PLAN-001", contract_data: { a: 1 } }),
      given.refusal("tasks_create", { title: "x", id: "TASK-9" }),
      given.refusal("tasks_create", { title: "x", kind: "task", id: "plan-9" }),
      given.refusal("tasks_create", { title: " " }),
      given.refusal("tasks_create", { title: "x", contract_data: nested(61) as never }),
      given.refusal("tasks_create", { title: "x", colour: "red" } as never),
    ];
    expect(refused.map((e) => e.code)).toEqual(refused.map(() => "INVALID_INPUT"));
    expect(given.refusal("tasks_create", { title: "x", id: "../up" }).code).toBe("ID_UNSAFE");
    expect(given.refusal("tasks_create", { title: "x", id: "nul" }).code).toBe("ID_UNSAFE");
  });

  it("[TOOL-15] takes empty and null for not given", () => {
    const given = new Given();
    given.call("tasks_create", { title: "p", steps: [] });
    given.call("tasks_create", { title: "t", kind: "task", contract: null, contract_data: null });
    expect(given.all()).toHaveLength(2);
  });

  it("[TOOL-16] a task comes with its steps in one op, lists cleaned", () => {
    const given = new Given();
    given.call("tasks_create", { title: "p", contract: "c", contract_data: { a: [1, null] } });
    const told = given.call("tasks_create", {
      parent: "PLAN-001",
      id: "fix-parser",
      title: "t",
      description: "why",
      topology: "swarm",
      steps: [
        { title: "a", success_criteria: ["x", " x "], tests: ["n/a"], blockers: ["b"], proof: { tests: "require" } },
        { title: "b", success_criteria: [] },
      ],
    });
    expect(types(told)).toEqual(["task_created", "steps_added"]);
    expect(told.result).toMatchObject({
      id: "fix-parser",
      qualified_id: "acme/repo:fix-parser",
      revision: 1,
      steps: [
        { step_id: "STEP-00000001", path: "s:0" },
        { step_id: "STEP-00000002", path: "s:1" },
      ],
      events: [{ type: "task_created" }, { type: "steps_added" }],
    });
    expect(given.entity("fix-parser").children[0]).toMatchObject({
      success_criteria: ["x"],
      tests: [],
      blockers: ["b"],
    });
    expect(given.entity("fix-parser").children[0]!.proof.tests).toBe("require");
    expect(given.entity("PLAN-001")).toMatchObject({ contract: "c", contract_data: { a: [1, null] } });
  });
});

describe("editing", () => {
  it("[TOOL-17] sets every field that is given by one event, and nothing else", () => {
    const given = givenTask();
    given.call("tasks_create", { kind: "task", title: "other" });
    const told = given.call("tasks_edit", {
      title: "new",
      description: "d",
      context: "c",
      priority: "HIGH",
      new_domain: "core",
      tags: ["a", "a", "none"],
      depends_on: ["TASK-002", "TASK-002", "PLAN-001"],
    });
    expect(types(told)).toEqual(["task_edited"]);
    expect(told.result).toMatchObject({ id: "TASK-001", kind: "task", revision: 2, title: "new" });
    const other = given.entity("TASK-002").root;
    expect(given.entity()).toMatchObject({
      title: "new",
      description: "d",
      context: "c",
      priority: "HIGH",
      domain: "core",
      tags: ["a"],
      depends_on: [
        { id: "TASK-002", root: other },
        { id: "PLAN-001", root: given.entity("PLAN-001").root },
      ],
    });
    given.call("tasks_edit", { context: null, description: null, new_domain: null, depends_on: [] });
    expect(given.entity()).toMatchObject({ context: null, description: "", domain: null, depends_on: [], tags: ["a"] });
  });

  it("[TOOL-17] null of a field that only the other kind has is left out", () => {
    const given = givenTask();
    given.call("tasks_edit", { task: "TASK-001", title: "t2", contract: null, contract_data: null });
    expect(given.entity("TASK-001").title).toBe("t2");
    expect(given.refusal("tasks_edit", { task: "TASK-001", contract: null }).code).toBe("INVALID_INPUT");
  });

  it("[TOOL-17] sets and clears the contract of a plan", () => {
    const given = givenTask();
    const plan = "PLAN-001";
    expect(types(given.call("tasks_edit", { plan, contract: "c", contract_data: [1] }))).toEqual(["plan_edited"]);
    given.call("tasks_edit", { plan, contract: null });
    expect(given.entity(plan)).toMatchObject({ contract: null, contract_data: [1] });
    given.call("tasks_edit", { plan, contract_data: null });
    expect(given.entity(plan).contract_data).toBeNull();
  });

  it("[TOOL-17] refuses fields of the other kind, nothing to edit, and itself as a dependency", () => {
    const given = givenTask();
    const refused = [
      given.refusal("tasks_edit", {}),
      given.refusal("tasks_edit", { contract: "c" }),
      given.refusal("tasks_edit", { contract_data: null }),
      given.refusal("tasks_edit", { plan: "PLAN-001", new_domain: "d" }),
      given.refusal("tasks_edit", { depends_on: ["PLAN-001", "TASK-001"] }),
      given.refusal("tasks_edit", { title: null } as never),
      given.refusal("tasks_edit", { priority: "a\nb" }),
    ];
    expect(refused.map((e) => e.code)).toEqual(refused.map(() => "INVALID_INPUT"));
  });
});
