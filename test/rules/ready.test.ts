import { isRetryable } from "../../src/errors.ts";
import { describe, expect, it } from "vitest";
import type { Find } from "../../src/state/depends.ts";
import { addUp, heldUpBy, stepCounts, stepCountsOf, whyNone } from "../../src/rules/ready.ts";
import type { Given } from "../support/given.ts";
import { givenTask } from "../support/given.ts";

const NOW = "2026-01-01T12:00:00.000Z";
const SOON = "2026-01-01T13:00:00.000Z";
const LATER = "2026-01-01T14:00:00.000Z";
const find =
  (given: Given): Find =>
  ({ root }) =>
    given.all().find(({ entity }) => entity.root === root);

describe("what keeps a task from being taken up", () => {
  it("[LEASE-7] is what it waits for, a claim, or what only a change of it ends", () => {
    const ref = { id: "TASK-009", root: "r" };
    const of = (row: object) => heldUpBy({ depends_on: [], ...row } as never, NOW, ({ id }) => id === "TASK-008");
    expect([of({ free_from: null }), of({}), of({ free_from: SOON }), of({ free_from: NOW })]).toEqual([
      {},
      null,
      { until: SOON },
      null,
    ]);
    expect(of({ depends_on: [{ id: "TASK-008", root: "q" }, ref] })).toEqual({ waits_for: ref });
    expect(of({ depends_on: [{ id: "TASK-008", root: "q" }] })).toBeNull();
    expect(of({ free_from: SOON, depends_on: [ref] })).toEqual({ until: SOON });
  });

  it("[LEASE-32] counts how steps stand, with the first claim that ends", () => {
    const claims = [
      [[SOON, LATER], 2],
      [[NOW], 3],
      [[LATER], 1],
    ];
    const row = { steps: { total: 9, completed: 2 }, step_standing: { claims, waiting: 1, blocked: 4 } } as never;
    const counts = { open: 7, claimed: 3, blocked: 4, done: 2, without_steps: 0, earliest_end: SOON };
    expect(stepCountsOf(row, false, NOW)).toEqual({ ...counts, waiting: 1 });
    expect(stepCountsOf(row, true, NOW)).toEqual({ ...counts, waiting: 7 });
    expect(stepCountsOf({ steps: { total: 1, completed: 0 } } as never, false, NOW)).toEqual({
      open: 1,
      claimed: 0,
      waiting: 0,
      blocked: 0,
      done: 0,
      without_steps: 0,
      earliest_end: null,
    });
    const none = { open: 1, claimed: 2, waiting: 3, blocked: 4, done: 5, without_steps: 1, earliest_end: null };
    expect(addUp(none, none)).toEqual({
      open: 2,
      claimed: 4,
      waiting: 6,
      blocked: 8,
      done: 10,
      without_steps: 2,
      earliest_end: null,
    });
    expect(addUp({ ...none, earliest_end: LATER }, { ...none, earliest_end: SOON }).earliest_end).toBe(SOON);
    expect(addUp({ ...none, earliest_end: LATER }, none).earliest_end).toBe(LATER);
  });

  it("[LEASE-32] is told of each of a few tasks, and how many more there are", () => {
    const given = givenTask("a", { title: "b", depends_on: ["s:0"] });
    given.call("tasks_create", { parent: "PLAN-001", title: "c", depends_on: ["TASK-001"] });
    given.call("tasks_block", { path: "s:0", reason: "no key" });
    const all = given.all();
    const why = (count: number, ...shown: number[]) =>
      whyNone(
        shown.map((i) => all[i]!),
        count,
        find(given),
        NOW,
      ).message;
    const [plan, task, waiting] = [
      "the plan PLAN-001, which has none",
      "TASK-001 with 2 open, 1 of them blocked, 0 claimed, 1 waiting for other steps",
      "TASK-002 waiting for TASK-001",
    ];
    expect([why(0), why(3, 0, 1, 2), why(5, 1), why(2, 1)]).toEqual([
      "no task that has not ended",
      `${plan}; ${task}; ${waiting}`,
      `${task}; 4 more tasks`,
      `${task}; 1 more task`,
    ]);
    given.call("tasks_claim", { path: "s:0" });
    expect(whyNone([given.subject("TASK-001")], 1, find(given), "2026-01-01T00:00:00.000Z").message).toMatch(
      /^TASK-001 with 2 open, 1 of them blocked, 1 claimed, 1 waiting for other steps; the first claim ends at 2026-/,
    );
    given.call("tasks_complete", { status: "FAILED", reason: "x" });
    expect(whyNone([given.subject("TASK-001")], 1, find(given), NOW).message).toBe("TASK-001 FAILED");
    expect(stepCounts(given.subject("TASK-001"), find(given), NOW)).toMatchObject({
      open: 0,
      done: 0,
      without_steps: 0,
      earliest_end: null,
    });
  });

  it("[LEASE-32] stands in the refusal of a claim of the next step", () => {
    const given = givenTask("a");
    given.call("tasks_block", { path: "s:0", reason: "no key" });
    const { code, details, suggestions } = given.refusal("tasks_claim_next", {});
    expect([code, suggestions.map(({ tool }) => tool)]).toEqual(["NOTHING_READY", ["tasks_radar"]]);
    expect(details).toEqual({
      open: 1,
      claimed: 0,
      waiting: 0,
      blocked: 1,
      done: 0,
      without_steps: 0,
      earliest_end: null,
      retry_after_ms: null,
    });
  });

  it("[LEASE-32] is ALL_DONE where no step is left, which no waiting changes, and says what to complete", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const finished = given.refusal("tasks_claim_next", {});
    expect(finished).toMatchObject({ code: "ALL_DONE", details: { open: 0, done: 1, without_steps: 0 } });
    expect(finished.message).toContain("found TASK-001 with all steps closed");
    expect(finished.suggestions).toMatchObject([{ tool: "tasks_complete", args: { task: "TASK-001" } }]);
    expect(isRetryable(finished.code)).toBe(false);
    given.call("tasks_complete", {});
    expect(given.refusal("tasks_claim_next", { task: "TASK-001" })).toMatchObject({
      code: "ALL_DONE",
      suggestions: [],
    });
  });

  it("[LEASE-32] is NOTHING_READY where a task has no step yet, or waits for one that is only to be completed", () => {
    const given = givenTask("a");
    given.call("tasks_create", { kind: "task", title: "later", depends_on: ["TASK-001"] });
    const args = { task: "TASK-002" };
    const empty = given.refusal("tasks_claim_next", args);
    expect(empty).toMatchObject({
      code: "NOTHING_READY",
      details: { open: 0, without_steps: 1, retry_after_ms: null },
    });
    expect(isRetryable(empty.code)).toBe(true);
    expect(empty.suggestions.map(({ tool }) => tool)).toEqual(["tasks_radar"]);
    given.call("tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    expect(given.refusal("tasks_claim_next", args).suggestions).toMatchObject([
      { tool: "tasks_complete", args: { task: "TASK-001" } },
      { tool: "tasks_radar" },
    ]);
  });
});
