/**
 * A closed step whose gate no longer holds is open again, and so is everything above it (STEP rules). The rules
 * say so with events of their own; this holds the same after a merge, where one branch closed what the other changed.
 */
import { lacksInLog, lacksMore } from "../state/checkpoint.ts";
import type { Entity } from "../state/entity.ts";
import type { Step } from "../state/step.ts";
import { preOrder } from "../state/tree.ts";
import type { Writer } from "./writer.ts";

/** Opens a closed step again, its closed ancestors, and a DONE entity. */
export function reopenStep(entity: Entity, step: Step, reason: string, w: Writer): void {
  if (step.done) {
    w.write(step, "done", false);
    w.quiet(step, "done_at", null);
    w.quiet(step, "done_by", null);
    w.quiet(step, "forced", null);
    w.quiet(step, "reopened", reason);
  }
  reopenAbove(entity, step.parent, `a step below it is open again: ${reason}`, w);
}

/** There is open work under `parent` (null: at the top): whatever above it was closed is open again. */
export function reopenAbove(entity: Entity, parent: Step | null, reason: string, w: Writer): void {
  for (let s = parent; s; s = s.parent) {
    if (!s.done) continue;
    w.write(s, "done", false);
    w.quiet(s, "done_at", null);
    w.quiet(s, "done_by", null);
    w.quiet(s, "forced", null);
    w.quiet(s, "reopened", reason);
  }
  if (entity.status === "DONE") {
    w.write(entity, "status", "ACTIVE");
    w.quiet(entity, "status_reason", reason);
  }
}

/** After a change to what the gate of `step` judges, of which it lacked `before` until then. */
export function settleGate(entity: Entity, step: Step, before: readonly string[], reason: string, w: Writer): void {
  if (step.done && lacksMore(lacksInLog(step), before)) reopenStep(entity, step, reason, w);
}

export function hasOpenSteps(entity: Entity): boolean {
  for (const step of preOrder(entity.children)) if (!step.done) return true;
  return false;
}
