/**
 * The folder that a crash in the middle of a creation leaves: with nothing in it, or with a log that has no whole op. It
 * never counted, and it stands in the way of the retry, which may ask for the same id.
 */
import { basename, dirname } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { ensureSyncedFolder } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { asideEntry, readAsideEntry } from "./aside_entry.ts";
import { LoadedEntity } from "./loaded_entity.ts";
import type { Store } from "./store.ts";
import type { EngineContext } from "../core/context.ts";

/**
 * Moves such a folder, whole, to quarantine; true when it did. Call while holding the workspace lock: no process creates meanwhile.
 * It goes by way of the journal. If this process ends on the way, the next writer ends the move.
 */
export function setAsideOrphan(context: EngineContext, store: Store, id: string): boolean {
  const { disk, layout } = context;
  if (!isOrphan(context, id)) return false;
  const entry = layout.sharedFile("journal", asideEntry(id, context.newId()));
  ensureSyncedFolder(disk, layout.coco, dirname(entry));
  // Again, right before: a folder that counts by now is its maker's.
  if (!isOrphan(context, id)) return false;
  disk.rename(layout.folder(id), entry);
  return !endSettingAside(context, store, basename(entry));
}

/**
 * Ends the move of a folder that lies in the journal; true when it came back, because it counts. Its maker was slow and not dead then:
 * two held the lock. Call while holding the workspace lock.
 */
export function endSettingAside(context: EngineContext, store: Store, entry: string): boolean {
  const { disk, layout, notifications } = context;
  const { id, kept } = readAsideEntry(entry)!;
  const folder = layout.folder(id);
  const from = layout.sharedFile("journal", entry);
  const into = layout.sharedFile("quarantine", kept);
  ensureSyncedFolder(disk, layout.coco, dirname(into));
  let isBack = counts(context, id, from);
  try {
    isBack &&= returnFolder(context, from, folder, into);
    if (!isBack) disk.rename(from, into);
  } catch (e) {
    if (errnoOf(e) !== "ENOENT") throw e;
    // The other holder of the lock ended it.
    isBack = disk.lstat(folder) !== undefined;
  }
  // Its maker may have answered already, so a power cut must not take the name again.
  disk.syncFolder(layout.tasks);
  notifications.notify(folder);
  store.drop(id);
  return isBack;
}

/** A log that cannot be read may have its lines. */
function counts(context: EngineContext, id: string, folder: string): boolean {
  try {
    return !isEmpty(context, id, folder);
  } catch (e) {
    if (errnoOf(e) === undefined && !isTaskfoldError(e)) throw e;
    return true;
  }
}

/** False: another has the name by now. */
function returnFolder({ disk, notices }: EngineContext, from: string, folder: string, into: string): boolean {
  try {
    disk.rename(from, folder);
    return true;
  } catch (e) {
    const errno = errnoOf(e);
    if (errno !== "ENOTEMPTY" && errno !== "EEXIST" && errno !== "ENOTDIR") throw e;
    notices.push({
      code: "SET_ASIDE",
      message: `The folder ${basename(folder)} counts, and another has its place: it lies in .coco/registry/quarantine/${basename(into)}.`,
      recovery: "Ask for what it has with another id.",
    });
    return false;
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
