import type { Step } from "./entity.ts";

/**
 * Whether an actor said that work on the step cannot go on. It said so by a block, or by blockers in words (LEASE-7). A
 * block also keeps the step from closing, and words do not (STEP-6).
 */
export function isBlocked({ blocked, blockers }: Pick<Step, "blocked" | "blockers">): boolean {
  return blocked || blockers.length > 0;
}
