/**
 * The folder that a crash in the middle of a creation leaves: with nothing in it, or with a log that has no whole op. It
 * never counted, and it stands in the way of the retry, which may ask for the same id.
 */
import { basename, dirname } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { LoadedEntity } from "./loaded_entity.ts";
import type { Store } from "./store.ts";
import type { EngineContext } from "../core/context.ts";

/** Moves such a folder, whole, to quarantine; true when it did. Call while holding the workspace lock: no process creates meanwhile. */
export function setAsideOrphan(context: EngineContext, store: Store, id: string): boolean {
  const { disk, layout } = context;
  const folder = layout.folder(id);
  if (!isOrphan(context, id)) return false;
  const into = layout.sharedFile("quarantine", `${id}-${context.newId().slice(0, 8)}`);
  ensureDurableFolder(disk, dirname(into));
  // Again, right before: a folder that counts by now is its maker's, and this process may end before it puts that back.
  if (!isOrphan(context, id)) return false;
  disk.rename(folder, into);
  if (counts(context, id, into)) {
    returnFolder(context, { folder, into });
    return false;
  }
  context.notifications.notify(folder);
  disk.syncFolder(layout.tasks);
  store.drop(id);
  return true;
}

/** If two hold the lock, its maker may be slow and not dead. A log that cannot be read may have its lines. */
function counts(context: EngineContext, id: string, into: string): boolean {
  try {
    return !isEmpty(context, id, into);
  } catch (e) {
    if (errnoOf(e) === undefined && !isTaskfoldError(e)) throw e;
    return true;
  }
}

/** Its maker may have answered already, so a power cut must not take the name again. */
function returnFolder(
  { disk, layout, notices }: EngineContext,
  { folder, into }: { folder: string; into: string },
): void {
  try {
    disk.rename(into, folder);
    disk.syncFolder(layout.tasks);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    notices.push({
      code: "SET_ASIDE",
      message: `The folder ${basename(folder)} counts, and could not be put back: it lies in .coco/registry/quarantine/${basename(into)}.`,
      recovery: "Move it back to .coco/tasks, or ask for what it has with another id.",
    });
    throw e;
  }
}

/** Whether that is all that stands under the id. Another process may be creating it: only a holder of the workspace lock may rely on it. */
export function isOrphan(context: EngineContext, id: string): boolean {
  const { disk, layout } = context;
  const folder = layout.folder(id);
  if (disk.lstat(folder)?.kind !== "folder") return false;
  if (context.sparse.look().tasks.ids.has(id)) return false;
  if (disk.readdir(folder).some((name) => name !== LOG_FILE)) return false;
  return isEmpty(context, id, folder);
}

/** Nothing that counts is in its log. */
function isEmpty(context: EngineContext, id: string, folder: string): boolean {
  const loaded = new LoadedEntity(context, id, folder);
  loaded.catchUp();
  const { roots, held, foreign, markers, newer } = loaded.report;
  return roots.length + held + foreign.length + markers === 0 && !newer;
}
