/** Commands that a task asks for in plain text: declared tests of its live steps, and those of the manifest. */
import type { Entity, Step } from "./entity.ts";
import { isLive } from "./live.ts";

/** Those of `step` come first. */
export function askedCommands({ packet, steps }: Pick<Entity, "packet" | "steps">, step?: Step | null): string[] {
  const tests = [...steps.values()].filter(isLive).flatMap((one) => one.tests);
  return [...(step?.tests ?? []), ...(packet?.manifest.acceptance.commands ?? []), ...tests];
}
