/** Archived entities: where their folders belong, and what their plans say of them (ARCHIVE rules). */
import type { ArchivedTask, Entity } from "./entity.ts";

/** Its folder belongs into the archive, and no list of live plans and tasks names it. */
export function isArchivedOrDeleted({ deleted, archived }: Pick<Entity, "deleted" | "archived">): boolean {
  return deleted || archived;
}

/** It can be read, and brought back. */
export function isArchived({ deleted, archived }: Pick<Entity, "deleted" | "archived">): boolean {
  return archived && !deleted;
}

/** The tasks that a plan names as put away, by root, in the order in which they went. */
export function archivedTasks({
  archived_tasks,
}: Pick<Entity, "archived_tasks">): [root: string, task: ArchivedTask][] {
  return [...archived_tasks].filter(([, task]) => !task.restored);
}
