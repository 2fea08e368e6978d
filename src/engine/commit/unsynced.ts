/**
 * Bytes whose sync failed. The kernel may call such pages clean and drop them, and a second fdatasync would say yes to
 * nothing. So the engine keeps the bytes themselves, synced, in `registry/unsynced/<id>/`. The next writer of any process
 * appends them again before anything else (spec/durability.md). A line that is there twice counts once.
 *
 * Each failed write has one file, named by the root of its entity and by its bytes. It is written without the lock, so two writers whose
 * syncs fail at once must not overwrite each other's. The root tells lines of a folder that a person deleted from those of a new entity that
 * got its id.
 */
import { basename, dirname, join } from "node:path";
import type { Disk } from "../../disk.ts";
import { readRegular, removeQuietly, TEMP_PREFIX, writeAtomic } from "../../files/atomic.ts";
import { ensureFolder, listFolder, ensureSyncedFolder } from "../../files/folders.ts";
import { TaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { sha256 } from "../../log/canonical.ts";
import { wholeLines } from "../../log/whole_lines.ts";
import { moveAside } from "../core/quarantine.ts";
import type { EngineContext } from "../core/context.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";

/** A write has at most two ops of the largest size, or many small ones. */
const MAX_BYTES = 64 * 1024 * 1024;

/** How often another process may remove the empty folder between its making and the first file in it. */
const ATTEMPTS = 5;

/** Lines that were kept, and the file that has them. `root`: of the entity whose they are; empty where its writer knew none. */
export interface Kept {
  path: string;
  root: string;
  bytes: Buffer;
}

/** The folder that holds what is in doubt; not there while nothing is. */
export function unsyncedFolder(context: EngineContext, id: string): string {
  return context.layout.sharedFile("unsynced", id);
}

/**
 * Keeps doubtful bytes, and says how. `unsynced`: the disk that lost the first sync lost this one too. Processes of this machine see the
 * doubtful lines as well, and so they append them again before they build on them. `nowhere`: no file took them.
 */
export function keepAside(
  context: EngineContext,
  id: string,
  root: string,
  bytes: Buffer,
): "synced" | "unsynced" | "nowhere" {
  const { disk } = context;
  const folder = unsyncedFolder(context, id);
  const path = join(folder, `${root}.${sha256(bytes)}`);
  const isSynced = isDone(() => {
    ensureSyncedFolder(disk, context.layout.coco, folder);
    writeAtomic(disk, path, bytes, { sync: true });
  });
  if (isSynced) return "synced";
  const isThere = isDone(() => {
    ensureFolder(disk, folder);
    writeAtomic(disk, path, bytes);
  });
  return isThere ? "unsynced" : "nowhere";
}

/** Whether the disk did it. One that a host gave may refuse in words of its own. */
function isDone(write: () => void): boolean {
  for (let attempt = 1; ; attempt++) {
    try {
      write();
      return true;
    } catch (e) {
      if (errnoOf(e) !== "ENOENT" || attempt === ATTEMPTS) return false;
    }
  }
}

/** `kept`: the bytes are in `registry/unsynced`. */
export function unknownOutcome(id: string, cause: unknown, kept: boolean): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    `Expected the disk to confirm the write to ${id}; it did not. The change may or may not be kept.`,
    {
      cause,
      recovery: "Call again with the same idempotency_key: it is applied once.",
      details: { reason: "SYNC_FAILED", kept_aside: kept },
    },
  );
}

/** Whole lines that were kept, each with its file. Other files go aside. Undefined: no folder stood there, and that went aside. */
export function keptUnsynced(context: EngineContext, id: string, folder: string): Kept[] | undefined {
  const { disk } = context;
  if (disk.lstat(folder)?.kind !== "folder") {
    moveAside(context, folder, `unsynced-${id}`);
    return undefined;
  }
  return unsyncedFiles(disk, folder).flatMap((path) => {
    const [root, digest] = partsOf(basename(path));
    const bytes = linesOf(disk, path, digest);
    if (!bytes) moveAside(context, path, `unsynced-${id}-${basename(path)}`);
    return bytes ? [{ path, root, bytes }] : [];
  });
}

/** Those of the entity that has the id now. Lines of one that had it before go to quarantine: no other log may get them. */
export function keptOf(context: EngineContext, { id, entity }: LoadedEntity, kept: readonly Kept[]): Kept[] {
  return kept.filter(({ path, root }) => {
    const isOwn = !entity || root === "" || root === entity.root;
    if (!isOwn) moveAside(context, path, `unsynced-${id}-${basename(path)}`);
    return isOwn;
  });
}

function partsOf(name: string): [root: string, digest: string] {
  const dot = name.indexOf(".");
  return [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
}

/** Removes what is in its log by now, synced. */
export function dropUnsynced(context: EngineContext, folder: string, kept: readonly { path: string }[]): void {
  const { disk } = context;
  for (const { path } of kept) unlinkIfThere(disk, path);
  // Halves are of a process that was killed while it kept bytes; a live process writes them again.
  for (const name of listFolder(disk, folder))
    if (name.startsWith(TEMP_PREFIX)) removeQuietly(disk, join(folder, name));
  removeIfEmpty(context, folder);
}

/** The bytes of a file that `keep` wrote: named by their digest, and whole lines of a log. A link, a pipe or anything else is none. */
function linesOf(disk: Disk, path: string, digest: string): Buffer | undefined {
  const bytes = readRegular(disk, path, MAX_BYTES);
  return bytes && sha256(bytes) === digest && wholeLines(bytes) ? bytes : undefined;
}

/** Names of the whole files in this folder; none where it is no folder. */
export function unsyncedFiles(disk: Disk, folder: string): string[] {
  if (disk.lstat(folder)?.kind !== "folder") return [];
  return disk
    .readdir(folder)
    .filter((name) => !name.startsWith(TEMP_PREFIX))
    .toSorted()
    .map((name) => join(folder, name));
}

/** Another process that wrote the same bytes again may have been first. */
function unlinkIfThere(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (e) {
    if (errnoOf(e) !== "ENOENT") throw e;
  }
}

/** Others look for the folder at each write, and are the faster the sooner it is gone; one that is filled again stays. */
function removeIfEmpty({ disk }: EngineContext, folder: string): void {
  try {
    disk.rmdir(folder);
    disk.syncFolder(dirname(folder));
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
  }
}
