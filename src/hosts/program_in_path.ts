/** Where a program stands that this package starts by its name. */
import { delimiter, dirname, isAbsolute, join, relative } from "node:path";
import { nodeDisk } from "../disk.ts";
import { errnoOf } from "../files/storage_error.ts";

/**
 * The full path of a program. The system would also look in the folder where it runs: on Windows always, elsewhere where PATH has
 * an empty or relative entry. A program of the repository must not be taken for one of the system. No folder of its work tree counts,
 * also by a link. No `node_modules/.bin` does either, as `npx` puts each of those above the folder first. `endings`: of files that
 * Windows starts by that name.
 */
export function programInPath(
  program: string,
  folder: string,
  endings: readonly string[] = [".exe"],
): string | undefined {
  const names = process.platform === "win32" ? endings.map((ending) => program + ending) : [program];
  const own = ownFolders(folder);
  const isOwn = (path: string): boolean => BIN_OF_PACKAGES.test(path) || own.some((one) => isWithin(one, path));
  for (const entry of (process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(entry) || isOwn(entry)) continue;
    const path = names.map((name) => join(entry, name)).find(isFile);
    if (path === undefined) continue;
    const places = [realOf(entry), realOf(path)];
    if (places.every((place) => place !== undefined && !isOwn(place))) return path;
  }
  return undefined;
}

const BIN_OF_PACKAGES = /[\\/]node_modules[\\/]\.bin(?:[\\/]|$)/i;

/** The folder and the top of its work tree, each also by its real path. Git is not asked: this finds git itself. */
function ownFolders(folder: string): string[] {
  const real = realOf(folder) ?? folder;
  return [...new Set([folder, real, topOf(folder), topOf(real)])];
}

/** The nearest folder upwards that has a `.git`; where none has, the folder itself. */
function topOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (nodeDisk.outside.stat(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

/** Undefined where nothing is there, or this user may not look. */
export function realOf(path: string): string | undefined {
  try {
    return nodeDisk.outside.realpath(path);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
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
