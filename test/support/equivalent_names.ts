/**
 * A disk that takes some names for others, as file systems do that this machine may not have: letter case, normal forms, short
 * names. It reads a real folder; only the names differ.
 */
import { basename, dirname, join } from "node:path";
import { nodePathReader } from "../../src/disk.ts";
import type { PathReader } from "../../src/disk.ts";

/** `same` says the one spelling under which the disk keeps a name. `knows` is whether the system tells that spelling. */
export function takingNamesFor(same: (name: string) => string, knows: boolean): PathReader {
  const real = (path: string): string => {
    if (dirname(path) === path) return path;
    return join(real(dirname(path)), same(basename(path)));
  };
  return {
    lstat: (path) => nodePathReader.lstat(real(path)),
    readlink: (path) => nodePathReader.readlink(real(path)),
    realpath: async (path) => (await nodePathReader.realpath(real(path))) && (knows ? real(path) : path),
    readdir: (path) => nodePathReader.readdir(real(path)),
  };
}
