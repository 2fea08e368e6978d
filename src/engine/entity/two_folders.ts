/**
 * One entity in two folders (RESOLVE-50). A merge gave it another name on one branch, and a pick or a rebase brought that to a branch that
 * has the first one. The folder is looked for by the names that it may have. As long as no name came to the live ones, that costs a change
 * one look at the disk. Another log is opened only where a folder has such a name.
 */
import { join } from "node:path";
import { isSettled, same } from "../../files/file_sign.ts";
import type { Disk, FileStat } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import type { Layout } from "../../files/layout.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { firstEvent } from "../../log/first_event.ts";
import { namesOf } from "../../log/repair.ts";
import type { ByteSource } from "../../log/source.ts";
import { bytesSource } from "../../log/source.ts";
import type { Event } from "../../log/types.ts";
import { relativeFolder } from "./entity_on_disk.ts";
import type { EntityLocation } from "./entity_on_disk.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

const PARTS = ["tasks", "archive"] as const;

/** The names that the log gave when it was loaded last. `none`: the folder of the live ones, as it was when none of them was there. */
interface Known {
  loads: number;
  names: readonly string[];
  none: FileStat | undefined;
}

const known = new WeakMap<LoadedEntity, Known>();

/**
 * The other folder of the same entity; undefined where there is none by the names that it may have. A new name among the live ones shows
 * at once, one in the archive alone when the log is loaded anew. `live`: the folder of the live ones, if the caller has looked at it.
 */
export function secondFolder(
  loaded: LoadedEntity,
  live = loaded.disk.lstat(loaded.layout.tasks),
): EntityLocation | undefined {
  const { entity, disk, layout } = loaded;
  if (!entity) return undefined;
  const about = knownOf(loaded, entity.root);
  if (about.none && same(about.none, live)) return undefined;
  const places = about.names.flatMap((id) => PARTS.map((part): EntityLocation => ({ id, part })));
  const there = places.filter((place) => disk.lstat(folderAt(layout, place)) !== undefined);
  const isOld = live !== undefined && isSettled(loaded, live);
  about.none = there.length === 0 && isOld ? live : undefined;
  return there.find((place) => firstEventIn(disk, folderAt(layout, place))?.hash === entity.root);
}

/** LOG_TWO_FOLDERS where the entity has another folder: what is written to one of them, the other one does not know. */
export function refuseTwoFolders(loaded: LoadedEntity, live?: FileStat): void {
  const other = secondFolder(loaded, live);
  if (other) throw twoFolders(loaded, other);
}

export function twoFoldersWarnings(loaded: LoadedEntity): Warning[] {
  const other = secondFolder(loaded);
  return other ? [duplicateRootsWarning(duplicateRootsIn(loaded, [locationOf(loaded), other]))] : [];
}

/** The folders of one entity, as a list knows them: those that take no change, and those that do although the entity has another. */
export interface DuplicateRoots {
  refused: EntityLocation[];
  taking: EntityLocation[];
}

/** The same for a list, which knows every folder of the entity. A copy by hand has a name that no split gives: its original goes on. */
export function duplicateRootsIn(
  { disk, layout }: Pick<LoadedEntity, "disk" | "layout">,
  places: readonly EntityLocation[],
): DuplicateRoots {
  const first = places.map((place) => firstEventIn(disk, folderAt(layout, place))).find((event) => event !== undefined);
  const duplicates: DuplicateRoots = { refused: [], taking: [] };
  for (const place of places) {
    const names = first ? [place.id, ...othersOf(place.id, first.hash, first.taskId)] : [];
    const isRefused = !first || places.some((other) => other !== place && names.includes(other.id));
    duplicates[isRefused ? "refused" : "taking"].push(place);
  }
  return duplicates;
}

export function duplicateRootsWarning({ refused, taking }: DuplicateRoots): Warning {
  const named = (places: readonly EntityLocation[]): string => places.map(relativeFolder).join(" and ");
  const message =
    taking.length === 0
      ? `${named(refused)} hold one plan or task; neither takes a change.`
      : `${named(refused)} ${refused.length === 1 ? "is a copy" : "are copies"} of ${named(taking)}, and ${refused.length === 1 ? "takes" : "take"} no change.`;
  return { code: "LOG_TWO_FOLDERS", message, ...RECOVERY };
}

const RECOVERY = remedy`${TASKFOLD} resolve joins them, and no line and no file is lost.`;

function twoFolders(loaded: LoadedEntity, other: EntityLocation): TaskfoldError {
  const folders = [locationOf(loaded), other].map(relativeFolder);
  return new TaskfoldError(
    "LOG_TWO_FOLDERS",
    `Expected one folder of ${loaded.id}, found two: ${folders.join(" and ")} hold the same plan or task.`,
    { ...RECOVERY, details: { id: loaded.id, folders } },
  );
}

function locationOf({ id, folder, layout }: LoadedEntity): EntityLocation {
  return { id, part: folder === layout.folder(id) ? "tasks" : "archive" };
}

/** The first line tells the name that it was made with. A copy by hand has that as well. */
function knownOf(loaded: LoadedEntity, root: string): Known {
  const { id, loads } = loaded;
  const before = known.get(loaded);
  if (before?.loads === loads) return before;
  const now: Known = { loads, names: othersOf(id, root, loaded.log.withSource(firstEvent)?.taskId), none: undefined };
  known.set(loaded, now);
  return now;
}

/** Names that another folder of the entity may have. `made`: the name that it was made with. */
export function othersOf(id: string, root: string, made = id): string[] {
  return [...new Set([id, made].flatMap((name) => namesOf({ id: name, root })))].filter((name) => name !== id);
}

/** The same for a log that is not on disk: which entity it is, and what its other folders may be called. */
export function otherNamesIn(id: string, log: Buffer): { root: string; names: string[] } | undefined {
  const first = firstEvent(bytesSource(log));
  return first && { root: first.hash, names: othersOf(id, first.hash, first.taskId) };
}

function folderAt(layout: Layout, { id, part }: EntityLocation): string {
  return part === "tasks" ? layout.folder(id) : layout.archived(id);
}

/** The first event of ours in the log of a folder; undefined where none can be read there. After a repair it is the entity's first. */
export function firstEventIn(disk: Disk, folder: string): Event | undefined {
  const path = join(folder, LOG_FILE);
  // A call on that folder itself says why it cannot be read.
  return unlessRefused(() => {
    if (disk.lstat(path)?.kind !== "file") return undefined;
    const fd = disk.open(path, "r");
    try {
      const { size } = disk.fstat(fd);
      const source: ByteSource = { size: () => size, read: (into, position) => disk.read(fd, into, position) };
      return firstEvent(source);
    } finally {
      disk.close(fd);
    }
  });
}
