import type { Step } from "./entity.ts";

/**
 * Whether an actor said that work on the step cannot go on. It said so by a block, or by blockers in words (LEASE-7). A
 * block also keeps the step from closing, and words do not (STEP-6).
 */
export function isBlocked({ blocked, blockers }: Pick<Step, "blocked" | "blockers">): boolean {
  return blocked || blockers.length > 0;
}

/** The input of the batch that ends a block and blockers in words. It is atomic: half of it would leave the step blocked. */
export function unblockAll(place: { task: string; step_id: string }) {
  const ops = [{ op: "unset", field: "blockers" }];
  return {
    atomic: true,
    operations: [
      { tool: "tasks_block", args: { ...place, blocked: false } },
      { tool: "tasks_patch", args: { ...place, kind: "step", ops } },
    ],
  };
}
