/**
 * A packet comes back from the archive (PACKET-183, PACKET-184): first its folder moves, then the event lands. A crash between the two
 * leaves an archived task among the live ones, which stays hidden until a repeated call, or `rebuild`, decides where it belongs.
 */
import { TaskfoldError } from "../errors.ts";
import { ensureFolderInside, removeHollow } from "../files/folders.ts";
import { restorePacket } from "../rules/packet/archive_packet.ts";
import { archive } from "./archive.ts";
import type { Handle } from "./handle.ts";
import { acquire } from "./lock.ts";
import type { Projector } from "./project.ts";
import type { Store } from "./store.ts";
import { unknownId } from "./target.ts";
import type { World } from "./world.ts";

export interface Restoring {
  world: World;
  store: Store;
  projector: Projector;
  /** Told before the folder moves, so that a later write looks at it after a crash. */
  writing: (id: string) => void;
}

/** The handle that the event goes to. ID_TAKEN, UNKNOWN_ID, NO_PACKET or ALREADY_DONE, before anything moves. */
export async function broughtBack(from: Restoring, workspace: string, id: string): Promise<Handle> {
  const { world, store, projector } = from;
  const { disk, layout } = world;
  const lock = await acquire(world.locks(), id, { timeoutMs: world.lockTimeoutMs, now: world.now });
  try {
    const live = store.find(id);
    const archived = store.findArchived(id);
    if (store.has(id)) {
      if (archived && rootOf(live) !== rootOf(archived)) throw taken(id);
      // Moved by a call that did not end, or live: the decision tells which.
      if (live) return live;
      throw taken(id);
    }
    if (!archived?.catchUp() || !archived.entity) return unknownId(store, workspace, id);
    const { deleted } = archived.entity;
    // The event of a restore that git brought without the move of the folder.
    if (deleted) restorePacket(archived.subject(workspace));
    archived.refuseLinks();
    from.writing(id);
    archived.log.close();
    for (const changed of ensureFolderInside(disk, layout.root, ".coco/tasks")) disk.syncFolder(changed);
    removeHollow(disk, layout.folder(id));
    disk.rename(archived.folder, layout.folder(id));
    for (const folder of [archived.folder, layout.folder(id)]) world.bell.ring(folder);
    disk.syncFolder(layout.tasks);
    disk.syncFolder(layout.archive);
    store.drop(id);
    const handle = store.add(id);
    projector.forget(handle);
    return handle;
  } finally {
    lock.release();
  }
}

/** After a refusal: an entity that is still archived goes back to where it was. */
export async function putBack({ world, store, projector }: Restoring, handle: Handle): Promise<void> {
  if (!handle.catchUp() || !handle.entity?.deleted) return;
  await archive(world, handle);
  projector.forget(handle);
  store.drop(handle.id);
}

function rootOf(handle: Handle | undefined): string | undefined {
  return handle?.catchUp() ? handle.entity?.root : undefined;
}

function taken(id: string): TaskfoldError {
  return new TaskfoldError("ID_TAKEN", `Expected .coco/tasks/${id} to be free; another folder has that name.`, {
    recovery: `Rename or remove that folder, or run taskfold resolve ${id}; then restore the packet.`,
    details: { id },
  });
}
