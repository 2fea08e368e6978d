/** Captured bytes: in place and synced before the event that names them, under their digest (EVID rules). */
import { dirname, join } from "node:path";
import { readRegular, writeAtomic } from "../../files/atomic.ts";
import { ensureFolderInside } from "../../files/folders.ts";
import type { Blob } from "../../tools/define.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineContext } from "../core/context.ts";

export const BLOB_FOLDER = "shared/evidence/blobs";

/** Entities whose way to the blobs is on disk: the skeleton that holds them is made without a sync. */
const durable = new WeakSet<LoadedEntity>();

export function writeBlobs(world: EngineContext, handle: LoadedEntity, blobs: readonly Blob[]): void {
  if (blobs.length === 0) return;
  const { folder } = handle;
  handle.refuseLinks();
  const into = join(folder, BLOB_FOLDER);
  const made = ensureFolderInside(world.disk, folder, BLOB_FOLDER);
  if (world.durability !== "os" && (made.length > 0 || !durable.has(handle))) {
    for (let at = dirname(into); at.length >= folder.length; at = dirname(at)) world.disk.syncFolder(at);
    durable.add(handle);
  }
  for (const { sha256, bytes } of blobs) {
    const path = join(into, sha256);
    // What stands there may be a stranger's: only the bytes themselves are proof of it.
    if (readRegular(world.disk, path, bytes.length)?.equals(bytes) === true) continue;
    writeAtomic(world.disk, path, bytes, { sync: world.durability !== "os" });
  }
}
