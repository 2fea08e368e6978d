/**
 * An entity comes back from the archive (ARCHIVE-30, PACKET-180): first its folder moves, then the event
 * lands. A crash between the two leaves an archived task among the live ones. It stays hidden until a repeated call, or
 * `rebuild`, decides where it belongs.
 */
import { TaskfoldError } from "../../errors.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { archive } from "./archive.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { acquireAll, filesLock, WORKSPACE_LOCK } from "../core/lock.ts";
import { moveFolder } from "./move_folder.ts";
import type { LogWriter } from "../commit/log_writer.ts";
import type { DirtyMarks } from "../projection/dirty.ts";
import type { Projector } from "../projection/project.ts";
import type { Store } from "../entity/store.ts";
import { unknownId } from "../entities/target.ts";
import type { EngineContext } from "../core/context.ts";
import { refuseTwoFolders } from "../entity/two_folders.ts";
import { refuseDeleted } from "../entity/writable.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface Restoring {
  readonly context: EngineContext;
  readonly store: Store;
  readonly projector: Projector;
  readonly dirty: DirtyMarks;
  readonly logs: LogWriter;
}

/** The loaded entity that the event goes to. ID_TAKEN or UNKNOWN_ID, before anything moves. */
export async function broughtBack(from: Restoring, workspace: string, id: string): Promise<LoadedEntity> {
  const { context, store } = from;
  // The workspace's lock: while a folder is on its way its name looks free to those who make one.
  const lock = await acquireAll(context, [WORKSPACE_LOCK, id, filesLock(id)]);
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
    refuseDeleted(archived.entity, id);
    refuseTwoFolders(archived);
    return moveBack(from, archived);
  } finally {
    lock.release();
  }
}

/** The folder of one that its log says is live, where it lies in the archive: a merge or a crash left it there. */
export async function recoveredEntity(from: Restoring, id: string): Promise<LoadedEntity | undefined> {
  const { context, store } = from;
  if (store.has(id)) return store.find(id);
  const archived = store.findArchived(id);
  if (!archived?.catchUp() || !archived.entity || isArchivedOrDeleted(archived.entity)) return undefined;
  const lock = await acquireAll(context, [WORKSPACE_LOCK, id, filesLock(id)]);
  try {
    return store.has(id) ? store.find(id) : moveBack(from, archived);
  } finally {
    lock.release();
  }
}

function moveBack({ context, store, projector, dirty }: Restoring, archived: LoadedEntity): LoadedEntity {
  const { id } = archived;
  archived.refuseLinks();
  // A later write looks at it after a crash.
  dirty.mark(id);
  archived.log.close();
  if (!moveFolder(context, id, "tasks")) throw taken(id);
  store.drop(id);
  const loaded = store.add(id);
  projector.forget(loaded);
  return loaded;
}

/** After a refusal, or a repeated call: an entity that is still archived goes back to where it was. */
export async function restoreFolder(from: Restoring, loaded: LoadedEntity): Promise<boolean> {
  const { store, projector } = from;
  if (!loaded.catchUp() || !loaded.entity || !isArchivedOrDeleted(loaded.entity)) return false;
  await archive(from, loaded);
  projector.forget(loaded);
  store.drop(loaded.id);
  return true;
}

function rootOf(loaded: LoadedEntity | undefined): string | undefined {
  return loaded?.catchUp() ? loaded.entity?.root : undefined;
}

function taken(id: string): TaskfoldError {
  return new TaskfoldError("ID_TAKEN", `Expected .coco/tasks/${id} to be free; another folder has that name.`, {
    ...remedy`Rename or remove that folder, or run ${TASKFOLD} resolve ${id}; then restore the task.`,
    details: { id },
  });
}
