/**
 * What still concerns somebody: conflicts, gates and moved paths of steps that were deleted do not. Nobody can
 * write to a deleted step, so a conflict on one could never be settled.
 */
import type { Conflict, Entity, Gate } from "./entity.ts";
import type { Step } from "./step.ts";
import { peoplesFileOf } from "./people.ts";
import { pathOf } from "./tree.ts";

/** False when the step or one above it was deleted. */
export function isLive(step: Step): boolean {
  for (let s: Step | null = step; s; s = s.parent) if (s.deleted) return false;
  return true;
}

/** Open conflicts on the entity and its live steps, in the order they came up. */
export function liveConflicts(entity: Entity): Conflict[] {
  if (entity.conflicts.size === 0) return [];
  return [...entity.conflicts.values()].filter((c) => concernsLive(entity, c.field));
}

/** All gates but those of deleted steps, in the order they came up. */
export function liveGates(entity: Entity): Gate[] {
  if (entity.gates.size === 0) return [];
  return [...entity.gates.values()].filter((gate) => {
    const step = gate.own ? entity.steps.get(gate.id.slice("gate-".length)) : undefined;
    return step === undefined || isLive(step);
  });
}

/** Step lists whose paths a merge moved, with the live steps concerned. */
export function liveMoved(entity: Entity): Step[][] {
  if (entity.moved.size === 0) return [];
  return [...entity.moved.values()]
    .map((ids) => ids.map((id) => entity.steps.get(id)).filter((step) => step !== undefined && isLive(step)) as Step[])
    .filter((steps) => steps.length > 0);
}

/** `s:0 title` for the field `step.STEP-0A1B2C3D.title`, and the entity's own fields as they are. */
export function fieldLabel(entity: Entity, field: string): string {
  const file = peoplesFileOf(field);
  if (file) return file;
  const { step, name } = partsOf(entity, field);
  return step ? `${pathOf(step)} ${name}` : name;
}

function concernsLive(entity: Entity, field: string): boolean {
  const { step } = partsOf(entity, field);
  return step === undefined || isLive(step);
}

/** Step ids have no dot in them, so the second part is the id whoever made it. */
function partsOf(entity: Entity, field: string): { step: Step | undefined; name: string } {
  if (!field.startsWith("step.")) return { step: undefined, name: field };
  const end = field.indexOf(".", 5);
  return { step: entity.steps.get(field.slice(5, end)), name: field.slice(end + 1) };
}
