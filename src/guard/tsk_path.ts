/**
 * Tells whether a path leads into a Taskdoc package. Every name on the way is looked at as the system will walk it.
 * That is through links, their links, and names that a file system takes for the same as another.
 */
import { dirname, isAbsolute, join, parse, resolve, sep } from "node:path";
import type { FileStat, PathReader } from "../disk.ts";
import { nodePathReader } from "../disk.ts";
import { isEncapsulatedPathLexical } from "../state/tsk_name.ts";

export interface GuardOptions {
  /** Folder that relative paths start from; absolute, or relative to the folder of the process. Default: that folder. */
  cwd?: string;
}

/** Links that one path may go through, as in Linux; beyond that it is a loop, or might be. */
const MAX_LINKS = 40;

/** Where the system separates the names of a path. */
const SEPARATOR = sep === "\\" ? /[\\/]/ : "/";

/** Only such a name can stand on the disk in letters that differ more than the guard's own folding knows. */
const UNUSUAL = /[^\x20-\x7d]|~/;

/**
 * Whether a path is, is inside of, or goes through a Taskdoc package (`*.tsk`). To be asked before every read, write,
 * listing, move, deletion and search of a general file tool, for every path of the call.
 *
 * It follows links as the system would (also dangling ones, `..` behind a link, and links in `cwd`). If the letters do
 * not decide, it compares names by what they are on the disk. A path that cannot be looked at is taken for
 * encapsulated. It has a loop or a name that is too long, or a folder on the way may not be read. It holds for the
 * moment at which it is asked. A program beside it can put a link there afterwards, and a hard link to a file of a
 * package is not seen.
 *
 * @param path as the tool will open it. A tool that decodes or expands it (a URL, `~`) does so first.
 * @returns true: refuse, with `encapsulationError`. Never rejects. Costs one lstat per name on the way, and one
 * realpath. Rules GUARD-1, GUARD-2, GUARD-7 and GUARD-12 (spec/guard.md).
 */
export function isEncapsulatedPath(path: string, options: GuardOptions = {}): Promise<boolean> {
  return leadsIntoPackage(nodePathReader, path, options.cwd ?? ".");
}

/** `isEncapsulatedPath` on any disk. @internal */
export async function leadsIntoPackage(disk: PathReader, path: string, cwd: string): Promise<boolean> {
  if (isEncapsulatedPathLexical(path)) return true;
  try {
    for (const way of waysOf(path, cwd)) {
      if (isEncapsulatedPathLexical(way) || (await goesThroughPackage(disk, way))) return true;
    }
    return false;
  } catch {
    // A loop, EACCES, ENAMETOOLONG: who may see more than this process would still be led there.
    return true;
  }
}

/**
 * The system follows a link before it climbs out of it with `..`; most tools take `..` away first. Both ways are looked
 * at, since the tool's way is unknown. Windows itself takes `..` away first.
 */
function waysOf(path: string, cwd: string): string[] {
  const resolved = resolve(cwd, path);
  if (sep === "\\") return [resolved];
  const asGiven = [path, cwd, resolve(".")];
  const from = asGiven.findIndex((part) => isAbsolute(part));
  const way = asGiven
    .slice(0, from + 1)
    .toReversed()
    .join("/");
  return way.split("/").includes("..") ? [resolved, way] : [resolved];
}

/** Walks an absolute path name by name. Names that are not there count as folders: a tool may be about to make them. */
async function goesThroughPackage(disk: PathReader, path: string): Promise<boolean> {
  let at = parse(path).root;
  const ahead = namesOf(path, at).toReversed();
  for (let links = 0; ahead.length > 0;) {
    const name = ahead.pop() ?? "";
    if (name === "..") at = dirname(at);
    if (name === "" || name === "." || name === "..") continue;
    const next = join(at, name);
    const stat = await disk.lstat(next);
    if (stat?.kind === "link") {
      const target = await disk.readlink(next);
      if (++links > MAX_LINKS || isEncapsulatedPathLexical(target)) return true;
      const root = isAbsolute(target) ? parse(resolve(at, target)).root : "";
      if (root !== "") at = root;
      ahead.push(...namesOf(target, parse(target).root).toReversed());
      continue;
    }
    if (stat && UNUSUAL.test(name) && (await isPackageOfOtherName(disk, at, stat))) return true;
    at = next;
  }
  return isEncapsulatedPathLexical(await realNameOf(disk, at));
}

function namesOf(path: string, root: string): string[] {
  return path.slice(root.length).split(SEPARATOR);
}

/** Whether what was found in this folder stands there under the name of a package, so that the disk took one name for the other. */
async function isPackageOfOtherName(disk: PathReader, folder: string, found: FileStat): Promise<boolean> {
  for (const { name } of await disk.readdir(folder)) {
    if (!isEncapsulatedPathLexical(name)) continue;
    const stat = await disk.lstat(join(folder, name));
    if (stat?.ino === found.ino && stat.dev === found.dev) return true;
  }
  return false;
}

/**
 * Returns the system's name of the deepest folder or file of this path that is there: short names, substituted drives,
 * inode paths.
 */
async function realNameOf(disk: PathReader, path: string): Promise<string> {
  const real = await disk.realpath(path);
  return real ?? (dirname(path) === path ? path : realNameOf(disk, dirname(path)));
}
