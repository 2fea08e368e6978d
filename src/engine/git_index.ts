/** git replaces its index whenever it changes files of ours: the cheapest sign that logs may have been swapped. */
import { dirname, join, resolve } from "node:path";
import type { Disk, FileStat } from "../disk.ts";

/** A file that names a folder: longer than any path. */
const MOST_BYTES = 64 * 1024;

/** The index of the repository that `folder` lies in; undefined where there is none. */
export function gitIndex(disk: Disk, folder: string): FileStat | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const entry = join(at, ".git");
    const kind = disk.outside.stat(entry)?.kind;
    if (kind === "folder") return disk.outside.stat(join(entry, "index"));
    // A worktree or a submodule: the file says where the folder is.
    const named =
      kind === "file" ? /^gitdir: (.+)$/m.exec(disk.outside.readFile(entry, MOST_BYTES).toString("utf8")) : null;
    if (named) return disk.outside.stat(resolve(at, named[1]!, "index"));
    if (dirname(at) === at) return undefined;
  }
}
