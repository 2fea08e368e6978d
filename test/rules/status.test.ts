import { describe, expect, it } from "vitest";
import { projectionsOf } from "../../src/projections/index.ts";
import { statusOf } from "../../src/state/status.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask } from "../support/given.ts";
import { parse } from "yaml";

/** The status in every answer and file that shows it. */
function shown(given: Given): unknown[] {
  const row = (given.call("tasks_context", {}).result["tasks"] as { status: string }[])[0]!;
  const counted = given.call("tasks_context", {}).result["by_status"] as Record<string, number>;
  const { target } = given.call("tasks_radar", {}).result as { target: { status: string } };
  const files = projectionsOf({ ...given.subject("TASK-001"), bytes: 1 });
  const yaml = parse(files.get("task.yaml")!) as { status: string; state: string };
  const readme = /^- status: `(\w+)`/m.exec(files.get("README.md")!)![1];
  // The plan counts as well.
  const byCount = counted["ACTIVE"] === 1 ? "ACTIVE" : counted["TODO"] === 2 ? "TODO" : "other";
  return [...new Set([row.status, target.status, yaml.status, readme, byCount]), yaml.state];
}

const suggested = (told: Told): string[] => (told.suggestions ?? []).map((one) => one.tool);

/** A call as its caller makes it, who knows why. */
const withReason = ({ workspace: _workspace, ...args }: Record<string, unknown>) =>
  ("reason" in args ? { ...args, reason: "they left" } : args) as { task: string };

describe("the status follows the work", () => {
  it.each([
    ["a claim of a step", "tasks_claim", { path: "s:0" }],
    ["a claim of the whole", "tasks_claim", {}],
    ["a confirmation", "tasks_verify", { path: "s:0.s:0", checkpoints: { tests: true } }],
    ["a step that closes", "tasks_close_step", { path: "s:0.s:0", checkpoints: "gate" }],
    ["evidence for a checkpoint", "tasks_evidence_capture", { path: "s:0", checks: ["CMD: x"], checkpoint: "tests" }],
  ] as const)("[STEP-70] %s makes a TODO task ACTIVE in every answer and file", (_name, tool, input) => {
    const given = givenTask("a", "b");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "a1", success_criteria: [] }] });
    expect(shown(given)).toEqual(["TODO", "created"]);
    given.call(tool as "tasks_note", input as never);
    expect(given.entity().status).toBe("TODO");
    expect(shown(given)).toEqual(["ACTIVE", "working"]);
  });

  it("[STEP-70] planning, notes and reasoning do not, and blocking asks for a person", () => {
    const given = givenTask("a");
    given.call("tasks_define", { path: "s:0", tests: ["t"] });
    given.call("tasks_note", { path: "s:0", note: "n" });
    given.call("tasks_think", { hypothesis: "h" });
    expect(shown(given)).toEqual(["TODO", "created"]);
    given.call("tasks_block", { path: "s:0" });
    expect(shown(given)).toEqual(["ACTIVE", "input-required"]);
  });

  it("[STEP-70] what is taken back or given back makes it TODO again, what is set stays", () => {
    const given = givenTask("a");
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_undo", {});
    expect(shown(given)).toEqual(["TODO", "created"]);
    given.call("tasks_redo", {});
    expect(shown(given)).toEqual(["ACTIVE", "working"]);
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_define", { path: "s:0", success_criteria: ["x"], tests: ["y"] });
    expect([given.step("s:0").done, statusOf(given.entity())]).toEqual([false, "ACTIVE"]);
    given.call("tasks_complete", { status: "CANCELED" });
    expect(statusOf(given.entity())).toBe("CANCELED");
  });

  it("[STEP-20] DONE is a decision: the reply that closes the last step offers the call, and the list says so", () => {
    const given = givenTask("a", "b");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const rows = () => given.call("tasks_context", {}).result["tasks"] as object[];
    expect(rows()[0]).not.toHaveProperty("ready_to_complete");
    expect(suggested(given.call("tasks_close_step", { path: "s:1", checkpoints: "gate" }))).toEqual(["tasks_complete"]);
    expect(rows()[0]).toMatchObject({ status: "ACTIVE", ready_to_complete: true });
    given.call("tasks_evidence_capture", { path: "s:1", checks: ["CMD: x"], checkpoint: "docs" });
    expect(suggested(given.call("tasks_think", { trace: "t" }))).toEqual(["tasks_verify"]);
    given.call("tasks_verify", { path: "s:1", checkpoints: { docs: true } });
    given.call("tasks_complete", {});
    expect(rows()[0]).not.toHaveProperty("ready_to_complete");
  });

  it("[STEP-21] a task with work in it is not set to TODO until the work is taken back", () => {
    const given = givenTask("a");
    expect(given.call("tasks_complete", { status: "TODO" }).warnings).toEqual([]);
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    const refused = given.refusal("tasks_complete", { status: "TODO" });
    expect(refused).toMatchObject({ code: "WORK_BEGUN", suggestions: [{ tool: "tasks_history" }] });
    given.call("tasks_undo", {});
    given.call("tasks_complete", { status: "ACTIVE" });
    expect(given.call("tasks_complete", { status: "TODO" }).result["status"]).toBe("TODO");
  });

  it("[STEP-21] a claim that counts as begun is offered back, by force where it is another caller's", () => {
    const given = givenTask("a", "b");
    given.call("tasks_claim", { path: "s:0" });
    given.by = "agent:bob";
    given.call("tasks_claim", { path: "s:1" });
    const refused = given.refusal("tasks_complete", { status: "TODO" });
    expect(refused.suggestions.map(({ tool, args }) => [tool, args["force"] === true])).toEqual([
      ["tasks_release", true],
      ["tasks_release", false],
    ]);
    for (const { args } of refused.suggestions) given.call("tasks_release", withReason(args));
    expect(given.call("tasks_complete", { status: "TODO" }).result["status"]).toBe("TODO");
  });

  it("[STEP-21] a claim is offered beside the history where more was done than claimed", () => {
    const given = givenTask("a");
    given.call("tasks_claim", { path: "s:0" });
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    const tools = given.refusal("tasks_complete", { status: "TODO" }).suggestions.map(({ tool }) => tool);
    expect(tools).toEqual(["tasks_release", "tasks_history"]);
  });

  it("[STEP-21] where evidence is among the work, nothing takes it back, and ACTIVE is the call that works", () => {
    const given = givenTask("a");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: x"], checkpoint: "tests" });
    const allRefused = (id: object) => {
      const { code, recovery, suggestions } = given.refusal("tasks_complete", { ...id, status: "TODO" });
      expect([code, recovery]).toEqual(["WORK_BEGUN", expect.stringMatching(/^Evidence.* cannot be taken back\. /)]);
      expect(suggestions).toMatchObject([{ tool: "tasks_complete", args: { ...id, status: "ACTIVE" } }]);
      return suggestions[0]!;
    };
    const [task, plan] = [{ task: "TASK-001" }, { plan: "PLAN-001" }];
    expect(given.refusal("tasks_undo", {}).code).toBe("NOTHING_TO_UNDO");
    const calls = [allRefused(task), allRefused(plan)];
    // Claims and confirmations can be given back, and that would not help.
    given.call("tasks_claim", {});
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    allRefused(task);
    for (const { args } of calls)
      expect(given.call("tasks_complete", withReason(args)).result["status"]).toBe("ACTIVE");
  });

  it("[STEP-21] [STEP-70] a plan with work in its tasks is not set to TODO, and the calls that it names lead there", () => {
    const given = givenTask("a");
    given.call("tasks_create", { parent: "PLAN-001", title: "Another" });
    given.call("tasks_claim", { path: "s:0" });
    given.call("tasks_complete", { task: "TASK-002" });
    const todo = { plan: "PLAN-001", status: "TODO" } as const;
    for (const offered of ["tasks_release TASK-001", "tasks_complete TASK-002"]) {
      const refused = given.refusal("tasks_complete", todo);
      expect(refused.code).toBe("WORK_BEGUN");
      const { tool, args } = refused.suggestions[0]!;
      expect(`${tool} ${String(args["task"])}`).toBe(offered);
      given.call(tool as "tasks_release", withReason(args));
    }
    expect(given.call("tasks_complete", todo).result["status"]).toBe("TODO");
    // A canceled task is no work.
    given.call("tasks_complete", { task: "TASK-002", status: "CANCELED" });
    given.call("tasks_complete", todo);
  });
});
