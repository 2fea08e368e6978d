/** Captured bytes: in place and synced before the event that names them, under their digest (EVID rules). */
import { join } from "node:path";
import { writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder } from "../files/folders.ts";
import type { Blob } from "../tools/define.ts";
import type { World } from "./world.ts";

export const BLOB_FOLDER = "shared/evidence/blobs";

export function writeBlobs(world: World, folder: string, blobs: readonly Blob[]): void {
  if (blobs.length === 0) return;
  const into = join(folder, BLOB_FOLDER);
  ensureDurableFolder(world.disk, into);
  for (const { sha256, bytes } of blobs) {
    const path = join(into, sha256);
    if (world.disk.lstat(path)?.size === bytes.length) continue;
    writeAtomic(world.disk, path, bytes, { sync: world.durability !== "os" });
  }
}
