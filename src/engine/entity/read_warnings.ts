/** The warnings of every read of an entity (VERIFY-42, HISTORY-1). */
import type { Disk } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import { lostEndsOf, shorterWarnings } from "./log_truncated.ts";
import { twoFoldersWarnings } from "./two_folders.ts";
import { logWarnings } from "./writable.ts";

/** Costs a look at task.yaml for each reading of the log, and those of `secondFolder`. */
export function readWarnings(disk: Disk, loaded: LoadedEntity): Warning[] {
  if (!loaded.entity) return [];
  return [...logWarnings(loaded), ...shorterWarnings(loaded, lostEndsOf(disk, loaded)), ...twoFoldersWarnings(loaded)];
}

/** The same in an answer about many. */
export function readWarningsOf(disk: Disk, entities: readonly LoadedEntity[]): Warning[] {
  return entities.flatMap((loaded) =>
    readWarnings(disk, loaded).map((one) => ({ ...one, message: `${loaded.id}: ${one.message}` })),
  );
}
