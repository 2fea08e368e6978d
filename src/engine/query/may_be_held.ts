/** Whether claims may keep a caller from an offered call: told without the tools, which a reader would load for it. */
import type { Suggestion } from "../../errors.ts";
import { isReady } from "../../rules/ready.ts";
import type { Entity, Ref, Step, Subject } from "../../state/entity.ts";
import { BEFORE_ALL_TIMES, firstReady } from "../../state/first_ready.ts";
import { covering } from "../../state/lease.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { isoTime } from "../core/context.ts";

/** The tool that chooses among the tasks of a plan: one claim there keeps no caller from the others. */
export const CHOOSES = "tasks_claim_next";

/** False where the call is free for every caller. Only entities that are in memory are looked at. */
export function mayBeHeld(from: ReadModel, workspace: string, { tool, args }: Suggestion): boolean {
  const id = targetOf(args);
  const loaded = typeof id === "string" ? from.store.find(id) : undefined;
  const entity = loaded?.entity;
  if (!loaded || !entity) return false;
  if (tool === CHOOSES) return !isAnyReady(from, workspace, loaded);
  return covering(entity, stepOf(entity, args), BEFORE_ALL_TIMES).length > 0;
}

/** The id that a call names, if it names any. */
export function targetOf({ task, plan, target }: Record<string, unknown>): unknown {
  return task ?? plan ?? target;
}

/** The step that a call names, if it names any. */
export function stepOf(entity: Entity, { step_id }: Record<string, unknown>): Step | null {
  return typeof step_id === "string" ? (entity.steps.get(step_id) ?? null) : null;
}

/** Whether a step of the task, or of a task of the plan, can be claimed now. */
function isAnyReady(from: ReadModel, workspace: string, loaded: LoadedEntity): boolean {
  const now = isoTime(from.context.now());
  const find = (ref: Ref): Subject | undefined => from.entities.subjectOf(ref, workspace);
  const can = (task: Subject | undefined): boolean =>
    task !== undefined && isReady(task, find) && firstReady(task.entity, now) !== undefined;
  const scope = loaded.subject(workspace);
  if (scope.entity.kind === "task") return can(scope);
  for (const id of from.listing.open(workspace).ready(now, scope.entity.root))
    if (can(from.listing.subjectOf({ id }, workspace))) return true;
  return false;
}
