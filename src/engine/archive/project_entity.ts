/** Step 6 of the door (engine.ts) for one entity: its files, the move of its folder, and files that a dead process left stale. */
import type { Warning } from "../../errors.ts";
import { isAway } from "../../state/archive.ts";
import type { LogWriter } from "../commit/log_writer.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
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

async function projectOne(parts: ProjectParts, loaded: LoadedEntity, workspace: string): Promise<Warning[]> {
  const { context, store, projector, logs } = parts;
  const warnings = await writeFiles(parts, loaded, workspace);
  if (!loaded.entity || !isAway(loaded.entity)) return warnings;
  logs.flush(loaded);
  warnings.push(...(await archive(context, loaded)));
  if (!isAway(loaded.entity)) return warnings;
  projector.forget(loaded);
  store.drop(loaded.id);
  return warnings;
}
