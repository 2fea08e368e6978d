/** Where a program stands that this package starts by its name. */
import { delimiter, isAbsolute, join, relative } from "node:path";
import { nodeDisk } from "../disk.ts";
import { errnoOf } from "../files/storage_error.ts";

/**
 * The full path of a program. The system would also look in the folder where it runs: on Windows always, elsewhere where PATH has
 * an empty or relative entry. A program of the repository must not be taken for one of the system.
 */
export function programInPath(program: string, folder: string): string | undefined {
  const name = process.platform === "win32" ? `${program}.exe` : program;
  for (const entry of (process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(entry) || isWithin(folder, entry)) continue;
    const path = join(entry, name);
    if (isFile(path)) return path;
  }
  return undefined;
}

/** Whether a path is this folder or below it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith("../") || way.startsWith("..\\") || isAbsolute(way));
}

function isFile(path: string): boolean {
  try {
    return nodeDisk.stat(path)?.kind === "file";
  } catch (e) {
    // An entry of PATH that this user may not search has no program for him.
    if (errnoOf(e) !== undefined) return false;
    throw e;
  }
}
