import { TaskfoldError } from "../errors.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { Step, Subject } from "../state/entity.ts";
import type { CheckpointsInput, Confirmations } from "./checkpoints_input.ts";
import { allOf, GATE } from "./checkpoints_input.ts";
import { verifyCall } from "./suggest.ts";

/**
 * Returns the confirmations that a caller gave, by checkpoint (STEP-9). INVALID_INPUT when the object form names none.
 */
export function readCheckpoints(subject: Subject, step: Step, input: CheckpointsInput): Confirmations {
  if (input === "gate") return allOf(GATE);
  if (input === "all") return allOf(CHECKPOINTS);
  const confirmations: Confirmations = {};
  for (const c of CHECKPOINTS) {
    const value = input[c];
    if (value !== undefined) confirmations[c] = typeof value === "boolean" ? value : value.confirmed;
  }
  if (Object.keys(confirmations).length === 0) {
    throw new TaskfoldError("INVALID_INPUT", "Expected checkpoints to name at least one, found none.", {
      recovery: `Give "gate", "all", or an object such as {"criteria": true}; there are ${CHECKPOINTS.join(", ")}.`,
      suggestions: [verifyCall(subject, step, GATE)],
    });
  }
  return confirmations;
}
