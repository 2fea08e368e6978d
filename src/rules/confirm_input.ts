/** The checkpoints that another actor confirms, as a call names them (PROOF-55). */
import { TaskfoldError } from "../errors.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { Confirm } from "../state/four_eyes.ts";

/** INVALID_INPUT for a name that is no checkpoint. */
export function confirmOf(names: readonly string[], field: string): Confirm {
  const stray = names.find((name) => !CHECKPOINTS.some((c) => c === name));
  if (stray === undefined) return Object.fromEntries(names.map((name) => [name, "other"]));
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected ${field} to name checkpoints, found ${JSON.stringify(stray.slice(0, 80))}.`,
    { recovery: `Give some of ${CHECKPOINTS.join(", ")}; an empty list asks for no other actor.` },
  );
}
