/** Creating folders one by one, so that each new name can be made durable. */
import { basename, dirname, join, relative, sep } from "node:path";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { errnoOf } from "./storage_error.ts";

/** Makes `path` and what is missing above it. Returns the folders whose listing changed, outermost first. */
export function ensureFolder(disk: Disk, path: string): string[] {
  try {
    disk.mkdir(path);
    return [dirname(path)];
  } catch (e) {
    const errno = errnoOf(e);
    if (errno === "EEXIST" && disk.stat(path)?.kind === "folder") return [];
    if (errno !== "ENOENT" || dirname(path) === path) throw e;
  }
  const changed = ensureFolder(disk, dirname(path));
  try {
    disk.mkdir(path);
  } catch (e) {
    // Another process may make it at the same time. In a folder that takes no names (/proc) it is missing still.
    if (errnoOf(e) !== "EEXIST" || disk.stat(path)?.kind !== "folder") throw e;
    return changed;
  }
  return [...changed, dirname(path)];
}

/**
 * Makes `path` (with `/`) below `base`, following no link on the way: what is written there stays in the folder that is
 * reviewed. Returns the folders whose listing changed. Throws PATH_UNSAFE with `details.path`, what is in the way.
 */
export function ensureFolderInside(disk: Disk, base: string, path: string): string[] {
  const changed: string[] = [];
  let at = base;
  for (const segment of path.split("/")) {
    const next = `${at}${sep}${segment}`;
    const kind = disk.lstat(next)?.kind;
    if (kind === undefined) {
      disk.mkdir(next);
      changed.push(at);
    } else if (kind !== "folder") {
      throw new TaskfoldError("PATH_UNSAFE", `Expected ${segment} of ${path} to be a folder, found a ${kind}.`, {
        recovery: "Remove it; the folder is made again.",
        details: { path: relative(base, next).replaceAll(sep, "/") },
      });
    }
    at = next;
  }
  return changed;
}

/** PATH_UNSAFE when one of these paths is a link: what is written below it would leave the folder that is reviewed. */
export function refuseLinks(disk: Disk, paths: readonly string[]): void {
  for (const path of paths) {
    if (disk.lstat(path)?.kind !== "link") continue;
    throw new TaskfoldError("PATH_UNSAFE", `Expected ${basename(path)} to be a folder, found a link.`, {
      recovery: "Put the folder itself back in the place of the link; nothing was written.",
    });
  }
}

/** `ensureFolder`, and every changed listing is on disk when it returns. */
export function ensureDurableFolder(disk: Disk, path: string): void {
  for (const folder of ensureFolder(disk, path)) disk.syncFolder(folder);
}

/** `ensureFolder`, and each name on the way from `top` is on disk when it returns. A killed process may have made some (DUR-113). */
export function ensureSyncedFolder(disk: Disk, top: string, path: string): void {
  ensureFolder(disk, path);
  syncWay(disk, top, path);
}

/** Makes the names on the way from `top` to a folder last, also those that a killed process made and did not sync. */
export function syncWay(disk: Disk, top: string, path: string): void {
  for (let at = dirname(path); at.length >= top.length; at = dirname(at)) disk.syncFolder(at);
}

/**
 * Returns true when a folder holds nothing but folders, or nothing. git leaves such a folder when it took its files
 * away, since it keeps no empty folders and does not remove them. A link counts as something.
 */
export function isHollow(disk: Disk, path: string): boolean {
  return disk
    .readdir(path)
    .every((name) => disk.lstat(join(path, name))?.kind === "folder" && isHollow(disk, join(path, name)));
}

/** Takes a hollow folder out of the way of one that is to have its name; leaves anything else where it is. */
export function removeHollow(disk: Disk, path: string): void {
  if (disk.lstat(path)?.kind !== "folder" || !isHollow(disk, path)) return;
  for (const name of disk.readdir(path)) removeHollow(disk, join(path, name));
  disk.rmdir(path);
}

/** Removes a folder with all below it, or does nothing where there is none. Follows no link. */
export function removeTree(disk: Disk, path: string): void {
  const kind = disk.lstat(path)?.kind;
  if (kind === undefined) return;
  if (kind !== "folder") {
    disk.unlink(path);
    return;
  }
  for (const name of disk.readdir(path)) removeTree(disk, join(path, name));
  disk.rmdir(path);
}

/** Names in a folder; none when it is not there. */
export function listFolder(disk: Disk, path: string, read: "readdir" | "readFolders" = "readdir"): string[] {
  try {
    return disk[read](path);
  } catch (e) {
    if (errnoOf(e) === "ENOENT") return [];
    throw e;
  }
}
