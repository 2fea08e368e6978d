/** Commands that ran for the tests of a step and are none of its declared tests (PROOF-52). */
import { failedRuns, isOtherCommand, otherCommands } from "./checkpoint.ts";
import type { Entity, Step } from "./entity.ts";
import { preOrder } from "./tree.ts";

/** Ids of such evidence. */
export function otherEvidence(entity: Entity): ReadonlySet<string> {
  const others = new Set<string>();
  for (const step of preOrder(entity.children))
    for (const link of step.linked.tests) if (isOtherCommand(step, link)) others.add(link.evidence);
  return others;
}

/** Those that prove alone, and those whose newest run failed. */
export function commandsBesideTests(step: Step): string[] {
  const failed = failedRuns(step.linked.tests).filter((run) => isOtherCommand(step, run));
  return [...new Set([...otherCommands(step), ...failed.map(({ command }) => command!)])];
}
