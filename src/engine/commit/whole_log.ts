/**
 * Writes the file of a log as a whole, for a new entity, or in the place of a log that repair put in order. Only the log writer
 * calls this. All other bytes are appended.
 */
import { dirname, join } from "node:path";
import type { FileStat } from "../../disk.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { writeAll, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder, ensureFolderInside, removeHollow, removeTree } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Content } from "../../state/named_bytes.ts";
import { idTaken } from "./id_taken.ts";
import { writeContents } from "./named_files.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineContext } from "../core/context.ts";

/**
 * Writes the log of a new entity, synced with every name on the way to it, or leaves nothing that counts. Files that the log names are
 * there when the log is. The next write completes what a crash in between leaves.
 */
export function writeNewLog(
  context: EngineContext,
  loaded: LoadedEntity,
  bytes: Buffer,
  contents: readonly Content[],
): void {
  if (contents.length === 0) writeLog(context, loaded, bytes);
  else writeFolder(context, loaded, bytes, contents);
}

/** An empty log in a folder that is there already: its first lines are appended. */
export function writeEmptyLog({ disk }: EngineContext, path: string): void {
  disk.close(disk.open(path, "a+"));
}

/**
 * Puts a whole log in place, synced: the only way by which lines leave a log. Call while holding the entity's lock. A program without
 * our locks may have appended to the old file meanwhile. Its bytes behind `before`, which was read, go to the new file.
 */
export function replaceLog(
  { disk, notifications }: EngineContext,
  folder: string,
  bytes: Buffer,
  before?: Buffer,
): void {
  const path = join(folder, LOG_FILE);
  const old = before === undefined ? undefined : disk.open(path, "r");
  try {
    writeAtomic(disk, path, bytes, { sync: true });
    const late = old === undefined ? 0 : disk.fstat(old).size - before!.length;
    if (late > 0) {
      const tail = Buffer.alloc(late);
      disk.read(old!, tail, before!.length);
      writeAtomic(disk, path, Buffer.concat([bytes, tail]), { sync: true });
    }
  } finally {
    if (old !== undefined) disk.close(old);
  }
  notifications.notify(folder);
}

/** The folder is made whole under another name, and gets its own at last. */
function writeFolder(context: EngineContext, loaded: LoadedEntity, bytes: Buffer, contents: readonly Content[]): void {
  const { disk, layout, durability } = context;
  const making = layout.machineFile("packet", `making.${loaded.id}`);
  removeTree(disk, making);
  ensureFolder(disk, making);
  writeContents(context, new LoadedEntity(context, loaded.id, making), contents);
  writeAtomic(disk, join(making, LOG_FILE), bytes, { sync: durability !== "os" });
  const tasks = ensureFolderOfTasks(context);
  removeHollow(disk, loaded.folder);
  if (disk.lstat(loaded.folder)) throw idTaken(loaded.id);
  ringBefore(context, loaded);
  disk.rename(making, loaded.folder);
  if (durability !== "os") disk.syncFolder(layout.tasks);
  tasks.makeLast();
  context.notifications.notify(loaded.folder);
}

/** For each workspace the folder of tasks whose name it made last. */
const lasting = new WeakMap<EngineContext, string | undefined>();

/** The folder of tasks is there. `makeLast` syncs its name: another process may have made it that was killed (DUR-113). */
function ensureFolderOfTasks(context: EngineContext): { makeLast: () => void } {
  const { disk, layout, durability } = context;
  const isMade = ensureFolderInside(disk, layout.root, ".coco/tasks").length > 0;
  // A system gives the number of a folder that is gone to the next one.
  const identity = disk.identity(layout.tasks);
  const makeLast = (): void => {
    if (durability === "os" || (!isMade && lasting.get(context) === identity)) return;
    for (const folder of [layout.coco, layout.root]) disk.syncFolder(folder);
    lasting.set(context, identity);
  };
  return { makeLast };
}

function writeLog(context: EngineContext, loaded: LoadedEntity, bytes: Buffer): void {
  const { disk, layout, durability } = context;
  const tasks = ensureFolderOfTasks(context);
  const path = loaded.log.path;
  removeHollow(disk, loaded.folder);
  ringBefore(context, loaded);
  disk.mkdir(loaded.folder);
  let made: number | undefined;
  try {
    const fd = disk.open(path, "wx");
    made = disk.fstat(fd).ino;
    try {
      writeAll(disk, fd, bytes);
      if (durability !== "os") disk.fsync(fd);
      if (!bytes.equals(readBack(context, path, Buffer.allocUnsafe(bytes.length)))) throw elsewhere();
    } finally {
      disk.close(fd);
    }
    if (durability !== "os") for (const folder of [loaded.folder, layout.tasks]) disk.syncFolder(folder);
    tasks.makeLast();
    context.notifications.notify(loaded.folder);
  } catch (e) {
    const isGone = made === undefined || takeAway(context, path, { ino: made, size: bytes.length });
    removeFolderQuietly(context, dirname(path));
    throw isGone || isTaskfoldError(e) ? e : elsewhere(e);
  }
}

/**
 * Removes the log that a creation failed to make. False: it may count still (DUR-4). If two processes hold the lock, the file of that name
 * may be the other one's. It may have lines of the other one behind its own. Or its folder is aside, and comes back.
 */
function takeAway({ disk }: EngineContext, path: string, own: Pick<FileStat, "ino" | "size">): boolean {
  try {
    const found = disk.lstat(path);
    if (found?.ino !== own.ino || found.size > own.size) return false;
    disk.unlink(path);
    return true;
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

function elsewhere(cause?: unknown): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    "Expected the new log to hold what was just written; another one stands in its place.",
    { cause, recovery: "Call again with the same idempotency_key." },
  );
}

/** After a crash between the two notifications, the next holder of the lock knows which name to look at (FRESH-2). */
function ringBefore(context: EngineContext, loaded: LoadedEntity): void {
  context.notifications.notify(loaded.folder);
}

function readBack(context: EngineContext, path: string, into: Buffer): Buffer {
  const fd = context.disk.open(path, "r");
  try {
    const n = context.disk.read(fd, into, 0);
    return into.subarray(0, n);
  } finally {
    context.disk.close(fd);
  }
}

/** A folder that cannot be removed is an empty one: the next creation of that id takes another number. */
function removeFolderQuietly(context: EngineContext, folder: string): void {
  try {
    context.disk.rmdir(folder);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
  }
}
