/** The warning of a read that looked at bytes on the shared log alone. */
import type { Warning } from "../../errors.ts";
import { counted } from "../../state/counted.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export function remoteWarning(id: string, files: number): Warning {
  return {
    code: "BYTES_REMOTE",
    message: `${counted(files, "file")} that events of ${id} name ${files === 1 ? "is" : "are"} on the shared log and not on this machine.`,
    ...remedy`Call again when a server of the shared log answers; ${TASKFOLD} shared sync --blobs fetches all such files.`,
  };
}
