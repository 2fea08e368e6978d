/**
 * The live parts of an entity: conflicts, gates and moved paths of deleted steps are none. No caller can write to a
 * deleted step, so a conflict on one could never be resolved.
 */
import { hasEnded } from "./ended.ts";
import type { Conflict, Entity, Gate, Step, TaskNode } from "./entity.ts";
import { valueAt } from "./fields.ts";
import { sortedJson } from "./json.ts";
import { humanFileOf } from "./human_files.ts";
import { nodePath } from "./task_node.ts";
import { sectionPathOf, TASKDOC_PACKAGE } from "./taskdoc.ts";
import { pathOf } from "./tree.ts";

/** False when the step or one above it was deleted. */
export function isLive(step: Step): boolean {
  for (let s: Step | null = step; s; s = s.parent) if (s.deleted) return false;
  return true;
}

/** False when the node, its step or a step above that was deleted. */
export function isLiveNode(entity: Entity, node: TaskNode): boolean {
  const step = entity.steps.get(node.step);
  return !node.deleted && step !== undefined && isLive(step);
}

/** Open conflicts on the entity and its live steps, in the order they came up. */
export function liveConflicts(entity: Entity): Conflict[] {
  if (entity.conflicts.size === 0) return [];
  return [...entity.conflicts.values()].filter((c) => concernsLive(entity, c.field));
}

/**
 * The place of the value that is shown: the last. Less than 0 where two undos on different branches left a value that neither
 * caller saw (EVENT-61).
 */
export function shownIn(entity: Entity, { field, values }: Conflict): number {
  const last = values.length - 1;
  const value = valueAt(entity, field);
  return value === undefined || sortedJson(value) === sortedJson(values[last]!.value) ? last : -1;
}

/** All gates but those of deleted steps, in the order they came up. */
export function liveGates(entity: Entity): Gate[] {
  if (entity.gates.size === 0) return [];
  return [...entity.gates.values()].filter((gate) => {
    const step = gate.own ? entity.steps.get(gate.id.slice("gate-".length)) : undefined;
    return step === undefined || isLive(step);
  });
}

/** A step or a task node at a path that a merge moved. */
export interface Moved {
  id: string;
  path: string;
}

/** Lists whose paths a merge moved, with the live steps and nodes concerned. */
export function liveMoved(entity: Entity): Moved[][] {
  if (entity.moved.size === 0) return [];
  return [...entity.moved.values()]
    .map((ids) => ids.flatMap((id) => movedOf(entity, id)))
    .filter((moved) => moved.length > 0);
}

function movedOf(entity: Entity, id: string): Moved[] {
  const node = entity.nodes.get(id);
  if (node) return isLiveNode(entity, node) ? [{ id, path: nodePath(entity, node) }] : [];
  const step = entity.steps.get(id);
  return step && isLive(step) ? [{ id, path: pathOf(step) }] : [];
}

/** `s:0 title` for the field `step.STEP-0A1B2C3D.title`, and the entity's own fields as they are. */
export function fieldLabel(entity: Entity, field: string): string {
  const file = humanFileOf(field);
  if (file) return file;
  const section = sectionPathOf(field);
  if (section !== undefined) return `${TASKDOC_PACKAGE}/${section}`;
  const { step, node, name } = partsOf(entity, field);
  if (node) return `${nodePath(entity, node)} ${name}`;
  return step ? `${pathOf(step)} ${name}` : name;
}

function concernsLive(entity: Entity, field: string): boolean {
  const { step, node, name } = partsOf(entity, field);
  if (node) return isLiveNode(entity, node);
  // A closed step and an ended task can neither be claimed nor released.
  if (name === "lease" && (step ? step.done : hasEnded(entity))) return false;
  return step === undefined || isLive(step);
}

/** Ids have no dot in them, so the second part is the id, for every creator. */
export function partsOf(
  entity: Entity,
  field: string,
): { step?: Step | undefined; node?: TaskNode | undefined; name: string } {
  if (!field.startsWith("step.") && !field.startsWith("node.")) return { name: field };
  const end = field.indexOf(".", 5);
  const id = field.slice(5, end);
  return { step: entity.steps.get(id), node: entity.nodes.get(id), name: field.slice(end + 1) };
}
