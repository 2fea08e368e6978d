/** Files of an entity that was split off and got a folder of its own (RESOLVE-3): they leave the folder that it shared. */
import { dirname, join } from "node:path";
import type { Disk } from "../../disk.ts";
import { readRegular, removeQuietly } from "../../files/atomic.ts";
import { removeHollow } from "../../files/folders.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { projectionsOf } from "../../projections/index.ts";
import { BLOB_FOLDER, blobsNamed } from "../commit/named_files.ts";
import { keptName, quarantine } from "../core/quarantine.ts";
import type { EngineContext } from "../core/context.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { folderOf, readEntity, subjectOf } from "../entity/entity_on_disk.ts";
import type { Differing } from "../projection/drift.ts";
import { driftIn } from "../projection/drift.ts";

/** The folder that the entity has now, and its log there. */
interface Moved {
  home: EntityLocation;
  bytes: Buffer;
}

/** `stays`: the log that keeps the folder. Call once the captured bytes are copied, while no process writes either. */
export function removeMovedFiles(
  context: EngineContext,
  place: EntityLocation,
  { home, bytes }: Moved,
  stays: Buffer,
): void {
  const [own, moved] = [ownFiles(place.id, stays), ownFiles(place.id, bytes)];
  if (!own || !moved) return;
  const folder = folderOf(context, place);
  const kept = new Set([...own.folded.keys()].map((path) => path.toLowerCase()));
  // It tells the moment of the others, and may go first.
  const taskYaml = readRegular(context.disk, join(folder, TASK_FILE))?.toString("utf8");
  const wasFolded = (file: Differing): boolean => {
    const { changed, outdated } = driftIn(() => bytes, { id: place.id, workspace: "" }, [file], taskYaml);
    return changed.length + outdated.length === 0;
  };
  for (const [path, text] of moved.folded) {
    if (!kept.has(path.toLowerCase())) removeFolded(context, place, { path, text }, wasFolded);
    else if (own.folded.has(path)) removeFormer(context.disk, folder, { path, text: own.folded.get(path)! }, wasFolded);
  }
  for (const path of moved.captured)
    if (!own.captured.has(path) && context.disk.lstat(join(folderOf(context, home), path))?.kind === "file")
      removeQuietly(context.disk, join(folder, path));
}

/** A text that the log does not fold to may be a person's: it is kept as PROJ-13 keeps it. True where it was. */
export function removeFolded(
  context: EngineContext,
  place: EntityLocation,
  { path, text }: { path: string; text: string },
  wasFolded: (file: Differing) => boolean,
): boolean {
  const { disk } = context;
  const full = join(folderOf(context, place), path);
  const found = readRegular(disk, full);
  const isEdited = found && !found.equals(Buffer.from(text)) && !wasFolded({ name: path, found, text });
  if (isEdited) quarantine(context, keptName(place.id, path), found);
  if (found) removeQuietly(disk, full);
  // A process may have died that had made the folder for a file, and not the file. The log of the entity that stays is yet to come.
  if (dirname(path) !== ".") removeHollow(disk, dirname(full));
  return isEdited === true;
}

/** A text of the entity that moved, at a path that both have: it would look like an edit of the one that stays. It is folded anew. */
function removeFormer(
  disk: Disk,
  folder: string,
  { path, text }: { path: string; text: string },
  wasFolded: (file: Differing) => boolean,
): void {
  const found = readRegular(disk, join(folder, path));
  if (found && !found.equals(Buffer.from(text)) && wasFolded({ name: path, found, text }))
    removeQuietly(disk, join(folder, path));
}

/** Paths that a log accounts for in a folder of this name; undefined where the log tells of no entity yet. */
function ownFiles(id: string, log: Buffer): { folded: Map<string, string>; captured: Set<string> } | undefined {
  const { entity, report, events } = readEntity(log, (type) => type === "evidence.captured");
  if (!entity) return undefined;
  return {
    folded: projectionsOf(subjectOf(id, "", entity, report)),
    captured: new Set([...blobsNamed(events)].map((name) => `${BLOB_FOLDER}/${name}`)),
  };
}
