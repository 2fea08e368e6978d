/** Checkpoints that another actor than the one who did the work confirms (PROOF-55). */
import type { Checkpoint, Step } from "./entity.ts";
import { CHECKPOINTS } from "./entity.ts";

export type Confirm = Step["confirm"];

/**
 * Confirmed checkpoints that want other eyes and did not get them. A claimant confirmed them, or the actor who closes a step without a
 * claimant. `closer`: undefined for an actor who only confirms.
 */
export function ownEyes(step: Step, closer?: string): Checkpoint[] {
  const { confirm, claimants = [], confirmed_by = {}, confirmed } = step;
  return CHECKPOINTS.filter((c) => {
    const by = confirmed_by[c]?.at(-1)?.by;
    if (!confirm[c] || !confirmed[c] || by === undefined) return false;
    return claimants.includes(by) || (claimants.length === 0 && by === closer);
  });
}

/** `criteria=other,tests=other`, or names alone; undefined for a text that says neither. */
export function parseConfirm(text: string): Confirm | undefined {
  const confirm: { [C in Checkpoint]?: "other" } = {};
  for (const part of text.split(",")) {
    const [name = "", who = "other", ...rest] = part.split("=").map((word) => word.trim());
    const checkpoint = CHECKPOINTS.find((c) => c === name);
    if (checkpoint === undefined || who !== "other" || rest.length > 0) return undefined;
    confirm[checkpoint] = "other";
  }
  return confirm;
}
