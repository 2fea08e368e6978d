/** A log's bytes at once, for those who cannot do with less: verify, which tells places, and what puts logs in order. */
import type { Disk } from "../disk.ts";
import { errnoOf } from "../files/storage_error.ts";
import { refuseAboveHeld } from "../log/limits.ts";

/** Undefined when there is no such file; LOG_UNREADABLE when it is above what is held of a log. */
export function wholeLog(disk: Disk, path: string): Buffer | undefined {
  const fd = openIfThere(disk, path);
  if (fd === undefined) return undefined;
  try {
    const { size } = disk.fstat(fd);
    refuseAboveHeld(size);
    const bytes = Buffer.allocUnsafe(size);
    let filled = 0;
    for (let got = -1; got !== 0 && filled < size; filled += got) got = disk.read(fd, bytes.subarray(filled), filled);
    return bytes.subarray(0, filled);
  } finally {
    disk.close(fd);
  }
}

function openIfThere(disk: Disk, path: string): number | undefined {
  try {
    return disk.open(path, "r");
  } catch (e) {
    if (errnoOf(e) === "ENOENT") return undefined;
    throw e;
  }
}
