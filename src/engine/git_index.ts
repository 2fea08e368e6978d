/** git replaces its index whenever it changes files of ours: the cheapest sign that logs may have been swapped. */
import { dirname, join, resolve } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { readIfThere } from "../files/atomic.ts";

/** Such a file has one path. */
const MOST_POINTER = 64 * 1024;

/** The index of the repository that `folder` lies in; undefined where there is none. */
export function gitIndex(disk: Disk, folder: string): FileStat | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const entry = join(at, ".git");
    const { kind, size = 0 } = disk.stat(entry) ?? {};
    if (kind === "folder") return disk.stat(join(entry, "index"));
    // A worktree or a submodule: the file says where the folder is.
    const named =
      kind === "file" && size <= MOST_POINTER
        ? /^gitdir: (.+)$/m.exec(readIfThere(disk, entry)?.toString("utf8") ?? "")
        : null;
    if (named) return disk.stat(resolve(at, named[1]!, "index"));
    if (dirname(at) === at) return undefined;
  }
}
