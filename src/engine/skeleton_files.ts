/** What stands in every folder besides what is folded from its log: the folders in it, and the files that belong to people. */
import { sep } from "node:path";
import type { Disk } from "../disk.ts";
import { isTaskfoldError } from "../errors.ts";
import { writeAtomic } from "../files/atomic.ts";
import { ensureFolderInside } from "../files/folders.ts";
import { SKELETON } from "../projections/index.ts";
import type { PeoplesFile } from "../state/people.ts";
import type { Handle } from "./handle.ts";
import type { World } from "./world.ts";

/** What stands where a folder or a file of the entity belongs, by its path in the entity's folder. */
export interface Obstacle {
  path: string;
  message: string;
}

/**
 * Made where it is missing; people's files with what was read of them last (DIR-24). Returns what stands in the way of a
 * folder; nothing is to be written below it.
 */
export function ensureSkeleton(
  { disk, durability }: Pick<World, "disk" | "durability">,
  handle: Handle,
  folders: readonly string[],
): Obstacle[] {
  const obstacles = deepest(folders).flatMap((name) => obstacleTo(disk, handle.folder, name));
  for (const [name, text] of Object.entries(SKELETON)) {
    const path = `${handle.folder}${sep}${name}`;
    if (isBehind(obstacles, name) || disk.lstat(path)) continue;
    // Synced, unlike what is folded: a file that a power cut leaves empty would be read in as what a person wrote.
    const sync = durability !== "os";
    writeAtomic(disk, path, handle.entity?.people[name as PeoplesFile].content ?? text, { sync });
  }
  return obstacles;
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
