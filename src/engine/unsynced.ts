/**
 * Bytes whose sync failed. The kernel may call such pages clean and drop them, and a second fdatasync would say yes to
 * nothing: so the bytes themselves are kept, synced, in `registry/unsynced/<id>`, and the next writer of any process
 * appends them again before anything else (spec/durability.md). A line that is there twice counts once.
 */
import { dirname } from "node:path";
import { readIfThere, writeAtomic } from "../files/atomic.ts";
import { ensureDurableFolder } from "../files/folders.ts";
import { TaskfoldError } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import type { Handle } from "./handle.ts";
import type { World } from "./world.ts";

export function unsyncedMarker(world: World, id: string): string {
  return world.layout.registryFile("unsynced", id);
}

/** Keeps doubtful bytes, added to those kept before. Returns the error that callers get: they must retry with the same key. */
export function keepUnsynced(world: World, handle: Handle, bytes: Buffer, cause: unknown): TaskfoldError {
  const path = unsyncedMarker(world, handle.id);
  handle.forget();
  let kept = true;
  try {
    ensureDurableFolder(world.disk, dirname(path));
    const before = readIfThere(world.disk, path) ?? Buffer.alloc(0);
    writeAtomic(world.disk, path, Buffer.concat([before, bytes]), { sync: true });
  } catch {
    // The disk that lost the first sync may lose this one too; the caller is told the outcome is unknown either way.
    kept = false;
  }
  return unknownOutcome(handle.id, cause, kept);
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

/**
 * Appends what an earlier sync left in doubt at `path` and syncs it. Call while holding the lock, before catching up.
 *
 * Looked for at every write, which costs about 2 microseconds: another process may have left it for bytes that this writer
 * has long read and built on, and nothing in the log shows that.
 */
export function repairUnsynced(world: World, handle: Handle, path: string): void {
  if (!world.disk.lstat(path)) return;
  try {
    const bytes = readIfThere(world.disk, path);
    if (!bytes) return;
    // Git has taken the log away: to write it anew is not this call's to decide, and the bytes wait.
    if (!handle.catchUp()) return;
    const closing = handle.log.unended ? Buffer.from("\n") : Buffer.alloc(0);
    if (handle.log.append(Buffer.concat([closing, bytes])) === null) return;
    handle.log.syncNow();
    world.disk.unlink(path);
    world.disk.syncFolder(dirname(path));
    handle.forget();
  } catch (e) {
    handle.forget();
    throw storageError(e, `write again what a failed sync of ${handle.id} left in doubt`);
  }
}
