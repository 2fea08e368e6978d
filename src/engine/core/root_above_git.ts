/** The warning of a workspace that was found above the repository that its caller stands in, as in a submodule (DIR-1). */
import { dirname, join, resolve } from "node:path";
import type { Disk } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** `from`: the folder where the search for the root began. Undefined where no folder on the way has a `.git`. */
export function rootAboveGit(disk: Disk, root: string, from: string): Warning | undefined {
  for (let folder = resolve(from); folder !== root; folder = dirname(folder)) {
    if (dirname(folder) === folder) return undefined;
    if (disk.lstat(join(folder, ".git")) === undefined) continue;
    return {
      code: "ROOT_ABOVE_GIT",
      message: `The change went to the workspace in ${root}, which lies above the repository in ${folder}.`,
      ...remedy`If it belongs into that repository, undo it, and run ${TASKFOLD} init there.`,
    };
  }
  return undefined;
}
