/** The warnings of every read of an entity (VERIFY-42, HISTORY-6). */
import type { Disk } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import { lostEndsOf, shorterWarnings } from "./log_shorter.ts";
import { logWarnings } from "./writable.ts";

/** Costs a look at task.yaml for each reading of the log. */
export function readWarnings(disk: Disk, handle: LoadedEntity): Warning[] {
  if (!handle.entity) return [];
  return [...logWarnings(handle), ...shorterWarnings(handle, lostEndsOf(disk, handle))];
}

/** The same in an answer about many. */
export function readWarningsOf(disk: Disk, handles: readonly LoadedEntity[]): Warning[] {
  return handles.flatMap((handle) =>
    readWarnings(disk, handle).map((one) => ({ ...one, message: `${handle.id}: ${one.message}` })),
  );
}
