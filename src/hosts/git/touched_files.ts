/**
 * Files that may have changed since a moment, by their content. An index can say anything of such a file. A program can write the index, and a rule that
 * came and went can have converted the file. But no program sets the time of its place, and git believes an entry only if that is the same.
 */
import { CLOCKS_MS } from "../../files/file_sign.ts";
import { contentNames } from "./content_names.ts";
import { isAsIndexed, isPast } from "./index_files.ts";
import type { IndexFiles } from "./index_files.ts";
import type { Repository } from "./repository.ts";
import { waitedFor } from "./steps.ts";

interface How {
  /** Files that were read, because git or a look found them otherwise than the index. Of a staged file git says what the index says. */
  isRead: (path: string) => boolean;
  settings: readonly string[];
}

/** Of these, the files that are otherwise than the index has them: mode and name by their content. A moment is in milliseconds. Each file is read once for all moments. */
export function touchedFiles(
  repository: Repository,
  index: IndexFiles,
  { isRead, settings }: How,
): (since: number) => Map<string, string | null> {
  const { files, signs, flagged } = index;
  const named = new Map<string, string | null>();
  const isOtherwise = ([path, name]: readonly [string, string | null]): boolean => name !== files.get(path);
  const modesOf = (paths: readonly string[]): Map<string, string> =>
    new Map(paths.map((path) => [path, files.get(path)!.slice(0, 6)]));
  const read = (paths: readonly string[]): void => {
    const raw = [...waitedFor(contentNames(repository, modesOf(paths), settings, true))];
    for (const [path, name] of raw) named.set(path, name);
    for (const one of raw)
      if (!isOtherwise(one) && isPast(index, one[0]) && isAsIndexed(repository, index, one[0])) index.read.add(one[0]);
    const converted = modesOf(raw.filter(isOtherwise).map(([path]) => path));
    for (const [path, name] of waitedFor(contentNames(repository, converted, settings))) named.set(path, name);
  };
  return (since) => {
    const second = Math.floor((since - CLOCKS_MS) / 1000);
    // A time that is no number has no moment before it.
    const young = [...signs].filter(([path, { ctime }]) => !(ctime[0] < second) && !flagged.has(path));
    const asked = young.map(([path]) => path).filter((path) => !index.read.has(path) && !isRead(path));
    read(asked.filter((path) => !named.has(path)));
    return new Map(asked.map((path) => [path, named.get(path)!] as const).filter(isOtherwise));
  };
}
