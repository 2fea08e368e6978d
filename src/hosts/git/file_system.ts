/** Settings by the file system of the work tree. The configuration may say something else, and git then does not see a change. */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { Repository } from "./repository.ts";

export interface FileSystem {
  /** Settings by which git compares files with its index. */
  settings: string[];
  /** The mode of new files where it keeps none; undefined: that of the file. */
  newMode: "100644" | undefined;
}

/** Git itself tries the same at the files of its folder when it makes a repository. */
export function fileSystemOf({ common }: Repository): FileSystem {
  const { platform } = process;
  const hasModes =
    platform !== "win32" && ["HEAD", "config"].some((name) => !nodeDisk.outside.isExecutable(join(common, name)));
  const ignoresCase = nodeDisk.lstat(join(common, "hEAD")) !== undefined;
  return {
    settings: [
      "core.trustctime=true",
      "core.checkStat=default",
      `core.fileMode=${hasModes}`,
      `core.ignoreCase=${ignoresCase}`,
      ...(hasModes ? ["core.symlinks=true"] : []),
    ],
    newMode: hasModes ? undefined : "100644",
  };
}
