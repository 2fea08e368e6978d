import { describe, expect, it } from "vitest";
import { nextAction } from "../../src/state/packet_next.ts";
import { FAILURE_CLASSES, type Failure, type Packet } from "../../src/state/packet.ts";
import {
  failedPacket,
  SAFE_IMPL,
  someAttempt,
  someFailure,
  someManifest,
  somePacket,
  someStage,
} from "../support/some_packet.ts";

const TS = "2026-02-18T12:00:00.000Z";
const done = (...stages: string[]): Packet["done"] => Object.fromEntries(stages.map((stage) => [stage, TS]));

const budgets = (retry_budget: number, paid_call_budget = 10): Packet["manifest"] =>
  someManifest({ budgets: { retry_budget, paid_call_budget, max_wallclock_sec: 600 } });

/** Next after `count` failures of one kind. */
function after(count: number, retry_budget: number, change: Partial<Failure> = {}): ReturnType<typeof nextAction> {
  return nextAction(failedPacket(someFailure("codex_impl", change), count, { manifest: budgets(retry_budget) }));
}

describe("next action", () => {
  it("[PACKET-69] is the first stage of the plan that is not done", () => {
    expect(nextAction(somePacket())).toEqual({
      stage: "gemini_brief",
      action: "run gemini_brief",
      allowed: true,
      because: null,
    });
    expect(nextAction(somePacket({ done: done("gemini_brief", "codex_verify") })).action).toBe("run codex_impl");
  });

  it("[PACKET-69] is nothing to run when all is done or archived", () => {
    const packet = somePacket({ done: done(...SAFE_IMPL) });
    expect(nextAction(packet)).toEqual({ stage: null, action: "archive", allowed: false, because: "done" });
    expect(nextAction({ ...packet, archived: true })).toMatchObject({
      stage: null,
      action: "restore",
      because: "done",
    });
  });

  it("[PACKET-69] resumes what has no end, and what was interrupted", () => {
    const expected = {
      stage: "codex_impl",
      action: "resume interrupted codex_impl",
      allowed: true,
      because: "interrupted",
    };
    const first = done("gemini_brief");
    const open = somePacket({ done: first, attempts: [{ ...someAttempt("codex_impl", 1, null), dispatched: true }] });
    expect(nextAction(open, () => undefined)).toEqual(expected);
    const ended = someAttempt("codex_impl", 1, { how: "interrupted", exit_code: null });
    expect(nextAction(somePacket({ done: first, attempts: [ended] }))).toEqual(expected);
    const again = [ended, someAttempt("codex_impl", 2, { how: "failed", exit_code: 1 })];
    expect(nextAction(somePacket({ done: first, attempts: again })).because).toBeNull();
    expect(nextAction(somePacket({ done: first, attempts: [ended], paid_calls_used: 10 }))).toMatchObject({
      allowed: false,
      because: "paid_call_budget",
    });
  });

  it("[PACKET-260] [PACKET-143] waits for what runs, and for what its caller runs", () => {
    const attempt = someAttempt("codex_impl", 1, null);
    const dispatched = somePacket({ attempts: [{ ...attempt, dispatched: true }], paid_calls_used: 9 });
    const waits = { stage: "codex_impl", allowed: false, because: null };
    expect(nextAction(dispatched, () => ({ pid: 7 }))).toEqual({
      ...waits,
      action: "wait for codex_impl, which process 7 runs",
    });
    const either = "wait for codex_impl; if its dispatcher is gone, ";
    expect(nextAction(dispatched)).toEqual({
      ...waits,
      action: `${either}resume interrupted codex_impl`,
    });
    expect(nextAction({ ...dispatched, paid_calls_used: 10 })).toEqual({
      ...waits,
      action: `${either}raise paid_call_budget or stop`,
    });
    const byHand = somePacket({ attempts: [attempt], paid_calls_used: 10 });
    for (const look of [undefined, () => undefined, () => ({ pid: 7 })])
      expect(nextAction(byHand, look)).toEqual({
        ...waits,
        action: "wait for codex_impl, which agent:ada started, or interrupt it",
      });
  });

  it.each([
    [0, 1, false],
    [1, 1, true],
    [1, 2, false],
    [2, 2, true],
    [2, 3, false],
  ])("[PACKET-67] retry_budget %i after %i failures of one signature: %s", (budget, count, allowed) => {
    expect(after(count, budget)).toMatchObject({ allowed, because: allowed ? null : "retry_budget" });
  });

  it("[PACKET-67] a prompt that is too large is tried once more, within the budget", () => {
    const kind = { class: "prompt_too_large" } as const;
    expect(after(1, 5, kind)).toMatchObject({
      allowed: true,
      action: "retry codex_impl with the aggressive digest (1 of 1)",
    });
    expect(after(2, 5, kind)).toMatchObject({
      allowed: false,
      because: "retry_budget",
      action: "split the task, or stop",
    });
    expect(after(1, 0, kind).allowed).toBe(false);
  });

  it("[PACKET-67] a reset of the budget begins to count anew", () => {
    const packet = failedPacket(someFailure("codex_impl"), 3);
    expect(nextAction(packet).allowed).toBe(false);
    expect(nextAction({ ...packet, signatures: {} })).toMatchObject({ action: "retry codex_impl", allowed: true });
  });

  it("[PACKET-69] a failed gate says so, while the budgets allow another try", () => {
    const gate = { gate: "failed", class: "contract_violation", exit_code: 0 } as const;
    expect(after(1, 2, gate)).toEqual({
      stage: "codex_impl",
      action: "read the reasons of the gate, then retry codex_impl (1 of 2)",
      allowed: true,
      because: "gate",
    });
    expect(after(3, 2, gate)).toMatchObject({ allowed: false, because: "retry_budget" });
  });

  it("[PACKET-69] the paid budget stops paid stages only", () => {
    expect(nextAction(somePacket({ paid_calls_used: 9 })).allowed).toBe(true);
    expect(nextAction(somePacket({ paid_calls_used: 10 }))).toEqual({
      stage: "gemini_brief",
      action: "raise paid_call_budget or stop",
      allowed: false,
      because: "paid_call_budget",
    });
    const packet = somePacket({ paid_calls_used: 10 });
    const free = { ...packet.plan, stages: [someStage("gemini_brief", { paid: false })] };
    expect(nextAction({ ...packet, plan: free }).allowed).toBe(true);
    const failed = failedPacket(someFailure("codex_impl"), 1, { manifest: budgets(2, 1) });
    expect(nextAction(failed).because).toBe("paid_call_budget");
  });

  it("[PACKET-85] a failure of another stage, or of one that is done since, holds nothing up", () => {
    const packet = failedPacket(someFailure("codex_impl"), 9);
    expect(nextAction({ ...packet, done: done("gemini_brief", "codex_impl") }).action).toBe("run codex_verify");
    expect(nextAction({ ...packet, done: {} }).action).toBe("run gemini_brief");
  });

  it.each(FAILURE_CLASSES)("[PACKET-69] %s has an action before and after the budget is used up", (kind) => {
    expect(after(1, 2, { class: kind }).action).toMatch(/retry codex_impl/);
    expect(after(9, 2, { class: kind }).action).toMatch(/, or stop$/);
    expect(after(1, 2, { class: "auth" }).action).toBe("re-authenticate codex, then retry codex_impl (1 of 2)");
  });
});
