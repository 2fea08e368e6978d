import { CHECKPOINTS } from "../../../state/entity.ts";
import { expected } from "./values.ts";

/** The words of `--confirm` beside lists. */
export const CONFIRMATIONS: readonly string[] = ["gate", "all", ...CHECKPOINTS];

/** Names of checkpoints with commas between them. */
export function checkpointNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => (CHECKPOINTS as readonly string[]).includes(name))) return names;
  throw expected(`${CHECKPOINTS.join(", ")} with commas between them`);
}
