/** Step 6 of the door (engine.ts) for one entity: its files, the move of its folder, and files that a dead process left stale. */
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import type { Entity } from "../../state/entity.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { isFromSystem } from "../entity/reply.ts";
import { projectionFailed } from "../projection/project.ts";
import { archive } from "./archive.ts";
import type { Restoring } from "./restore.ts";
import { recoveredEntity } from "./restore.ts";

export async function projectEntity(parts: Restoring, loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
  const warnings: Warning[] = [];
  for (const id of parts.dirty.takeStale())
    if (id !== loaded.id) warnings.push(...(await projectById(parts, id, workspace)));
  return [...warnings, ...(await projectOne(parts, loaded, workspace))];
}

/**
 * The files of a plan or task that no call of this process changed, wherever its folder is. A dead process left them stale, or lines came
 * from another machine. A file that cannot be written is a warning, and left to the next process.
 */
export async function projectById(parts: Restoring, id: string, workspace: string): Promise<Warning[]> {
  try {
    return await projectWhereItIs(parts, id, workspace);
  } catch (e) {
    if (!isTaskfoldError(e) && !isFromSystem(e)) throw e;
    parts.dirty.projected(id, false);
    return [projectionFailed({ id }, storageError(e, "write the files folded from the log"))];
  }
}

async function projectWhereItIs(parts: Restoring, id: string, workspace: string): Promise<Warning[]> {
  const { store, projector } = parts;
  const live = await recoveredEntity(parts, id);
  const warnings = live?.catchUp() && live.entity ? await projectOne(parts, live, workspace) : [];
  // Looked for only now: another process may have put the folder away meanwhile, with files that are older than its log.
  const archived = store.findArchived(id);
  if (!archived?.catchUp() || !archived.entity) return warnings;
  projector.forget(archived);
  warnings.push(...(await writeFiles(parts, archived, workspace)));
  projector.forget(archived);
  return warnings;
}

/** Writes the files alone. */
export async function writeFiles(
  { projector, dirty }: Restoring,
  loaded: LoadedEntity,
  workspace: string,
): Promise<Warning[]> {
  const warnings = await projector.project(loaded, workspace);
  dirty.projected(loaded.id, !warnings.some((w) => w.code === "PROJECTION_FAILED"));
  return warnings;
}

/** The change is in its log: whatever the system refuses now is a warning (DUR-8). */
async function projectOne(parts: Restoring, loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
  try {
    return await projectAll(parts, loaded, workspace);
  } catch (e) {
    if (!isTaskfoldError(e) && !isFromSystem(e)) throw e;
    return [projectionFailed(loaded, storageError(e, "write the files folded from the log"))];
  }
}

async function projectAll(parts: Restoring, loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
  const { store, projector, logs } = parts;
  const warnings = await writeFiles(parts, loaded, workspace);
  if (!loaded.entity || !isArchivedOrDeleted(loaded.entity)) return warnings;
  logs.syncs.flush(loaded);
  const refused = await archive(parts, loaded);
  // It is hidden where it is: the next process tries again.
  if (refused.length > 0) parts.dirty.projected(loaded.id, false);
  warnings.push(...refused);
  // None: another process that wrote it moved the folder first.
  const { entity }: { entity: Entity | null } = loaded;
  if (entity && !isArchivedOrDeleted(entity)) return warnings;
  projector.forget(loaded);
  store.drop(loaded.id);
  return warnings;
}
