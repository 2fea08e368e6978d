/** git replaces its index whenever it changes files of ours: the cheapest sign that logs may have been swapped. */
import { dirname, join, resolve } from "node:path";
import type { Disk, FileStat } from "../disk.ts";

/** A file that names a folder: longer than any path. */
const MOST_POINTER = 64 * 1024;

/** The index of the repository that `folder` lies in; undefined where there is none, or nothing that can be looked at. */
export function gitIndex(disk: Disk, folder: string): FileStat | undefined {
  try {
    return indexOf(disk, folder);
  } catch {
    // A `.git` that leads in a circle, or names no path at all: a hint that is not there. Every log is looked at then.
    return undefined;
  }
}

function indexOf({ outside }: Disk, folder: string): FileStat | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const entry = join(at, ".git");
    const { kind, size = 0 } = outside.stat(entry) ?? {};
    if (kind === "folder") return outside.stat(join(entry, "index"));
    // A worktree or a submodule: the file says where the folder is.
    const text = kind === "file" && size <= MOST_POINTER ? outside.readFile(entry, MOST_POINTER).toString("utf8") : "";
    const named = /^gitdir: (.+)$/m.exec(text);
    if (named) return outside.stat(resolve(at, named[1]!, "index"));
    if (dirname(at) === at) return undefined;
  }
}
