import { describe, expect, it } from "vitest";
import type { Given } from "../support/given.ts";
import { givenTask, types, WORKSPACE } from "../support/given.ts";

/** What came back, when it is of the order of refusals. */
function codes(given: Given, path: string): string {
  return given.refusal("tasks_done", { path }).code;
}

function add(given: Given, parent: string, ...titles: string[]): void {
  given.call("tasks_decompose", { parent, steps: titles.map((title) => ({ title, success_criteria: [] })) });
}

describe("closing a step", () => {
  it("[STEP-6] is refused for one reason after the other, in the fixed order", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } });
    add(given, "s:0", "a1");
    given.call("tasks_block", { path: "s:0", reason: "no key" });
    expect(codes(given, "s:0")).toBe("STEP_BLOCKED");
    given.call("tasks_block", { path: "s:0", blocked: false });
    expect(codes(given, "s:0")).toBe("CHILDREN_OPEN");
    given.call("tasks_close_step", { path: "s:0.s:0", checkpoints: "gate" });
    expect(codes(given, "s:0")).toBe("CHECKPOINTS_NOT_CONFIRMED");
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    expect(codes(given, "s:0")).toBe("PROOF_REQUIRED");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(types(given.call("tasks_done", { path: "s:0" }))).toEqual(["step_done"]);
    expect(codes(given, "s:0")).toBe("ALREADY_DONE");
    expect(given.step("s:0")).toMatchObject({ done: true, done_by: "human:ada", forced: null, reopened: null });
  });

  it("[STEP-7] needs criteria and tests also when their lists are empty", () => {
    const given = givenTask({ title: "a", success_criteria: [], tests: [] });
    expect(codes(given, "s:0")).toBe("CHECKPOINTS_NOT_CONFIRMED");
    given.call("tasks_verify", { path: "s:0", checkpoints: { criteria: true } });
    expect(codes(given, "s:0")).toBe("CHECKPOINTS_NOT_CONFIRMED");
    given.call("tasks_verify", { path: "s:0", checkpoints: { tests: { confirmed: true } } });
    given.call("tasks_done", { path: "s:0" });
    expect(given.step("s:0").done).toBe(true);
  });

  it("[STEP-7] needs an optional checkpoint once evidence is linked to it", () => {
    const given = givenTask("a");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["audited"], checkpoint: ["security", "docs"] });
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    const error = given.refusal("tasks_done", { path: "s:0" });
    expect(error.details).toEqual({ missing: ["security", "docs"] });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "all" });
  });

  it("[STEP-7] needs an optional checkpoint whose proof is required", () => {
    const given = givenTask({ title: "a", proof: { security: "require" } });
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    expect(given.refusal("tasks_done", { path: "s:0" }).details).toEqual({
      missing: ["security"],
      missing_proofs: ["security"],
    });
  });

  it("[STEP-8] takes no placeholder and no missing file for proof, and asks none where the mode is warn", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } }, { title: "b", proof: { tests: "warn" } });
    const fake = given.call("tasks_evidence_capture", {
      path: "s:0",
      checks: ["CMD: <fill: the command>", "LINK:"],
      items: [{ kind: "run", command: "<fill: x>" }],
      attachments: ["agents/w1/none.log"],
      checkpoint: "tests",
    });
    expect(fake.warnings?.map((w) => w.code)).toEqual(["PLACEHOLDER_IGNORED", "ATTACHMENT_MISSING", "PROOF_WEAK"]);
    const error = given.refusal("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(error).toMatchObject({ code: "PROOF_REQUIRED", details: { missing: ["tests"] } });
    expect(given.step("s:0").confirmed.tests).toBe(false);
    given.call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["LINK: https://ci.example/7"], checkpoint: "docs" });
    expect(given.refusal("tasks_close_step", { path: "s:0", checkpoints: "all" }).code).toBe("PROOF_REQUIRED");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["LINK: https://ci.example/7"], checkpoint: "tests" });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "all" });
  });

  it("[STEP-9] reads every form of checkpoints, and refuses to be told nothing", () => {
    const given = givenTask("a");
    const confirmed = (): string[] => {
      const { $, ...marks } = given.step("s:0").confirmed;
      return Object.entries(marks).flatMap(([name, yes]) => (yes && $ !== "" ? [name] : []));
    };
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    expect(confirmed()).toEqual(["criteria", "tests"]);
    given.call("tasks_verify", { path: "s:0", checkpoints: { criteria: false, docs: { confirmed: true } } });
    expect(confirmed()).toEqual(["tests", "docs"]);
    given.call("tasks_verify", { path: "s:0", checkpoints: "all" });
    expect(confirmed()).toEqual(["criteria", "tests", "security", "perf", "docs"]);
    given.call("tasks_verify", { path: "s:0", checkpoints: { perf: { confirmed: false } } });
    expect(confirmed()).toEqual(["criteria", "tests", "security", "docs"]);
    expect(given.refusal("tasks_verify", { path: "s:0", checkpoints: {} }).code).toBe("INVALID_INPUT");
    expect(given.refusal("tasks_verify", { path: "s:0", checkpoints: "some" as "all" }).code).toBe("INVALID_INPUT");
  });

  it("[STEP-6] waits for the steps right below, not for what stands in blockers", () => {
    const given = givenTask({ title: "a", blockers: ["waits for the vendor"] });
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    add(given, "s:0", "a1", "a2");
    given.call("tasks_delete", { path: "s:0.s:0" });
    const error = given.refusal("tasks_done", { path: "s:0" });
    expect(error).toMatchObject({ code: "CHILDREN_OPEN", details: { open: [given.step("s:0.s:1").id] } });
    given.call("tasks_delete", { path: "s:0.s:1" });
    given.call("tasks_done", { path: "s:0" });
  });

  it("[STEP-11] with its checkpoints is one op of exactly step.verified and step.done", () => {
    const given = givenTask("a", "b");
    const before = given.entity().revision;
    const told = given.call("tasks_close_step", {
      path: "s:0",
      checkpoints: { criteria: true, tests: true, perf: true },
    });
    expect(types(told)).toEqual(["step_verified", "step_done"]);
    expect(told.events[0]).toMatchObject({ checkpoints: { criteria: true, tests: true, perf: true } });
    expect(told.result).toMatchObject({ task: "TASK-001", revision: before + 1, step: { done: true, path: "s:0" } });
    expect(given.entity().recent.at(-1)?.message).toContain('Closed s:0 "a".');
  });

  it("[STEP-11] changes nothing when the close is refused, and requires each checkpoint it is told of", () => {
    const given = givenTask("a");
    const refused = [
      given.refusal("tasks_close_step", { path: "s:0", checkpoints: { criteria: true } }),
      given.refusal("tasks_close_step", { path: "s:0", checkpoints: { criteria: true, tests: true, docs: false } }),
      given.refusal("tasks_close_step", { path: "s:0", checkpoints: { criteria: true, tests: false } }),
    ];
    expect(refused.map((e) => [e.code, e.details])).toEqual([
      ["CHECKPOINTS_NOT_CONFIRMED", { missing: ["tests"] }],
      ["CHECKPOINTS_NOT_CONFIRMED", { missing: ["docs"] }],
      ["CHECKPOINTS_NOT_CONFIRMED", { missing: ["tests"] }],
    ]);
    expect(given.step("s:0").confirmed.criteria).toBe(false);
    given.call("tasks_verify", { path: "s:0", checkpoints: "all" });
    const error = given.refusal("tasks_close_step", { path: "s:0", checkpoints: { criteria: true, docs: false } });
    expect(error.details).toEqual({ missing: ["docs"] });
  });

  it("[STEP-11] wants criteria or tests among the checkpoints, and counts what was confirmed before", () => {
    const given = givenTask("a");
    given.call("tasks_verify", { path: "s:0", checkpoints: { tests: true } });
    expect(given.refusal("tasks_close_step", { path: "s:0", checkpoints: { docs: true } }).code).toBe("INVALID_INPUT");
    given.call("tasks_close_step", { path: "s:0", checkpoints: { criteria: true } });
    expect(given.step("s:0").done).toBe(true);
  });

  it("[STEP-6] says the state of each required checkpoint and suggests exactly what is missing", () => {
    const given = givenTask("a");
    const at = { workspace: WORKSPACE, task: "TASK-001", step_id: given.step("s:0").id };
    const both = given.refusal("tasks_done", { path: "s:0" });
    expect(both.message).toContain("criteria not confirmed, tests not confirmed");
    expect(both.suggestions).toMatchObject([{ tool: "tasks_verify", args: { ...at, checkpoints: "gate" } }]);
    given.call("tasks_verify", { path: "s:0", checkpoints: { tests: true } });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["seen"], checkpoint: "perf" });
    const one = given.refusal("tasks_done", { path: "s:0" });
    expect(one.message).toContain("criteria not confirmed, tests confirmed, perf not confirmed");
    expect(one.suggestions[0]?.args["checkpoints"]).toEqual({ criteria: true, perf: true });
  });

  it("[STEP-6] suggests a capture of the declared test, and of a run to fill in, where proof is missing", () => {
    const given = givenTask({ title: "a", tests: ["npm test"], proof: { tests: "require", security: "require" } });
    given.call("tasks_verify", { path: "s:0", checkpoints: "all" });
    const { suggestions, recovery } = given.refusal("tasks_done", { path: "s:0" });
    expect(recovery).toContain('"taskfold run TASK-001 s:0 --for tests,security -- npm test"');
    const [suggestion] = suggestions;
    expect(suggestion).toMatchObject({ tool: "tasks_evidence_capture", args: { checkpoint: ["tests", "security"] } });
    const run = { kind: "run", exit_code: 0, stdout: expect.stringMatching(/^<fill: /) as string };
    expect(suggestion?.args["items"]).toEqual([
      { ...run, command: "npm test" },
      { ...run, command: expect.stringMatching(/^<fill: /) as string },
    ]);
    expect(given.refusal("tasks_evidence_capture", suggestion!.args as never).message).toContain("filled in");
  });
});

describe("force", () => {
  it("[STEP-13] passes a block, which it lifts, and keeps the reason", () => {
    const given = givenTask("a");
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_block", { path: "s:0", reason: "no key" });
    const told = given.call("tasks_progress", { path: "s:0", force: true, reason: "the key is not needed" });
    expect(types(told)).toEqual(["step_unblocked", "gate_approved", "step_done"]);
    expect(told.events[2]).toMatchObject({ forced: "the key is not needed" });
    expect(given.step("s:0")).toMatchObject({ done: true, blocked: false, forced: "the key is not needed" });
    expect([...given.entity().gates.values()]).toMatchObject([{ state: "approved", resolved_by: "human:ada" }]);
  });

  it("[STEP-13] passes open steps below", () => {
    const given = givenTask("a");
    add(given, "s:0", "a1");
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    const told = given.call("tasks_progress", { path: "s:0", force: true, reason: "the rest moved" });
    expect(types(told)).toEqual(["step_done"]);
    expect(told.result).toMatchObject({ completed: true, step: { done: true } });
    expect(given.step("s:0.s:0").done).toBe(false);
  });

  it("[STEP-13] passes neither a checkpoint nor a proof, and needs a reason", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } });
    const forced = { path: "s:0", force: true, reason: "now" };
    expect(given.refusal("tasks_progress", forced).code).toBe("CHECKPOINTS_NOT_CONFIRMED");
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    expect(given.refusal("tasks_progress", forced).code).toBe("PROOF_REQUIRED");
    expect(given.refusal("tasks_progress", { path: "s:0", force: true }).code).toBe("PROOF_REQUIRED");
    given.call("tasks_block", { path: "s:0" });
    expect(given.refusal("tasks_progress", { path: "s:0", force: true, reason: " " }).code).toBe("INVALID_INPUT");
    const { code, message } = given.refusal("tasks_progress", { path: "s:0", force: true });
    expect({ code, message }).toEqual({
      code: "INVALID_INPUT",
      message: expect.stringContaining("a reason with force"),
    });
    expect(given.refusal("tasks_progress", { path: "s:0", reason: "now" }).code).toBe("INVALID_INPUT");
  });

  it("[STEP-13] is no fault where there is nothing to pass", () => {
    const given = givenTask("a");
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_progress", { path: "s:0", completed: true, force: true });
    expect(given.step("s:0")).toMatchObject({ done: true, forced: null });
    given.call("tasks_progress", { path: "s:0", completed: false, force: true });
    expect(given.step("s:0").done).toBe(false);
  });
});

describe("blocking", () => {
  it("[STEP-17] opens a gate that other programs know, with a reason only when there is one", () => {
    const given = givenTask("a", "b");
    const { id } = given.step("s:0");
    const told = given.call("tasks_block", { path: "s:0", reason: "waits for the key" });
    expect(types(told)).toEqual(["step_blocked", "gate_blocked"]);
    expect(told.events[1]).toMatchObject({ gateId: `gate-${id}`, reason: "waits for the key" });
    expect(told.result).toMatchObject({ blocked: true, reason: "waits for the key", step: { blocked: true } });
    const silent = given.call("tasks_block", { path: "s:1", reason: " " });
    expect(silent.drafts[1]!.payload).not.toHaveProperty("reason");
    expect(silent.result).toMatchObject({ blocked: true, reason: null });
  });

  it("[STEP-17] again replaces the reason; a closed step is refused", () => {
    const given = givenTask("a");
    given.call("tasks_block", { path: "s:0", reason: "one" });
    given.call("tasks_block", { path: "s:0", reason: "two" });
    expect(given.step("s:0").block_reason).toBe("two");
    expect([...given.entity().gates.values()]).toMatchObject([{ reason: "two", state: "blocked" }]);
    given.call("tasks_block", { path: "s:0", blocked: false });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(given.refusal("tasks_block", { path: "s:0" }).code).toBe("ALREADY_DONE");
  });

  it("[STEP-17] is taken back with its gate; where there is none, no gate is spoken of", () => {
    const given = givenTask("a", "b");
    given.call("tasks_block", { path: "s:0", reason: "one" });
    const told = given.call("tasks_block", { path: "s:0", blocked: false, reason: "the key came" });
    expect(types(told)).toEqual(["step_unblocked", "gate_approved"]);
    expect(told.result).toMatchObject({ blocked: false, reason: null });
    expect(given.step("s:0")).toMatchObject({ blocked: false, block_reason: null });
    expect(types(given.call("tasks_block", { path: "s:1", blocked: false }))).toEqual(["step_unblocked"]);
  });
});
