/** Where git keeps what belongs to a work tree, found by looking at files: no program is started for it. */
import { dirname, join, resolve } from "node:path";
import type { OutsideReader } from "../disk.ts";

/** A file that names a folder: longer than any path. */
const MAX_POINTER = 64 * 1024;

export interface GitFolder {
  /** Of this work tree alone: of a linked one it is a folder below that of the repository. */
  folder: string;
  /** Top of the work tree. */
  top: string;
}

/** Undefined outside of a work tree. Throws what the system says of a `.git` that cannot be followed. */
export function gitFolder(outside: OutsideReader, from: string): GitFolder | undefined {
  for (let top = from; ; top = dirname(top)) {
    const entry = join(top, ".git");
    const { kind, size = 0 } = outside.stat(entry) ?? {};
    if (kind === "folder") return { folder: entry, top };
    // A worktree or a submodule: the file says where the folder is.
    const text = kind === "file" && size <= MAX_POINTER ? outside.readFile(entry, MAX_POINTER).toString("utf8") : "";
    const named = /^gitdir: (.+)$/m.exec(text);
    if (named) return { folder: resolve(top, named[1]!), top };
    if (dirname(top) === top) return undefined;
  }
}

/** The folder that all work trees of a repository share. */
export function commonFolder(outside: OutsideReader, { folder }: GitFolder): string {
  const path = join(folder, "commondir");
  const { kind } = outside.stat(path) ?? {};
  return kind === "file" ? resolve(folder, outside.readFile(path, MAX_POINTER).toString("utf8").trim()) : folder;
}
