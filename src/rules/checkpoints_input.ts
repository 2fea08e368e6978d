/** The forms in which a caller names checkpoints (STEP-9), and the shortest form to name them in a suggestion. */
import type { Checkpoint, Step } from "../state/entity.ts";
import { CHECKPOINTS } from "../state/entity.ts";

/** "gate" is criteria and tests, "all" is all five; the object form names each. */
export type CheckpointsInput = "gate" | "all" | { [C in Checkpoint]?: boolean | { confirmed: boolean } };

/** True: confirmed; false: taken back; absent: not mentioned. */
export type Confirmations = Partial<Record<Checkpoint, boolean>>;

/** The checkpoints that every step needs. */
export const GATE: readonly Checkpoint[] = ["criteria", "tests"];

/** The shortest form that confirms exactly these. */
export function checkpointsArg(which: readonly Checkpoint[]): CheckpointsInput {
  if (which.length === CHECKPOINTS.length) return "all";
  if (which.length === GATE.length && GATE.every((c) => which.includes(c))) return "gate";
  return allOf(which);
}

/** The step as it would be with these confirmations; the step itself is not touched. */
export function withConfirmations(step: Step, confirmations: Confirmations): Step {
  return { ...step, confirmed: { ...step.confirmed, ...confirmations } };
}

/** Each of these confirmed. */
export function allOf(which: readonly Checkpoint[]): Confirmations {
  return Object.fromEntries(which.map((c) => [c, true]));
}
