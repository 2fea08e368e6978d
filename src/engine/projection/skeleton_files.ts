/**
 * The entries of every folder besides those folded from its log: the folders in it, and the files that belong to
 * people.
 */
import { relative, sep } from "node:path";
import type { Disk } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import { writeAtomic, writeWhole } from "../../files/atomic.ts";
import { ensureFolderInside } from "../../files/folders.ts";
import { SKELETON } from "../../projections/index.ts";
import type { HumanFile } from "../../state/human_files.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineContext } from "../core/context.ts";

/** Things that stand where a folder or a file of the entity belongs, by path in the entity's folder. */
export interface Obstacle {
  path: string;
  message: string;
}

/** Makes the folders that are missing. Returns what stands in the way of one; nothing is to be written below it. */
export function ensureFolders(
  { disk }: Pick<EngineContext, "disk">,
  loaded: LoadedEntity,
  folders: readonly string[],
): Obstacle[] {
  return deepest(folders).flatMap((name) => obstacleTo(disk, loaded.folder, name));
}

/** A person's file that is not there, and what was read of it last (DIR-24). */
export interface MissingFile {
  path: string;
  text: string;
}

/** Files of people that are missing, in folders that are there. A sparse checkout may leave one out: git has words in it that no process has read. */
export function missingHumanFiles(
  { disk, layout, sparse }: Pick<EngineContext, "disk" | "layout" | "sparse">,
  loaded: LoadedEntity,
  obstacles: readonly Obstacle[],
): MissingFile[] {
  return Object.entries(SKELETON).flatMap(([name, text]) => {
    const path = `${loaded.folder}${sep}${name}`;
    if (isBehind(obstacles, name) || disk.lstat(path)) return [];
    if (sparse.hides(relative(layout.root, path).split(sep).join("/"))) return [];
    return [{ path, text: loaded.entity?.people[name as HumanFile].content ?? text }];
  });
}

/** Synced, unlike what is folded: a file that a power cut leaves empty would be read in as what a person wrote. */
export async function writeHumanFiles(
  { disk, durability }: Pick<EngineContext, "disk" | "durability">,
  files: readonly MissingFile[],
): Promise<void> {
  if (durability === "os") {
    for (const { path, text } of files) writeAtomic(disk, path, text);
    return;
  }
  // All of them end before the caller lets go of its lock.
  const ended = await Promise.allSettled(files.map(({ path, text }) => writeWhole(disk, path, text)));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}

/** Whether a name of the folder is below what stands in the way. */
export function isBehind(obstacles: readonly Obstacle[], name: string): boolean {
  return obstacles.some(({ path }) => name.startsWith(`${path}/`));
}

function obstacleTo(disk: Disk, folder: string, name: string): Obstacle[] {
  try {
    ensureFolderInside(disk, folder, name);
    return [];
  } catch (e) {
    if (!isTaskfoldError(e) || e.code !== "PATH_UNSAFE") throw e;
    return [{ path: String(e.details?.["path"]), message: e.message }];
  }
}

/** A folder above one of these is looked at with it. */
function deepest(folders: readonly string[]): string[] {
  return folders.filter((one) => !folders.some((other) => other.startsWith(`${one}/`)));
}
