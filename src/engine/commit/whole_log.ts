/** A log's bytes at once, for those who cannot do with less: verify, which tells places, and what puts logs in order. */
import type { Disk } from "../../disk.ts";
import { FileTooLargeError } from "../../disk.ts";
import { readIfThere } from "../../files/atomic.ts";
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
