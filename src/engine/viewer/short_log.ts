/** The row of an entity from its log, in one reading of the file. The first board of ten thousand tasks costs hardly anything else. */
import { join } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { ByteSource } from "../../log/source.ts";
import type { OwnRow } from "../../views/viewer/board_row.ts";
import { ownRow } from "../../views/viewer/board_row.ts";
import { foldLog } from "../../fold_log.ts";
import { subjectOf } from "../entity/entity_on_disk.ts";
import { logWarnings } from "../entity/writable.ts";

/** A longer log is read piece by piece. */
const MAX_BYTES = 256 * 1024;

export interface ShortLog {
  own: OwnRow;
  /** Of the file that was read. */
  stat: FileStat;
}

/** Undefined for a log that is long, absent, no file or without an entity: another way tells. */
export function readShortLog(disk: Disk, folder: string, id: string, workspace: string): ShortLog | undefined {
  const fd = opened(disk, join(folder, LOG_FILE));
  if (fd === undefined) return undefined;
  try {
    const stat = disk.fstat(fd);
    if (stat.kind !== "file" || stat.size === 0 || stat.size > MAX_BYTES) return undefined;
    const source: ByteSource = { size: () => stat.size, read: (into, position) => disk.read(fd, into, position) };
    const { entity, report } = foldLog(source, { ring: 1 });
    if (!entity) return undefined;
    return { own: ownRow(subjectOf(id, workspace, entity, report), "log", codesOf({ id, report })), stat };
  } finally {
    disk.close(fd);
  }
}

/** By its path: half the calls that its folder would cost. */
function opened(disk: Disk, path: string): number | undefined {
  try {
    return disk.open(path, "r");
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}

/** Whether task.yaml names an end that is lost, the check of the folder says. */
export function codesOf(loaded: Parameters<typeof logWarnings>[0]): string[] {
  return [...new Set(logWarnings(loaded).map(({ code }) => code))];
}
