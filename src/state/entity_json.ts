/**
 * An entity as plain JSON and back. Maps become lists. Steps become a flat list that names parents and children by id,
 * so that neither a cycle nor a deep tree is in it. Members that it does not know by name go through as they are.
 */
import type { Entity, Step } from "./entity.ts";

export interface EntityJson {
  own: Record<string, unknown>;
  /** Entries of every map but the steps, by the field's name. */
  maps: Record<string, [string, unknown][]>;
  /** In the order in which they were added. */
  steps: StepJson[];
  children: string[];
}

type StepJson = Omit<Step, "parent" | "children"> & { parent: string | null; children: string[] };

/** Shares values with the entity: make text of it before the entity changes. */
export function entityToJson({ steps, children, ...rest }: Entity): EntityJson {
  const own: EntityJson["own"] = {};
  const maps: EntityJson["maps"] = {};
  for (const [key, value] of Object.entries(rest) as [string, unknown][]) {
    if (value instanceof Map) maps[key] = [...(value as Map<string, unknown>)];
    else own[key] = value;
  }
  return { own, maps, steps: [...steps.values()].map(stepToJson), children: children.map((step) => step.id) };
}

/** Takes what `entityToJson` gave, and keeps it: the entity is made of its parts. */
export function entityFromJson({ own, maps, steps, children }: EntityJson): Entity {
  const made = new Map<string, { -readonly [K in keyof Step]: Step[K] }>();
  for (const json of steps) made.set(json.id, { ...json, parent: null, children: [] });
  const stepOf = (id: string): Step => {
    const step = made.get(id);
    if (!step) throw new RangeError(`expected one of ${made.size} steps, found ${id}`);
    return step;
  };
  for (const json of steps) {
    const step = made.get(json.id)!;
    step.parent = json.parent === null ? null : stepOf(json.parent);
    for (const id of json.children) step.children.push(stepOf(id));
  }
  const fields = Object.entries(maps).map(([key, entries]) => [key, new Map(entries)]);
  return { ...own, ...Object.fromEntries(fields), steps: made, children: children.map(stepOf) } as unknown as Entity;
}

function stepToJson(step: Step): StepJson {
  return { ...step, parent: step.parent?.id ?? null, children: step.children.map((child) => child.id) };
}
