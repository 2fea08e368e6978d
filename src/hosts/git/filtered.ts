/**
 * Files that a program of the configuration would filter, such as those of Git LFS. No such program runs here, so such a file counts by its bytes
 * on disk. Git's index has the name of the bytes that the program made of them.
 */
import { join } from "node:path";
import { fullPath } from "./content_names.ts";
import { entriesOf } from "./entries.ts";
import { readRules } from "./ignore_rules.ts";
import { MAX_LISTED } from "./limits.ts";
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
  const [output] = yield [{ repository, args, input: { input, most: MAX_LISTED } }];
  const words = entriesOf(output!);
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
