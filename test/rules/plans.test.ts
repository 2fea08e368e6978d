import { describe, expect, it } from "vitest";
import { readme } from "../../src/projections/readme.ts";
import { checklistOf } from "../../src/views/checklist.ts";
import { handoffOf } from "../../src/views/handoff.ts";
import { radarOf } from "../../src/views/radar.ts";
import type { Given } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";
import { Story } from "../support/story.ts";

const plan = { plan: "PLAN-001" };
const planned = (): Given => {
  const given = givenTask();
  given.call("tasks_plan", { ...plan, steps: ["Clarify", "Build", "Ship"] });
  return given;
};
const at = (given: Given): number => given.entity("PLAN-001").checklist.current;

describe("the checklist of a plan", () => {
  it("[PLANS-2] is replaced whole, gone through and told", () => {
    const given = givenTask();
    const told = given.call("tasks_plan", { ...plan, steps: [" Clarify ", "none", "Build"], doc: "roadmap" });
    expect(types(told)).toEqual(["plan_updated"]);
    expect(told.result["plan"]).toMatchObject({
      id: "PLAN-001",
      checklist: { doc: "roadmap", current: 0, steps: ["Clarify", "Build"] },
      plan_progress: "0/2",
    });
    expect(given.call("tasks_plan", { ...plan, advance: true }).result["plan"]).toMatchObject({ plan_progress: "1/2" });
    expect(given.call("tasks_plan", { ...plan, current: 2 }).result["plan"]).toMatchObject({ plan_progress: "2/2" });
    expect(given.call("tasks_plan", { ...plan, current: 0 }).result["plan"]).toMatchObject({ plan_progress: "0/2" });
    const both = given.call("tasks_plan", { ...plan, steps: ["A", "B", "C"], current: 2 });
    expect(both.result["plan"]).toMatchObject({ plan_progress: "2/3" });
  });

  it("[PLANS-2] does not go past its end, and a shorter list takes the position with it", () => {
    const given = planned();
    given.call("tasks_plan", { ...plan, current: 3 });
    const error = given.refusal("tasks_plan", { ...plan, advance: true });
    expect(error).toMatchObject({ code: "INVALID_INPUT", details: { current: 3, length: 3 } });
    expect(given.refusal("tasks_plan", { ...plan, current: 4 }).code).toBe("INVALID_INPUT");
    given.call("tasks_plan", { ...plan, steps: ["Only"] });
    expect(at(given)).toBe(1);
    expect(given.refusal("tasks_plan", { ...plan, steps: [], advance: true }).code).toBe("INVALID_INPUT");
  });

  it("[PLANS-2] is not changed by a call that says nothing, or two things at once", () => {
    const given = planned();
    const refused = [{}, { advance: false }, { advance: true, current: 1 }].map((more) =>
      given.refusal("tasks_plan", { ...plan, ...more }),
    );
    expect(refused.map((e) => e.code)).toEqual(refused.map(() => "INVALID_INPUT"));
    expect(refused[0]!.suggestions).toMatchObject([{ tool: "tasks_plan", args: { plan: "PLAN-001", advance: true } }]);
  });

  it("[PLANS-2] shows in radar, handoff, README and the next call", () => {
    const given = planned();
    const told = given.call("tasks_plan", { ...plan, advance: true });
    expect(told.suggestions).toMatchObject([{ tool: "tasks_plan", args: { advance: true } }]);
    const subject = given.subject("PLAN-001");
    expect(radarOf(subject).next).toEqual(["Next item 2/3: Build"]);
    expect(handoffOf(subject)).toMatchObject({ done: ["Clarify"], remaining: ["Build", "Ship", "Finish plan"] });
    expect(readme(subject)).toContain("## Checklist\n\n- [x] Clarify\n- [ ] Build\n- [ ] Ship\n");
    given.call("tasks_plan", { ...plan, doc: "road*map", current: 3 });
    expect(readme(subject)).toContain("## Checklist\n\n- document: road\\*map\n- [x] Clarify\n");
    expect(radarOf(subject).next).toEqual(["Finish plan: every item of its checklist is behind"]);
    given.call("tasks_complete", { task: "TASK-001" });
    expect(given.call("tasks_radar", plan).suggestions).toMatchObject([{ tool: "tasks_complete", args: plan }]);
  });

  it("[PLANS-2] counts as at its end where another branch made it shorter", () => {
    const update = (payload: object) => ({ type: "plan.updated", payload: { ...payload, message: "x" } });
    const story = new Story({ kind: "plan" }).do(update({ steps: ["a", "b", "c"] }));
    story.apart([update({ current: 3 })], [update({ steps: ["a"] })]);
    expect(story.entity.checklist.current).toBe(3);
    expect(checklistOf(story.entity)).toMatchObject({ checklist: { current: 1 }, plan_progress: "1/1" });
  });

  it("[PLANS-2] [UNDO-1] comes back as it was by undo", () => {
    const given = planned();
    given.call("tasks_plan", { ...plan, advance: true });
    given.call("tasks_plan", { ...plan, steps: ["x"], doc: "y" });
    given.call("tasks_undo", plan);
    expect(given.entity("PLAN-001").checklist).toMatchObject({
      steps: ["Clarify", "Build", "Ship"],
      current: 1,
      doc: "plan",
    });
    given.call("tasks_redo", plan);
    expect(given.entity("PLAN-001").checklist).toMatchObject({ steps: ["x"], current: 1, doc: "y" });
  });
});

describe("the contract of a plan", () => {
  it("[PLANS-4] is set in part, and what is not given stays", () => {
    const given = givenTask();
    const told = given.call("tasks_contract", {
      ...plan,
      current: "Old files keep their meaning.",
      contract_data: { v: 1 },
    });
    expect(types(told)).toEqual(["contract_updated"]);
    expect(given.call("tasks_contract", { ...plan, current: "New." }).result["plan"]).toMatchObject({
      contract: "New.",
      contract_data: { v: 1 },
    });
    expect(given.call("tasks_contract", { ...plan, contract_data: [2] }).result["plan"]).toMatchObject({
      contract: "New.",
      contract_data: [2],
    });
  });

  it("[PLANS-4] is cleared whole, and comes back by undo", () => {
    const given = givenTask();
    given.call("tasks_contract", { ...plan, current: "x", contract_data: { v: 1 } });
    const told = given.call("tasks_contract", { ...plan, clear: true });
    expect(told.result["plan"]).toMatchObject({ contract: null, contract_data: null });
    given.call("tasks_undo", plan);
    expect(given.entity("PLAN-001")).toMatchObject({ contract: "x", contract_data: { v: 1 } });
  });

  it("[PLANS-4] is not changed by a call that says nothing, or too much", () => {
    const given = givenTask();
    for (const more of [{}, { clear: false }, { clear: true, current: "x" }, { clear: true, contract_data: null }]) {
      expect(given.refusal("tasks_contract", { ...plan, ...more }).code, JSON.stringify(more)).toBe("INVALID_INPUT");
    }
    expect(given.refusal("tasks_contract", { ...plan, contract_data: 0.5 }).code).toBe("INVALID_INPUT");
  });

  it("[PLANS-1] and the checklist are for plans only", () => {
    const given = givenTask();
    expect(given.refusal("tasks_plan", { steps: ["a"] }).code).toBe("INVALID_INPUT");
    expect(given.refusal("tasks_contract", { current: "a" }).code).toBe("INVALID_INPUT");
  });
});
