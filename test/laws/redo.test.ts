/** Undo and redo in memory, by the rules alone. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decided } from "../support/decided.ts";
import type { Given } from "../support/given.ts";
import { givenTask } from "../support/given.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

/** Changes of every undoable kind, by number; some are refused, which is fine. */
const CHANGES: ((given: Given, n: number) => void)[] = [
  (g, n) => g.call("tasks_edit", { task: "TASK-001", title: `title ${n}` }),
  (g, n) => g.call("tasks_edit", { task: "TASK-001", tags: [`t${n}`], context: `c${n}` }),
  (g, n) => g.call("tasks_define", { path: "s:0", success_criteria: [`criterion ${n}`] }),
  (g, n) => g.call("tasks_define", { path: "s:1", title: `step ${n}`, blockers: [`b${n}`] }),
  (g) => g.call("tasks_verify", { path: "s:0", checkpoints: "gate" }),
  (g) => g.call("tasks_close_step", { path: "s:0", checkpoints: "gate" }),
  (g) => g.call("tasks_progress", { path: "s:0", completed: false, reason: "again" }),
  (g, n) => g.call("tasks_block", { path: "s:1", reason: `r${n}` }),
  (g) => g.call("tasks_block", { path: "s:1", blocked: false }),
  (g, n) => g.call("tasks_decompose", { steps: [{ title: `s${n}`, success_criteria: ["c"] }] }),
  (g, n) => g.call("tasks_note", { path: "s:0", note: `note ${n}` }),
  (g) => g.call("tasks_complete", { task: "TASK-001", status: "ACTIVE" }),
];

function attempt(change: () => void): void {
  try {
    change();
  } catch (e) {
    if (!(e instanceof Error) || e.name !== "TaskfoldError") throw e;
  }
}

describe("laws of undo", () => {
  it("[UNDO-1] undo then redo is identity, and undoing everything is the state before it", SWEEP, () => {
    fc.assert(
      fc.property(fc.array(fc.nat(CHANGES.length - 1), { minLength: 1, maxLength: 12 }), (numbers) => {
        const given = givenTask("a", "b");
        const states = [decided(given.entity())];
        const steps = given.entity().steps.size;
        let revision = given.entity().revision;
        for (const [n, number] of numbers.entries()) {
          attempt(() => CHANGES[number]!(given, n));
          if (given.entity().revision === revision) continue;
          revision = given.entity().revision;
          states.push(decided(given.entity()));
        }
        for (let i = states.length - 1; i > 0; i--) {
          given.call("tasks_undo", {});
          expect(live(decided(given.entity()), steps)).toEqual(live(states[i - 1], steps));
          given.call("tasks_redo", {});
          expect(live(decided(given.entity()), steps)).toEqual(live(states[i], steps));
          given.call("tasks_undo", {});
        }
        for (let i = 1; i < states.length; i++) given.call("tasks_redo", {});
        expect(decided(given.entity())).toEqual(states.at(-1));
      }),
      runsOf(60),
    );
  });
});

/** Steps whose adding was undone stay as deleted ones; what is compared is what is there to see. */
function live(state: unknown, first: number): unknown {
  const { steps, ...rest } = state as { steps: { deleted: boolean }[] };
  return { ...rest, steps: steps.filter((s, i) => i < first || !s.deleted) };
}
