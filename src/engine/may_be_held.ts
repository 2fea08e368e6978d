/** Whether claims can keep a caller from an offered call: told without the tools, which a reader would load for it. */
import type { Suggestion } from "../errors.ts";
import type { Entity } from "../state/entity.ts";
import type { Step } from "../state/step.ts";
import { covering } from "../state/lease.ts";
import type { Readable } from "./read.ts";

/** The tool that chooses among the tasks of a plan: one claim there keeps nobody from the others. */
export const CHOOSES = "tasks_claim_next";

/** False where the call is free whoever asks. Only entities that are in memory are looked at. */
export function mayBeHeld(from: Readable, { tool, args }: Suggestion): boolean {
  if (tool === CHOOSES) return true;
  const id = targetOf(args);
  const entity = typeof id === "string" ? from.store.find(id)?.entity : undefined;
  return entity ? covering(entity, stepOf(entity, args)).length > 0 : false;
}

/** The id that a call names, if it names any. */
export function targetOf({ task, plan, target }: Record<string, unknown>): unknown {
  return task ?? plan ?? target;
}

/** The step that a call names, if it names any. */
export function stepOf(entity: Entity, { step_id }: Record<string, unknown>): Step | null {
  return typeof step_id === "string" ? (entity.steps.get(step_id) ?? null) : null;
}
