/**
 * A disk that takes names for one that differ in letter case alone, and keeps the spelling that came first. As on some such
 * file systems an inode does not tell that two names are one: each spelling has its own.
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import type { Disk, FileStat } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";

export function ignoringCase(root: string): Disk {
  const kept = (path: string): string => {
    if (!path.startsWith(root + sep)) return path;
    return path
      .slice(root.length + 1)
      .split(sep)
      .reduce((at, name) => join(at, spelled(at, name)), root);
  };
  const seen = (path: string, stat: FileStat | undefined): FileStat | undefined =>
    stat && { ...stat, ino: createHash("sha256").update(path).digest().readUInt32BE() };
  return {
    ...nodeDisk,
    open: (path, flags) => nodeDisk.open(kept(path), flags),
    stat: (path) => nodeDisk.stat(kept(path)),
    // A log's inode is compared with its descriptor's.
    lstat: (path) =>
      path.endsWith(".md") || path.includes(".tsk")
        ? seen(path, nodeDisk.lstat(kept(path)))
        : nodeDisk.lstat(kept(path)),
    readFile: (path) => nodeDisk.readFile(kept(path)),
    readdir: (path) => nodeDisk.readdir(kept(path)),
    mkdir: (path) => nodeDisk.mkdir(kept(path)),
    rename: (from, to) => nodeDisk.rename(kept(from), kept(to)),
    unlink: (path) => nodeDisk.unlink(kept(path)),
    rmdir: (path) => nodeDisk.rmdir(kept(path)),
    exchange: () => {
      throw Object.assign(new Error("EINVAL: exchange"), { code: "EINVAL" });
    },
  };
}

/** As it stands in the folder; itself where it does not. */
function spelled(folder: string, name: string): string {
  try {
    return readdirSync(folder).find((other) => other.toLowerCase() === name.toLowerCase()) ?? name;
  } catch {
    return name;
  }
}
