/** A log's bytes at once: for verify, which tells places, and for what puts logs in order after git. */
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import { FileTooLargeError } from "../../disk.ts";
import { readIfThere, writeAtomic } from "../../files/atomic.ts";
import { LOG_FILE } from "../../files/layout.ts";
import type { EngineContext } from "../core/context.ts";
import { MAX_HELD, refuseAboveHeld } from "../../log/limits.ts";

/** Undefined when there is no such file; LOG_UNREADABLE when it is above what is held of a log. */
export function wholeLog(disk: Disk, path: string): Buffer | undefined {
  try {
    return readIfThere(disk, path, MAX_HELD);
  } catch (e) {
    if (e instanceof FileTooLargeError) refuseAboveHeld(MAX_HELD + 1);
    throw e;
  }
}

/**
 * Puts a whole log in place, synced: the only way by which lines leave a log. Call while holding the entity's lock. A program without
 * our locks may have appended to the old file meanwhile. Its bytes behind `before`, which was read, go to the new file.
 */
export function replaceLog({ disk, bell }: EngineContext, folder: string, bytes: Buffer, before?: Buffer): void {
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
  bell.ring(folder);
}
