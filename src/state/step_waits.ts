/** Steps that have to be closed before another step can close (STEP-72 and STEP-73). */
import type { Entity, Step } from "./entity.ts";
import { isLive } from "./live.ts";
import { openChildren, postOrder } from "./tree.ts";

/** Returns open steps that this one, or an open step above it, depends on; a deleted step keeps no step waiting. */
export function waitsFor(entity: Entity, step: Step): Step[] {
  const waits = new Set<Step>();
  for (let s: Step | null = step; s; s = s.parent) {
    if (s.depends_on.length === 0 || (s.done && s !== step)) continue;
    for (const id of s.depends_on) {
      const other = entity.steps.get(id);
      if (other && !other.done && isLive(other)) waits.add(other);
    }
  }
  return [...waits];
}

/** Whether an open step can be worked on now, as far as other steps go: it waits for none, and none is open below it. */
export function isDue(entity: Entity, step: Step): boolean {
  return waitsFor(entity, step).length === 0 && openChildren(step).length === 0;
}

/** The step that is due: the first such open one, else the first open one. */
export function dueStep(entity: Entity): Step | undefined {
  return dueAmong(entity, entity.children);
}

/** The same among these steps and those below them. */
export function dueAmong(entity: Entity, steps: readonly Step[]): Step | undefined {
  let first: Step | undefined;
  for (const step of postOrder(steps)) {
    if (step.done) continue;
    if (isDue(entity, step)) return step;
    first ??= step;
  }
  return first;
}

/** A tree of steps by their ids, with what each depends on itself: also of steps that are only being added. */
export interface StepGraph {
  parent: (id: string) => string | null;
  children: (id: string) => readonly string[];
  dependsOn: (id: string) => readonly string[];
}

export function graphOf({ steps }: Entity): StepGraph {
  return {
    parent: (id) => steps.get(id)?.parent?.id ?? null,
    children: (id) =>
      steps
        .get(id)
        ?.children.filter((child) => !child.deleted)
        .map((child) => child.id) ?? [],
    dependsOn: (id) => steps.get(id)?.depends_on ?? [],
  };
}

/**
 * Returns the shortest way of waiting that leads from a step, over one of `wanted`, back to it or below it. The way is
 * its ids from the step on; null when there is none. A step waits for those below it, and for what those above it wait
 * for.
 */
export function circleThrough(graph: StepGraph, id: string, wanted: readonly string[]): string[] | null {
  const from = new Map<string, string>(wanted.map((one) => [one, id]));
  // Grows while it is walked: what is near comes first.
  for (const at of from.keys()) {
    if (isWithin(graph, at, id)) return wayTo(from, at, id);
    for (let s: string | null = at; s !== null; s = graph.parent(s))
      for (const next of graph.dependsOn(s)) if (!from.has(next)) from.set(next, at);
    for (const next of graph.children(at)) if (!from.has(next)) from.set(next, at);
  }
  return null;
}

function isWithin(graph: StepGraph, id: string, whole: string): boolean {
  for (let s: string | null = id; s !== null; s = graph.parent(s)) if (s === whole) return true;
  return false;
}

function wayTo(from: ReadonlyMap<string, string>, last: string, first: string): string[] {
  const way: string[] = [];
  let at = last;
  do {
    way.unshift(at);
    at = from.get(at)!;
  } while (at !== first && !way.includes(at));
  return [first, ...way];
}
