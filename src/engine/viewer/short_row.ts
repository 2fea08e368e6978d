/** The row of the board from a short log. The first board of ten thousand tasks costs hardly anything else. */
import { join } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { foldLog } from "../../fold_log.ts";
import type { OwnRow } from "../../views/viewer/board_row.ts";
import { ownRow } from "../../views/viewer/board_row.ts";
import { subjectOf } from "../entity/entity_on_disk.ts";
import { logWarnings } from "../entity/writable.ts";
import { readShortLog } from "../listing/short_log.ts";

const MAX_BYTES = 256 * 1024;

export interface ShortRow {
  own: OwnRow;
  /** Of the log that was read. */
  stat: FileStat;
}

/** Undefined for a log that is long, cannot be read or holds no entity: another way tells. */
export function readShortRow(disk: Disk, folder: string, id: string, workspace: string): ShortRow | undefined {
  return unlessRefused(() =>
    readShortLog(disk, join(folder, LOG_FILE), MAX_BYTES, (source, stat) => {
      const { entity, report } = foldLog(source, { ring: 1 });
      if (!entity) return undefined;
      return { own: ownRow(subjectOf(id, workspace, entity, report), "log", codesOf({ id, report })), stat };
    }),
  );
}

/** Whether task.yaml names an end that is lost, the check of the folder says. */
export function codesOf(loaded: Parameters<typeof logWarnings>[0]): string[] {
  return [...new Set(logWarnings(loaded).map(({ code }) => code))];
}
