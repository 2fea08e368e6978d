/** Reads a short log in one opening, past the store: nothing of ten thousand logs stays in memory but their rows. */
import type { Disk, FileStat } from "../../disk.ts";
import type { ByteSource } from "../../log/source.ts";

/** Undefined for a log that is empty or no file, and for one of more bytes than `most`: it is read piece by piece. */
export function readShortLog<T>(
  disk: Disk,
  path: string,
  most: number,
  read: (source: ByteSource, stat: FileStat) => T,
): T | undefined {
  // By its path: half the calls that its folder would cost.
  const fd = disk.open(path, "r");
  try {
    const stat = disk.fstat(fd);
    if (stat.kind !== "file" || stat.size === 0 || stat.size > most) return undefined;
    return read({ size: () => stat.size, read: (into, position) => disk.read(fd, into, position) }, stat);
  } finally {
    disk.close(fd);
  }
}
