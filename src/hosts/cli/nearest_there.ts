/** Finds where git runs for a folder that is not there yet. A folder that is made there lies in the same repository. */
import { dirname } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { FileStat } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";

/** The nearest path upwards that is there, or the path itself. */
export function nearestThere(path: string): { path: string; kind: FileStat["kind"] | undefined } {
  for (let at = path; ; at = dirname(at)) {
    const kind = kindOf(at);
    if (kind !== undefined || dirname(at) === at) return { path: at, kind };
  }
}

/** Undefined also below a file. */
function kindOf(path: string): FileStat["kind"] | undefined {
  try {
    return nodeDisk.stat(path)?.kind;
  } catch (e) {
    if (errnoOf(e) === "ENOTDIR") return undefined;
    throw e;
  }
}
