/** What has to be DONE before work on an entity is ready. Other entities come in by a function: each has a log of its own. */
import type { Entity, Ref, Subject } from "./entity.ts";

export type Find = (ref: Ref) => Subject | undefined;

/** What is not here, or was deleted, is not DONE. */
export function isDone(subject: Subject | undefined): boolean {
  return subject !== undefined && !subject.entity.deleted && subject.entity.status === "DONE";
}

export function openDependencies({ depends_on }: Entity, find: Find): Ref[] {
  return depends_on.filter((ref) => !isDone(find(ref)));
}
