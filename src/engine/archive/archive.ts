/** The folder of what was deleted or put away moves to the archive, whole. Failing to move it leaves it hidden where it is. */
import type { Warning } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { acquireAll, filesLock } from "../core/lock.ts";
import { moveFolder } from "./move_folder.ts";
import { dropOutputs } from "../packet/packet_files.ts";
import type { LogWriter } from "../commit/log_writer.ts";
import type { EngineContext } from "../core/context.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

interface Archiving {
  readonly context: EngineContext;
  readonly logs: LogWriter;
}

export async function archive({ context, logs }: Archiving, loaded: LoadedEntity): Promise<Warning[]> {
  const { id } = loaded;
  try {
    const lock = await acquireAll(context, [id, filesLock(id)]);
    try {
      // No process writes to it there, so nothing would write again what is in doubt (DUR-5).
      try {
        logs.syncs.repair(loaded);
      } finally {
        // The caller answers with it, also if it stays where it is.
        loaded.catchUp();
      }
      // Restored by another process while this one waited.
      if (!loaded.entity || !isArchivedOrDeleted(loaded.entity)) return [];
      dropOutputs(context, loaded);
      loaded.log.close();
      if (moveFolder(context, id, "archive")) return [];
      const message = `The archive already has a folder named ${id}; the one that goes there stays where it is, hidden.`;
      return [{ code: "PROJECTION_FAILED", message, ...remedy`${TASKFOLD} resolve ${id}` }];
    } finally {
      lock.release();
    }
  } catch (e) {
    const { message, recovery } = storageError(e, `move the folder of ${id} to the archive`);
    return [{ code: "PROJECTION_FAILED", message, ...(recovery === undefined ? {} : { recovery }) }];
  }
}
