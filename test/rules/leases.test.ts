import type { ToolName } from "../../src/index.ts";
import { describe, expect, it } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { readme } from "../../src/projections/readme.ts";
import { liveConflicts } from "../../src/state/live.ts";
import { handoffOf } from "../../src/views/handoff.ts";
import { radarOf } from "../../src/views/radar.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask, types } from "../support/given.ts";
import { addSteps, close, remove, Story, stepId, verify } from "../support/story.ts";
import { toSecond } from "../../src/to_second.ts";

const [ADA, BOB] = ["agent:ada", "agent:bob"] as const;

/** The call as somebody else makes it. */
function as<T>(given: Given, by: string, call: () => T): T {
  const before = given.by;
  given.by = by;
  try {
    return call();
  } finally {
    given.by = before;
  }
}

const claim = (given: Given, by: string, more: object): Told =>
  as(given, by, () => given.call("tasks_claim", { ...more }));
const refused = (given: Given, by: string, more: object) =>
  as(given, by, () => given.refusal("tasks_claim", { ...more }));
const fence = (told: Told): number => (told.result["lease"] as { fence: number }).fence;

describe("claiming", () => {
  it("[LEASE-1] takes a step until the engine's time and 900 seconds, and is numbered by its revision", () => {
    const given = givenTask("a");
    const told = claim(given, ADA, { path: "s:0" });
    expect(types(told)).toEqual(["lease_claimed"]);
    const claimed_at = told.events[0]!.ts;
    expect(told.result["lease"]).toMatchObject({ by: ADA, fence: 2 });
    const { expires_at } = told.result["lease"] as { expires_at: string };
    expect(Date.parse(expires_at) - Date.parse(claimed_at)).toBeLessThanOrEqual(900_000);
    expect(told.result["revision"]).toBe(2);
    const whole = claim(given, BOB, { plan: "PLAN-001", ttl_s: 60 });
    expect(whole.result).toMatchObject({ step: null, lease: { by: BOB, fence: 2 } });
  });

  it.each([
    [5400, "1 h 30 min"],
    [600, "10 min"],
    [86_400, "1 day"],
    [2 * 86_400 + 1, "2 days 1 s"],
  ])("[regression LEASE-65] the sentence of a claim of %d seconds says %s, and no time of a zone", (ttl_s, length) => {
    const given = givenTask("a");
    const first = claim(given, ADA, { path: "s:0", ttl_s });
    const again = claim(given, ADA, { path: "s:0", ttl_s, fence: fence(first) });
    expect([first, again].map((told) => told.events[0]!.message)).toEqual([
      `Claimed s:0 "a" for ${length}.`,
      `Renewed the claim on s:0 "a" for ${length}.`,
    ]);
  });

  it("[LEASE-2] refuses what is covered by another's claim, or has one below it, naming the holder", () => {
    const given = givenTask("a", "b");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "a1", success_criteria: [] }] });
    claim(given, ADA, { path: "s:0.s:0" });
    const error = refused(given, BOB, { path: "s:0.s:0" });
    expect(error).toMatchObject({ code: "LEASE_HELD", details: { by: ADA, fence: 3 } });
    expect(error.message).toContain(`${ADA} has claimed it until `);
    expect(error.suggestions).toMatchObject([{ tool: "tasks_claim_next" }]);
    expect(refused(given, BOB, { path: "s:0" }).code).toBe("LEASE_HELD");
    expect(refused(given, BOB, {}).code).toBe("LEASE_HELD");
    claim(given, BOB, { path: "s:1" });
    claim(given, ADA, { path: "s:0" });
    expect(refused(given, BOB, { path: "s:0.s:0" }).code).toBe("LEASE_HELD");
  });

  it("[LEASE-2] refuses what is closed or has ended", () => {
    const given = givenTask("a", "b");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(given.refusal("tasks_claim", { path: "s:0" }).code).toBe("ALREADY_DONE");
    given.call("tasks_complete", { status: "FAILED" });
    expect(given.refusal("tasks_claim", { path: "s:1" }).code).toBe("ALREADY_DONE");
    expect(given.refusal("tasks_claim", {}).code).toBe("ALREADY_DONE");
  });

  it("[LEASE-2] renews one's own by its number and by nothing else", () => {
    const given = givenTask("a");
    const first = claim(given, ADA, { path: "s:0" });
    const error = refused(given, ADA, { path: "s:0" });
    expect(error.code).toBe("LEASE_HELD");
    expect(error.suggestions).toMatchObject([{ tool: "tasks_claim", args: { fence: fence(first) } }]);
    const renewed = claim(given, ADA, { path: "s:0", fence: fence(first), ttl_s: 7200 });
    expect(fence(renewed)).toBe(2);
    expect(refused(given, BOB, { path: "s:0", fence: 2 }).code).toBe("LEASE_LOST");
    given.later(300);
    expect(refused(given, ADA, { path: "s:0", fence: 2 }).code).toBe("LEASE_LOST");
    expect(fence(claim(given, BOB, { path: "s:0" }))).toBe(4);
  });

  it("[LEASE-1] a renewed claim keeps its number, and the event says that it was renewed", () => {
    const given = givenTask("a");
    const mine = fence(claim(given, ADA, { path: "s:0" }));
    const again = claim(given, ADA, { path: "s:0", fence: mine, ttl_s: 7200 });
    expect(again.events[0]).toMatchObject({
      fence: mine,
      message: expect.stringMatching(/^Renewed the claim on s:0 /),
    });
    expect(given.step("s:0").lease).toMatchObject({ fence: mine, expires_at: again.events[0]!["expires_at"] });
    as(given, ADA, () => given.call("tasks_close_step", { path: "s:0", checkpoints: "gate", fence: mine }));
  });

  it("[LEASE-4] says that a claim has expired, and since when", () => {
    const given = givenTask("a");
    const told = claim(given, ADA, { path: "s:0" });
    const { expires_at } = told.result["lease"] as { expires_at: string };
    const call = { path: "s:0", title: "x", fence: fence(told) };
    given.later(16);
    const error = as(given, ADA, () => given.refusal("tasks_define", call));
    expect(error.message).toContain(`found claim ${fence(told)} of ${ADA} which expired at ${toSecond(expires_at)}.`);
    expect(error.details).toMatchObject({ expired: true });
    const other = as(given, ADA, () => given.refusal("tasks_release", { path: "s:0", fence: 99 }));
    expect(other.details).toMatchObject({ expired: true });
    claim(given, BOB, { path: "s:0" });
    expect(as(given, ADA, () => given.refusal("tasks_define", call)).code).toBe("LEASE_HELD");
  });

  it("[LEASE-2] takes more below a whole of one's own", () => {
    const given = givenTask("a");
    claim(given, ADA, {});
    expect(fence(claim(given, ADA, { path: "s:0" }))).toBe(3);
    expect(refused(given, BOB, { path: "s:0" }).code).toBe("LEASE_HELD");
  });
});

describe("what somebody else has claimed", () => {
  function claimed(): Given {
    const given = givenTask("a", "b");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "a1", success_criteria: [] }] });
    given.call("tasks_task_add", { parent_step: "s:0", title: "n" });
    given.call("tasks_define", { path: "s:0", title: "A" });
    claim(given, ADA, { path: "s:0", ttl_s: 7200 });
    return given;
  }
  const code = (given: Given, tool: string, input: object, by: string = BOB): string =>
    as(given, by, () => given.refusal(tool as "tasks_note", input as never).code);

  it("[LEASE-4] is changed by nobody else, whatever the tool", () => {
    const given = claimed();
    const at = { path: "s:0.s:0" };
    const calls: [string, object][] = [
      ["tasks_define", { ...at, title: "x" }],
      ["tasks_verify", { ...at, checkpoints: "gate" }],
      ["tasks_close_step", { ...at, checkpoints: "gate" }],
      ["tasks_block", at],
      ["tasks_delete", at],
      ["tasks_delete", {}],
      ["tasks_decompose", { parent: "s:0", steps: [{ title: "x", success_criteria: [] }] }],
      ["tasks_evidence_capture", { ...at, checks: ["CMD: x"] }],
      ["tasks_task_add", { parent_step: "s:0", title: "x" }],
      ["tasks_task_define", { path: "s:0.t:0", title: "x" }],
      ["tasks_patch", { path: "s:0.t:0", ops: [{ op: "set", field: "title", value: "x" }] }],
      ["tasks_patch", { path: "s:0", ops: [{ op: "set", field: "title", value: "x" }] }],
      ["tasks_undo", { op: given.past().ops.at(-2)!.op }],
    ];
    for (const [tool, input] of calls) expect(code(given, tool, input), tool).toBe("LEASE_HELD");
    as(given, ADA, () => given.call("tasks_close_step", { ...at, checkpoints: "gate" }));
  });

  it("[LEASE-4] its evidence is superseded by no other caller, through another step or the whole", () => {
    const given = givenTask("a", "b");
    const items = [{ kind: "run", command: "npm test", exit_code: 1 }];
    const { result } = given.call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items });
    claim(given, ADA, { path: "s:0" });
    const supersedes = (result["evidence"] as { id: string }[]).map(({ id }) => id);
    for (const at of [{ path: "s:0" }, { path: "s:1" }, {}]) {
      expect(code(given, "tasks_evidence_capture", { ...at, supersedes, reason: "r" })).toBe("LEASE_HELD");
    }
    as(given, ADA, () => given.call("tasks_evidence_capture", { path: "s:0", supersedes, reason: "r" }));
  });

  it("[LEASE-4] is changed by no other caller's undo, be it of a step, a gate or a node", () => {
    for (const [tool, input] of [
      ["tasks_define", { path: "s:0", title: "x" }],
      ["tasks_block", { path: "s:0" }],
      ["tasks_task_define", { path: "s:0.t:0", title: "x" }],
    ] as const) {
      const given = givenTask("a", "b");
      given.call("tasks_task_add", { parent_step: "s:0", title: "n" });
      as(given, BOB, () => given.call(tool, input as never));
      const op = given.past().ops.at(-1)!.op;
      claim(given, ADA, { path: "s:0" });
      expect(code(given, "tasks_undo", { op }), tool).toBe("LEASE_HELD");
      claim(given, BOB, { path: "s:1" });
      expect(types(as(given, ADA, () => given.call("tasks_undo", { op }))), tool).toEqual(["undo_applied"]);
    }
  });

  it("[LEASE-4] is told before all else that keeps the step or the task from being changed", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } }, "b");
    const mine = fence(claim(given, ADA, { path: "s:0" }));
    given.by = ADA;
    given.call("tasks_block", { path: "s:0" });
    const calls: [string, object][] = [
      ["tasks_done", {}],
      ["tasks_close_step", { checkpoints: "gate" }],
      ["tasks_progress", { completed: false }],
      ["tasks_progress", { force: true }],
    ];
    for (const [tool, input] of calls) {
      expect(code(given, tool, { path: "s:0", ...input }), tool).toBe("LEASE_HELD");
      expect(code(given, tool, { path: "s:0", ...input, fence: mine + 1 }, ADA), tool).toBe("LEASE_LOST");
      expect(code(given, tool, { path: "s:0", ...input }, ADA), tool).not.toBe("LEASE_HELD");
    }
    expect(code(given, "tasks_done", { path: "s:9" })).toBe("UNKNOWN_ID");
    claim(given, ADA, {});
    expect(code(given, "tasks_complete", {})).toBe("LEASE_HELD");
    expect(code(given, "tasks_close_task", { apply: true })).toBe("LEASE_HELD");
    expect(code(given, "tasks_complete", {}, ADA)).toBe("STEPS_OPEN");
  });

  it("[LEASE-4] is told before what stands in the way of an undo or redo", () => {
    const given = givenTask("a", "b");
    as(given, ADA, () => given.call("tasks_define", { path: "s:0", title: "x" }));
    const mine = fence(claim(given, ADA, { path: "s:0" }));
    expect(code(given, "tasks_undo", {})).toBe("LEASE_HELD");
    expect(code(given, "tasks_undo", { fence: mine + 1 }, ADA)).toBe("LEASE_LOST");
    as(given, ADA, () => given.call("tasks_undo", { fence: mine }));
    expect(code(given, "tasks_redo", {})).toBe("LEASE_HELD");
    as(given, ADA, () => given.call("tasks_release", { path: "s:0" }));
    claim(given, ADA, {});
    expect(code(given, "tasks_undo", {})).toBe("LEASE_HELD");
    expect(code(given, "tasks_redo", {})).toBe("LEASE_HELD");
    as(given, ADA, () => given.call("tasks_redo", {}));
    expect(code(given, "tasks_redo", {})).toBe("LEASE_HELD");
    given.later(10_000);
    expect(code(given, "tasks_undo", {})).toBe("UNDO_CONFLICT");
    expect(code(given, "tasks_redo", {})).toBe("NOTHING_TO_REDO");
  });

  it("[LEASE-4] leaves the rest of the task, and what agents tell each other, to everybody", () => {
    const given = claimed();
    as(given, BOB, () => {
      given.call("tasks_note", { path: "s:0", note: "look at the samples" });
      given.call("tasks_think", { hypothesis: "old files have no header" });
      given.call("tasks_report", { summary: "half way" });
      given.call("change_mind", { selector: "progress", content: "b is done" });
      given.call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
      given.call("tasks_edit", { title: "t" });
      given.call("tasks_decompose", { steps: [{ title: "c", success_criteria: [] }] });
    });
    claim(given, BOB, { path: "s:2" });
    expect(code(given, "tasks_delete", {}, ADA)).toBe("LEASE_HELD");
  });

  it("[LEASE-4] as a whole covers everything in it but what agents tell each other", () => {
    const given = givenTask("a");
    claim(given, ADA, {});
    as(given, BOB, () => given.call("change_mind", { selector: "progress", content: "I wait" }));
    expect(code(given, "tasks_edit", { title: "x" })).toBe("LEASE_HELD");
    expect(code(given, "tasks_complete", { status: "ACTIVE" })).toBe("LEASE_HELD");
    expect(code(given, "tasks_close_step", { path: "s:0", checkpoints: "gate" })).toBe("LEASE_HELD");
  });

  it("[LEASE-4] is free when the claim has expired", () => {
    const given = claimed();
    given.later(121);
    as(given, BOB, () => given.call("tasks_define", { path: "s:0", title: "x" }));
    expect(fence(claim(given, BOB, { path: "s:0" }))).toBeGreaterThan(0);
    expect(code(given, "tasks_define", { path: "s:0", title: "y" }, ADA)).toBe("LEASE_HELD");
  });

  it("[LEASE-4] [TOOL-4] is not changed by who names a claim that is over", () => {
    const given = givenTask("a", "b");
    const mine = fence(claim(given, ADA, { path: "s:0" }));
    as(given, ADA, () => {
      given.call("tasks_define", { path: "s:0", title: "x", fence: mine });
      expect(given.refusal("tasks_define", { path: "s:1", title: "x", fence: mine }).code).toBe("LEASE_LOST");
      expect(given.refusal("tasks_define", { path: "s:0", title: "x", fence: 99 }).code).toBe("LEASE_LOST");
      given.later(16);
      expect(given.refusal("tasks_define", { path: "s:0", title: "x", fence: mine }).code).toBe("LEASE_LOST");
      const again = fence(given.call("tasks_claim", { path: "s:0" }));
      const error = given.refusal("tasks_note", { path: "s:0", note: "n", fence: mine });
      expect(error).toMatchObject({ code: "LEASE_LOST", suggestions: [{ tool: "tasks_claim" }] });
      given.call("tasks_note", { path: "s:0", note: "n", fence: again });
    });
    const takers = Object.values(TOOLS).filter(({ effect, name }) => effect === "write" && name !== "tasks_claim_next");
    for (const { input, name } of takers)
      expect(Object.keys((input as { properties: object }).properties), name).toContain("fence");
  });
});

describe("giving a claim back", () => {
  it("[LEASE-6] is its holder's, or anybody's by force with a reason", () => {
    const given = givenTask("a");
    const mine = fence(claim(given, ADA, { path: "s:0" }));
    const at = { path: "s:0" };
    as(given, BOB, () => {
      expect(given.refusal("tasks_release", at).code).toBe("LEASE_HELD");
      expect(given.refusal("tasks_release", { ...at, force: true }).code).toBe("INVALID_INPUT");
    });
    as(given, ADA, () => expect(given.refusal("tasks_release", { ...at, fence: mine + 1 }).code).toBe("LEASE_LOST"));
    expect(as(given, ADA, () => given.call("tasks_release", at)).result["lease"]).toBeNull();
    expect(given.refusal("tasks_release", at).code).toBe("LEASE_LOST");
    claim(given, ADA, at);
    const told = as(given, BOB, () => given.call("tasks_release", { ...at, force: true, reason: "it was stopped" }));
    expect(told.events).toMatchObject([{ type: "lease_released", reason: "it was stopped" }]);
    claim(given, ADA, at);
    given.later(16);
    as(given, BOB, () => given.call("tasks_release", at));
  });

  it("[LEASE-6] comes of itself when a redo closes what was claimed meanwhile", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_undo", {});
    claim(given, given.by, { path: "s:0" });
    given.call("tasks_redo", {});
    expect(given.step("s:0")).toMatchObject({ done: true, lease: null });
  });

  it("[LEASE-6] comes of itself when what was claimed is closed or has ended", () => {
    const given = givenTask("a", "b");
    claim(given, ADA, { path: "s:0" });
    as(given, ADA, () => given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" }));
    expect(given.step("s:0").lease).toBeNull();
    as(given, BOB, () => given.call("tasks_progress", { path: "s:0", completed: false }));
    for (const status of ["FAILED", "DONE"] as const) {
      claim(given, ADA, { plan: "PLAN-001" });
      as(given, ADA, () => given.call("tasks_complete", { plan: "PLAN-001", status }));
      expect(given.entity("PLAN-001").lease).toBeNull();
      given.call("tasks_complete", { plan: "PLAN-001", status: "ACTIVE" });
    }
  });
});

describe("the next ready step", () => {
  const next = (given: Given): string | undefined =>
    (given.call("tasks_claim_next", {}).result["step"] as { path: string }).path;

  it("[LEASE-7] [LEASE-8] is the first that nothing stands in the way of", () => {
    const given = givenTask("a", "b", "c", "d");
    given.call("tasks_decompose", {
      parent: "s:0",
      steps: ["a1", "a2"].map((title) => ({ title, success_criteria: [] })),
    });
    given.call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
    given.call("tasks_block", { path: "s:2" });
    expect(next(given)).toBe("s:0.s:0");
    expect(next(given)).toBe("s:0.s:1");
    expect(next(given)).toBe("s:3");
    const error = given.refusal("tasks_claim_next", {});
    expect(error.code).toBe("NOTHING_READY");
    expect(error.message).toContain("found TASK-001 with 5 open, 1 of them blocked, 3 claimed");
    given.later(16);
    expect(next(given)).toBe("s:0.s:0");
  });

  it("[LEASE-7] [LEASE-32] [STEP-6] is none that is blocked in words, which a claim of that step takes, and which closes", () => {
    const given = givenTask("a", "b");
    given.call("tasks_define", { path: "s:0", blockers: ["the key"] });
    expect(next(given)).toBe("s:1");
    const error = given.refusal("tasks_claim_next", {});
    expect(error).toMatchObject({ code: "NOTHING_READY", details: { open: 2, blocked: 1, claimed: 1 } });
    expect(error.message).toContain("found TASK-001 with 2 open, 1 of them blocked, 1 claimed");
    const nextOf = (): string[] => (given.call("tasks_radar", {}).result["radar"] as { next: string[] }).next;
    expect(nextOf()).toEqual(["Clear the blockers of s:0 a: the key"]);
    const [clear] = given.call("tasks_radar", {}).suggestions!;
    expect(clear).toMatchObject({ tool: "tasks_define", args: { step_id: given.step("s:0").id, blockers: [] } });
    claim(given, ADA, { path: "s:0" });
    given.by = ADA;
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(given.step("s:0").done).toBe(true);
  });

  it("[LEASE-7] waits for what its task depends on, and for the steps it depends on itself", () => {
    const given = givenTask("a", "b");
    given.step("s:0").depends_on = [given.step("s:1").id];
    given.call("tasks_create", { kind: "task", title: "before" });
    given.call("tasks_edit", { depends_on: ["TASK-002"] });
    expect(given.refusal("tasks_claim_next", {}).message).toContain("found TASK-001 waiting for TASK-002");
    given.call("tasks_complete", { task: "TASK-002" });
    expect(next(given)).toBe("s:1");
    expect(given.refusal("tasks_claim_next", {}).code).toBe("NOTHING_READY");
    given.call("tasks_complete", { status: "CANCELED" });
    expect(given.refusal("tasks_claim_next", {}).message).toContain("found TASK-001 CANCELED");
  });

  it("[VIEW-7] waiting shows in radar and in the list", () => {
    const given = givenTask("a");
    given.call("tasks_create", { kind: "task", title: "before" });
    given.call("tasks_edit", { depends_on: ["TASK-002", "PLAN-001"] });
    const blockers = (): unknown => (given.call("tasks_radar", {}).result["radar"] as { blockers: unknown }).blockers;
    expect(blockers()).toEqual(["Waits for TASK-002 (TODO: before)", "Waits for PLAN-001 (TODO: Version 2)"]);
    given.call("tasks_complete", { task: "TASK-002" });
    const row = (given.call("tasks_context", {}).result["tasks"] as object[])[0];
    expect(row).toMatchObject({ depends_on: ["TASK-002", "PLAN-001"], waits_for: ["PLAN-001"] });
    given.call("tasks_complete", { plan: "PLAN-001" });
    expect(blockers()).toEqual([]);
  });
});

describe("claims after a merge, and in views", () => {
  const claimed = (fenceNumber: number, until = "2026-01-01T10:00:00.000Z") => ({
    type: "lease.claimed",
    payload: { step_id: stepId(0), ttl_s: 900, expires_at: until, fence: fenceNumber, message: "x" },
  });
  const released = { type: "lease.released", payload: { step_id: stepId(0), message: "x" } };

  it("[LEASE-9] the later in order holds and the conflict shows, until somebody who saw both writes", () => {
    const story = new Story().do(addSteps(0, ["a"]));
    story.apart([claimed(3)], [claimed(3, "2026-01-01T11:00:00.000Z")]);
    const step = story.entity.steps.get(stepId(0))!;
    expect(step.lease).toMatchObject({ by: "agent:bob", expires_at: "2026-01-01T11:00:00.000Z" });
    expect(liveConflicts(story.entity).map((c) => [c.field, c.values.length])).toEqual([
      [`step.${stepId(0)}.lease`, 2],
    ]);
    expect(radarOf(story.subject).blockers[0]).toContain("Conflict on s:0 lease: ");
    story.do(released);
    expect(liveConflicts(story.entity)).toEqual([]);
  });

  it("[LEASE-9] is nobody's concern on a step that is closed or deleted", () => {
    for (const end of [[verify(0), close(0)], [remove(0)]]) {
      const story = new Story().do(addSteps(0, ["a"]));
      story.apart([claimed(3)], end);
      expect(liveConflicts(story.entity)).toEqual([]);
      expect(story.entity.steps.get(stepId(0))!.lease?.by ?? null).toBe(end.length === 2 ? null : "human:ann");
    }
  });

  it("[VIEW-4] radar says of a step that another holds what its reader may do, and no change that is refused", () => {
    const given = givenTask("a", "b");
    claim(given, ADA, { path: "s:0" });
    const { expires_at: now } = given.step("s:0").lease!;
    const next = (by: string, at: string): string[] => radarOf(given.subject("TASK-001"), { by, now: at }).next;
    const ends = `Claim s:0 a when the claim of ${ADA} ends: ${toSecond(now)}`;
    const due = ["Confirm criteria, tests for s:0 a"];
    expect(next(BOB, given.clock)).toEqual(["Take up s:1 b", ends]);
    expect(next(ADA, given.clock)).toEqual(due);
    expect(next(BOB, now)).toEqual(due);
    claim(given, ADA, { path: "s:1" });
    expect(next(BOB, given.clock)).toEqual([ends]);
  });

  it("[VIEW-4] radar says so to a reader without a name, and of a whole that another holds", () => {
    const given = givenTask("a", "b");
    given.call("tasks_block", { path: "s:0", reason: "no licence" });
    claim(given, ADA, { path: "s:0" });
    const next = (by?: string): string[] => radarOf(given.subject("TASK-001"), { by, now: given.clock }).next;
    const until = toSecond(given.step("s:0").lease!.expires_at);
    expect(next()).toEqual(["Take up s:1 b", `Claim s:0 a when the claim of ${ADA} ends: ${until}`]);
    expect(next(ADA)).toEqual(["Unblock s:0 a"]);
    const empty = givenTask();
    expect(radarOf(empty.subject("TASK-001"), { by: BOB, now: empty.clock }).next).toEqual(["Add steps to this task"]);
    claim(empty, ADA, {});
    const ends = toSecond(empty.entity("TASK-001").lease!.expires_at);
    const held = [`Claim the task when the claim of ${ADA} ends: ${ends}`];
    expect(radarOf(empty.subject("TASK-001"), { by: BOB, now: empty.clock }).next).toEqual(held);
  });

  it("[LEASE-36] [VIEW-4] stand in radar for others, in handoff, mirror and README", () => {
    const given = givenTask("a", "b");
    claim(given, ADA, { path: "s:0" });
    claim(given, BOB, { path: "s:1" });
    const until = toSecond(given.step("s:0").lease!.expires_at);
    const subject = given.subject("TASK-001");
    expect(radarOf(subject, { by: BOB }).blockers).toEqual([`s:0 a is claimed by ${ADA} until ${until}`]);
    expect(handoffOf(subject).remaining[0]).toBe(
      `s:0 a: confirm criteria, tests, close (claimed by ${ADA} until ${until})`,
    );
    expect(given.call("tasks_mirror", {}).result["steps"]).toMatchObject([
      { lease: { by: ADA } },
      { lease: { by: BOB } },
    ]);
    // A file that people review gives times to the second.
    const second = until.replace(".000Z", "Z");
    expect(readme(subject)).toContain(`(\`STEP-00000001\`) \`claimed\` by ${ADA} until ${second}\n`);
    claim(given, ADA, { plan: "PLAN-001" });
    expect(readme(given.subject("PLAN-001"))).toContain(`- who: ${ADA} until `);
    expect(radarOf(given.subject("PLAN-001"), { by: BOB }).blockers[0]).toContain(`The plan is claimed by ${ADA}`);
  });

  const ANSWERS = [
    "tasks_radar",
    "tasks_handoff",
    "tasks_mirror",
    "tasks_context_pack",
    "tasks_resume",
    "tasks_resume_pack",
    "tasks_resume_super",
    "tasks_snapshot",
  ] as const satisfies readonly ToolName[];

  it("[LEASE-36] no answer names the holder of a claim that is over, nor offers less because of it; files do", () => {
    const given = givenTask("a", "b");
    claim(given, ADA, { path: "s:0", ttl_s: 3600 });
    const told = (): string[] =>
      ANSWERS.filter((tool) => {
        const { result } = as(given, BOB, () => given.call(tool, { task: "TASK-001" }));
        return /claimed by agent:ada until|"lease":\{/.test(JSON.stringify(result));
      });
    expect(told()).toEqual(ANSWERS);
    given.later(120);
    expect(told()).toEqual([]);
    const { suggestions } = as(given, BOB, () => given.call("tasks_radar", { task: "TASK-001" }));
    expect(suggestions![0]).toMatchObject({ tool: "tasks_close_step", args: { step_id: given.step("s:0").id } });
    expect(readme(given.subject("TASK-001"))).toContain(`\`claimed\` by ${ADA} until `);
  });
});
