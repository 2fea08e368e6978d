import { isBlocked } from "../state/blocked_step.ts";
import type { Find } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import { hasEnded } from "../state/ended.ts";
import type { Step, Subject } from "../state/entity.ts";
import { covering, heldBelow } from "../state/lease.ts";
import { isDue } from "../state/step_waits.ts";
import { postOrder } from "../state/tree.ts";

/** Counts over live steps. A type alias, for JSON. */
export type StepsLeft = {
  total: number;
  open: number;
  /** Those that the caller can take up or has claimed: ready (LEASE-7) but for the caller's own claims. */
  ready: number;
};

/** The work that is left in a task, for a caller who has just closed a step (STEP-11). */
export function stepsLeft({ entity }: Subject, asker: { by: string; now: string; find: Find }): StepsLeft {
  const count = { total: 0, open: 0, ready: 0 };
  const isHeld = hasEnded(entity) || openDependencies(entity, asker.find).length > 0;
  const isFree = (step: Step): boolean =>
    !isBlocked(step) &&
    isDue(entity, step) &&
    ![...covering(entity, step, asker.now), ...heldBelow(entity, step, asker.now)].some(
      ({ lease }) => lease.by !== asker.by,
    );
  for (const step of postOrder(entity.children)) {
    count.total++;
    if (step.done) continue;
    count.open++;
    if (!isHeld && isFree(step)) count.ready++;
  }
  return count;
}
