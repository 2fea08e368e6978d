/**
 * Dependencies: they have to be DONE before work on an entity is ready. Other entities come in by a function: each has
 * a log of its own.
 */
import type { Entity, IdOf, Ref, Subject } from "./entity.ts";

export type Find = (ref: Ref) => Subject | undefined;

/** Whether git has the entity of a reference, and a sparse checkout leaves it out of the work tree. */
export type IsLeftOut = (ref: Ref) => boolean;

/** An entity that is not here, or was deleted, is not DONE. */
export function isDone(subject: Subject | undefined): boolean {
  return subject !== undefined && !subject.entity.deleted && subject.entity.status === "DONE";
}

export function openDependencies({ depends_on }: Entity, find: Find): Ref[] {
  return depends_on.filter((ref) => !isDone(find(ref)));
}

/** "TASK-001 on TASK-002 on TASK-001": the shortest way of dependencies that leads back to the entity; null when there is none. */
export function circleThrough({ id, entity }: Subject, find: Find, idOf: IdOf): string | null {
  const seen = new Set<string>();
  const ways: Way[] = entity.depends_on.map((to) => ({ to, from: null }));
  // Grows while it is walked: what is near comes first.
  for (const way of ways) {
    if (way.to.root === entity.root) return [id, ...named(way, idOf)].join(" on ");
    if (seen.has(way.to.root)) continue;
    seen.add(way.to.root);
    for (const to of find(way.to)?.entity.depends_on ?? []) ways.push({ to, from: way });
  }
  return null;
}

interface Way {
  to: Ref;
  from: Way | null;
}

const MAX_NAMED = 8;

/** The ids along a way; of a long one the first and the last. */
function named(way: Way, idOf: IdOf): string[] {
  const refs: Ref[] = [];
  for (let at: Way | null = way; at; at = at.from) refs.unshift(at.to);
  const left = refs.length - MAX_NAMED;
  if (left <= 0) return refs.map(idOf);
  return [...refs.slice(0, MAX_NAMED - 1).map(idOf), `${left} more`, idOf(refs.at(-1)!)];
}
