/** Files in the work tree that a caller of the runner writes, and that no stage changed (PACKET-272). */
import { join } from "node:path";
import { nodeDisk } from "../disk.ts";
import type { FileStat } from "../disk.ts";
import { errnoOf } from "../files/storage_error.ts";

const STDOUT = 1;
const STDERR = 2;

/** `paths` from the root on, without what this process prints into and without `files`, which are absolute. */
export function withoutOwn(paths: string[], root: string, files: readonly string[]): string[] {
  if (paths.length === 0) return paths;
  const looks = [
    ...[STDOUT, STDERR].map((fd) => () => nodeDisk.fstat(fd)),
    ...files.map((file) => () => nodeDisk.stat(file)),
  ];
  const own = new Set(looks.flatMap((look) => identityOf(look)));
  if (own.size === 0) return paths;
  return paths.filter((path) => !identityOf(() => nodeDisk.lstat(join(root, path))).some((one) => own.has(one)));
}

/** None of what is no file, and none of a descriptor that is closed. */
function identityOf(look: () => FileStat | undefined): string[] {
  try {
    const stat = look();
    return stat?.kind === "file" ? [`${stat.dev}:${stat.ino}`] : [];
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return [];
  }
}
