/** What a list says of an entity by the head of its task.yaml, where that is as good as folding the log (PROJ-18, VIEW-22). */
import { sep } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { errnoOf } from "../files/storage_error.ts";
import { HEAD_BYTES, readTaskHead } from "../projections/task_head.ts";
import type { Listed } from "../state/listed.ts";

/** One for all: what is read is taken from it before the next one comes. */
const buffer = Buffer.allocUnsafe(HEAD_BYTES);

/**
 * Undefined unless the log, a plain file, has the length of the one that was folded, and is not younger than the file that
 * says so: git, a merge or a hand may have exchanged either of them alone.
 */
export function listedHead(disk: Disk, folder: string, id: string, log: FileStat): Listed | undefined {
  if (log.kind !== "file") return undefined;
  const head = readHead(disk, `${folder}${sep}task.yaml`, log);
  return head?.listed.id === id && head.logBytes === log.size ? head.listed : undefined;
}

function readHead(disk: Disk, path: string, log: FileStat): ReturnType<typeof readTaskHead> {
  try {
    const fd = disk.open(path, "r");
    try {
      const stat = disk.fstat(fd);
      if (stat.kind !== "file" || stat.mtimeMs < log.mtimeMs) return undefined;
      return readTaskHead(buffer.subarray(0, disk.read(fd, buffer, 0)));
    } finally {
      disk.close(fd);
    }
  } catch (e) {
    // Absent, a link, or not to be read: the log tells.
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}
