/** Step 6 of the door (engine.ts) for one entity: its files, the move of its folder, and files that a dead process left stale. */
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import { isAway } from "../../state/archive.ts";
import type { Entity } from "../../state/entity.ts";
import type { LogWriter } from "../commit/log_writer.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { isFromSystem } from "../entity/reply.ts";
import { projectionFailed } from "../projection/project.ts";
import { archive } from "./archive.ts";
import type { Restoring } from "./restore.ts";
import { recoveredEntity } from "./restore.ts";

export interface ProjectParts extends Restoring {
  readonly logs: LogWriter;
}

export async function projectEntity(parts: ProjectParts, loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
  for (const id of parts.dirty.takeStale()) {
    const stale = await recoveredEntity(parts, id);
    if (stale && stale !== loaded) await projectOne(parts, stale, workspace);
  }
  return projectOne(parts, loaded, workspace);
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
async function projectOne(parts: ProjectParts, loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
  try {
    return await projectAll(parts, loaded, workspace);
  } catch (e) {
    if (!isTaskfoldError(e) && !isFromSystem(e)) throw e;
    return [projectionFailed(loaded, storageError(e, "write the files folded from the log").message)];
  }
}

async function projectAll(parts: ProjectParts, loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
  const { context, store, projector, logs } = parts;
  const warnings = await writeFiles(parts, loaded, workspace);
  if (!loaded.entity || !isAway(loaded.entity)) return warnings;
  logs.flush(loaded);
  warnings.push(...(await archive(context, loaded)));
  // None: another process that wrote it moved the folder first.
  const { entity }: { entity: Entity | null } = loaded;
  if (entity && !isAway(entity)) return warnings;
  projector.forget(loaded);
  store.drop(loaded.id);
  return warnings;
}
