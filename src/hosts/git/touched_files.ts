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

interface Since {
  /** In milliseconds. */
  since: number;
  /** Files that git or a look named otherwise than the index: they were read. */
  changed: ReadonlyMap<string, unknown>;
  settings: readonly string[];
}

/** Of these, the files that are otherwise than the index has them: mode and name by their content. */
export function touchedFiles(
  repository: Repository,
  index: IndexFiles,
  { since, changed, settings }: Since,
): Map<string, string | null> {
  const second = Math.floor((since - CLOCKS_MS) / 1000);
  const asked: [string, string][] = [];
  for (const [path, sign] of index.signs) {
    // A time that is no number has no moment before it.
    if (sign.ctime[0] < second || index.read.has(path) || index.flagged.has(path) || changed.has(path)) continue;
    asked.push([path, index.files.get(path)!.slice(0, 6)]);
  }
  if (asked.length === 0) return new Map();
  const otherwise = (names: ReadonlyMap<string, string | null>): [string, string | null][] =>
    [...names].filter(([path, name]) => name !== index.files.get(path));
  const raw = waitedFor(contentNames(repository, new Map(asked), settings, true));
  const converted = otherwise(raw);
  for (const [path, name] of raw)
    if (name === index.files.get(path) && isPast(index, path) && isAsIndexed(repository, index, path))
      index.read.add(path);
  const modes = new Map(converted.map(([path]) => [path, index.files.get(path)!.slice(0, 6)]));
  return new Map(otherwise(waitedFor(contentNames(repository, modes, settings))));
}
