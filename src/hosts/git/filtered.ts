/**
 * Files that a program of the configuration would filter, such as those of Git LFS. No such program runs here, so such a file counts by its bytes
 * on disk. Git's index has the name of the bytes that the program made of them.
 */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { FileStat } from "../../disk.ts";
import { sameIndexed } from "../../files/file_sign.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { fullPath } from "./content_names.ts";
import { entriesOf } from "./entries.ts";
import { readRules } from "./ignore_rules.ts";
import { MAX_LISTED } from "./limits.ts";
import { wholeTree } from "./repository.ts";
import type { Repository } from "./repository.ts";
import type { Steps } from "./steps.ts";
import { attributesFile } from "./user_settings.ts";

/** The names of filters in the names of settings. */
export function filtersIn(settings: Iterable<string>): string[] {
  return [
    ...new Set(
      [...settings].flatMap((name) => /^filter\.(.+)\.(?:clean|process|smudge|required)$/s.exec(name)?.[1] ?? []),
    ),
  ];
}

/** Settings by which git starts none of them. Without them a file counts as it is. */
export function withoutFilters(filters: readonly string[]): string[] {
  return filters.flatMap((name) => {
    const driver = `filter.${Buffer.from(name, "latin1").toString("utf8")}`;
    return [`${driver}.clean=`, `${driver}.process=`, `${driver}.required=false`];
  });
}

/** Of these paths, those that one of the filters is for. */
export function* filteredPaths(
  repository: Repository,
  paths: readonly string[],
  { filters, attributes }: { filters: readonly string[]; attributes: string | undefined },
): Steps<string[]> {
  if (!mayFilter(repository, paths, attributes)) return [];
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  const args = ["-C", repository.top, "check-attr", "-z", "--stdin", "filter"];
  const [said] = yield [{ repository, args, input: { input, most: MAX_LISTED } }];
  const words = entriesOf(said!);
  const wanted = new Set(filters);
  return paths.filter((_, n) => wanted.has(words[n * 3 + 2] ?? ""));
}

/** Git is asked for all paths only where a file of attributes speaks of filters: many users have a filter that no repository needs. */
function mayFilter(repository: Repository, paths: readonly string[], attributes: string | undefined): boolean {
  const own = paths.filter((path) => path === NAME || path.endsWith(`/${NAME}`));
  const files = own.map((path) => fullPath(repository, path));
  const others = [join(repository.common, "info/attributes"), attributesFile(repository, attributes)];
  // Of a file that a sparse checkout leaves out git asks the index.
  return (
    files.some((path) => (readRules(path) ?? "filter").includes("filter")) ||
    others.some((path) => path !== undefined && readRules(path)?.includes("filter"))
  );
}

const NAME = ".gitattributes";

/**
 * Of these paths, those whose files have the times of the index. So the index has the name of the bytes that git would store. A fresh
 * clone has files as old as its index, which git would read again. So times are compared with all of their digits.
 */
export function* unchangedPaths(repository: Repository, paths: readonly string[]): Steps<string[]> {
  if (paths.length === 0) return [];
  const args = ["ls-files", "-z", "--debug", ...wholeTree(repository)];
  const [said] = yield [{ repository, args, input: { most: MAX_LISTED } }];
  const wanted = new Set(paths);
  const unchanged: string[] = [];
  let path = "";
  for (const entry of said!.toString("latin1").split("\0")) {
    // The numbers of a path stand before the next path.
    const [, times, next] = DEBUG.exec(entry) ?? [undefined, undefined, entry];
    if (times !== undefined && wanted.has(path)) {
      const stat = unlessRefused(() => nodeDisk.lstat(fullPath(repository, path)));
      if (stat && isAsInIndex(times, stat)) unchanged.push(path);
    }
    path = next!;
  }
  return unchanged;
}

/** Five lines, and the next path. */
const DEBUG = /^((?: {2}[^\n]*\n){5})([^]*)$/;

function isAsInIndex(said: string, stat: FileStat): boolean {
  const numbers = /ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n[^]*size: (\d+)/
    .exec(said)
    ?.slice(1);
  if (!numbers) return false;
  const [cSec, cNsec, mSec, mNsec, ino, size] = numbers.map(Number) as [number, number, number, number, number, number];
  return sameIndexed(stat, { ino, size, mtime: [mSec, mNsec], ctime: [cSec, cNsec] });
}
