/** A deleted entity's folder moves to the archive, whole (DIR rules). Failing to move it leaves it hidden where it is. */
import type { Warning } from "../errors.ts";
import { ensureFolderInside, removeHollow } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import type { Handle } from "./handle.ts";
import { acquire } from "./lock.ts";
import { dropOutputs } from "./packet_files.ts";
import type { World } from "./world.ts";

export async function archive(world: World, handle: Handle): Promise<Warning[]> {
  const { disk, layout } = world;
  try {
    const lock = await acquire(world.locks(), handle.id, { timeoutMs: world.lockTimeoutMs, now: world.now });
    try {
      dropOutputs(world, handle);
      handle.log.close();
      for (const changed of ensureFolderInside(disk, layout.root, ".coco/archive")) disk.syncFolder(changed);
      removeHollow(disk, layout.archived(handle.id));
      if (disk.lstat(layout.archived(handle.id))) {
        return [
          {
            code: "PROJECTION_FAILED",
            message: `${handle.id} is deleted, but the archive already has a folder of that name; it stays where it is, hidden.`,
          },
        ];
      }
      disk.rename(handle.folder, layout.archived(handle.id));
      for (const folder of [handle.folder, layout.archived(handle.id)]) world.bell.ring(folder);
      disk.syncFolder(layout.archive);
      disk.syncFolder(layout.tasks);
      return [];
    } finally {
      lock.release();
    }
  } catch (e) {
    return [
      { code: "PROJECTION_FAILED", message: storageError(e, `move the folder of ${handle.id} to the archive`).message },
    ];
  }
}
