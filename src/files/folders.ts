/** Creating folders one by one, so that each new name can be made durable. */
import { dirname } from "node:path";
import type { Disk } from "../disk.ts";
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
  // Another process may make it at the same time.
  return [...changed, ...ensureFolder(disk, path)];
}

/** The same, and every changed listing is on disk when it returns. */
export function ensureDurableFolder(disk: Disk, path: string): void {
  for (const folder of ensureFolder(disk, path)) disk.syncFolder(folder);
}

/** Names in a folder; none when it is not there. */
export function listFolder(disk: Disk, path: string): string[] {
  try {
    return disk.readdir(path);
  } catch (e) {
    if (errnoOf(e) === "ENOENT") return [];
    throw e;
  }
}
