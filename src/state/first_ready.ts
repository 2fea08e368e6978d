/** The first step that can be taken up in a task that can be worked on (LEASE-7). */
import { isBlocked } from "./blocked_step.ts";
import type { Entity, Step } from "./entity.ts";
import { covering, heldBelow } from "./lease.ts";
import { isDue } from "./step_waits.ts";
import { postOrder } from "./tree.ts";

/** Views know no clock: at the first every claim counts, at the second none does. */
export const BEFORE_ALL_TIMES = "";
export const AFTER_ALL_TIMES = "~";

/** `passed`: ids of steps that do not count. */
export function firstReady(entity: Entity, now: string, passed?: ReadonlySet<string>): Step | undefined {
  for (const step of postOrder(entity.children))
    if (passed?.has(step.id) !== true && isFree(entity, step, now)) return step;
  return undefined;
}

/** Whether it can be taken up, as far as its own task goes. */
export function isFree(entity: Entity, step: Step, now: string): boolean {
  if (step.done || isBlocked(step) || !isDue(entity, step)) return false;
  return covering(entity, step, now).length + heldBelow(entity, step, now).length === 0;
}
