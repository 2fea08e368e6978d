/** Which files changed since a run, by the work tree that the run saw (PROOF-47, PROOF-51). */
import { createHash } from "node:crypto";

/** Mode and name of a blob by path; each character of a path is one byte. */
export type Files = ReadonlyMap<string, string>;
/** The same, null for what is gone. */
export type Changes = ReadonlyMap<string, string | null>;

const NONE: Files = new Map();

/** The name of nothing, in a list of changes. */
const GONE = "-";

/** Looks at a work tree without a change give one list, which nothing writes to. */
const digests = new WeakMap<Files, string>();

/** SHA-256 over the files by content: sorted lines of mode, name and path, each with a NUL behind it. */
export function treeDigest(files: Files): string {
  let digest = digests.get(files);
  if (digest === undefined) {
    digest = createHash("sha256").update(linesOf(files), "latin1").digest("hex");
    digests.set(files, digest);
  }
  return digest;
}

/** The bytes of a list of changes; undefined where there are none. */
export function changesBytes(changes: Changes): Buffer | undefined {
  return changes.size === 0 ? undefined : Buffer.from(linesOf(changes), "latin1");
}

function linesOf(files: Changes): string {
  let lines = "";
  for (const [path, file] of inOrder(files)) lines += `${file ?? `000000 ${GONE}`} ${path}\0`;
  return lines;
}

/** A list from git's index has this order: to sort it again costs more than its digest. */
function inOrder(files: Changes): Iterable<[string, string | null]> {
  let last = "";
  for (const path of files.keys()) {
    if (path < last) return [...files].toSorted(([a], [b]) => byBytes(a, b));
    last = path;
  }
  return files;
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A list of changes as it was kept. Lines of another form are passed over. */
export function changesIn(bytes: Buffer): Map<string, string | null> {
  const changes = new Map<string, string | null>();
  for (const line of bytes.toString("latin1").split("\0")) {
    const [, mode, name, path] = /^(\d+) (\S+) (.+)$/s.exec(line) ?? [];
    if (path !== undefined) changes.set(path, name === GONE ? null : `${mode} ${name}`);
  }
  return changes;
}

/** The files of a commit with what differed from it. */
export function withChanges(files: Files, changes: Changes): Map<string, string> {
  const all = new Map(files);
  for (const [path, file] of changes) {
    if (file === null) all.delete(path);
    else all.set(path, file);
  }
  return all;
}

/** Files that are otherwise in the second list, or only in one. */
export function changesBetween(before: Files, after: Files): Map<string, string | null> {
  const changes = new Map<string, string | null>();
  // Two looks at a work tree without a change give one list.
  if (before === after) return changes;
  for (const [path, file] of after) if (before.get(path) !== file) changes.set(path, file);
  for (const path of before.keys()) if (!after.has(path)) changes.set(path, null);
  return changes;
}

/**
 * Paths that are not as the run found them, sorted. `wrote`: what it left otherwise than it found it. A file that it made counts as it
 * left it. Of one that was there, no one can tell whether the run saw it before or after the change. That holds also where it is again as it was. `stored`: names of filtered files by what git would
 * store. `isInScope` is asked with paths from the top of the work tree.
 */
export function changedSinceRun(
  found: Files,
  wrote: Changes,
  { files, stored = NONE }: { files: Files; stored?: Files },
  isInScope: (path: string) => boolean,
): string[] {
  const isMade = (path: string, file: string | null): boolean => !found.has(path) && wrote.get(path) === file;
  const changes = new Map([...wrote].filter(([path]) => found.has(path)));
  // A filtered file is as it was, where the run found the bytes that git would store of it now.
  const isAsStored = (path: string): boolean => stored.has(path) && stored.get(path) === found.get(path);
  for (const [path, file] of changesBetween(found, files))
    if (!isMade(path, file) && !isAsStored(path)) changes.set(path, file);
  return [...changes.keys()].filter(isInScope).toSorted(byBytes);
}
