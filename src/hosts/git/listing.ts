/**
 * The content of the work tree as one list: a mode and the name of a blob for each file, tracked or new. Git's index has them for what did
 * not change, so only changed files are read.
 */
import type { GitListing } from "../../engine/core/git_port.ts";
import { nodeDisk } from "../../disk.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { bytesOfName, textOfName } from "../../name_bytes.ts";
import { closedFolders } from "./closed_folders.ts";
import { contentNames, fullPath } from "./content_names.ts";
import { attributesDigest, rawFiles } from "./conversions.ts";
import { entriesOf } from "./entries.ts";
import { fileSystemOf } from "./file_system.ts";
import type { FileSystem } from "./file_system.ts";
import { filteredPaths, filtersIn, withoutFilters } from "./filtered.ts";
import { hiddenFiles, ignoresDigest } from "./hidden_files.ts";
import { indexReader, isAsIndexed, isPast, REPOSITORY } from "./index_files.ts";
import type { IndexFiles, IndexReader } from "./index_files.ts";
import { closedIn, committedIn, filesBelow, innerFiles, listInner, withInner } from "./inner.ts";
import { MAX_LISTED } from "./limits.ts";
import type { Repository } from "./repository.ts";
import { fromRoot } from "./repository.ts";
import { readStatus, STATUS } from "./status.ts";
import type { Status } from "./status.ts";
import { touchedFiles } from "./touched_files.ts";
import { beside, waitedFor } from "./steps.ts";
import type { Steps } from "./steps.ts";
import { isTrue, userSettings } from "./user_settings.ts";
import type { UserSettings } from "./user_settings.ts";

/** A work tree, and what was read of it at the last look. */
interface Looked {
  repository: Repository;
  /** The beginning of paths that are left out; an empty text leaves out none. */
  own: string;
  user: () => Steps<UserSettings>;
  index: IndexReader;
}

export interface Listings {
  listing: () => GitListing;
  /** The same while this process does other things. */
  listingBeside: () => Promise<GitListing>;
}

export function listingsOf(repository: Repository, user = userSettings(repository)): Listings {
  const looked = { ...lookedAt(repository, ownFolder(repository)), user };
  return { listing: () => waitedFor(listed(looked)), listingBeside: () => beside(listed(looked)) };
}

function lookedAt(repository: Repository, own: string): Looked {
  return { repository, own, user: userSettings(repository), index: indexReader(repository, own) };
}

/** Every file of a commit, as in a listing. */
export function listingOf(repository: Repository, commit: string): Map<string, string> {
  const output = repository.git(["ls-tree", "-r", "-z", "--full-tree", commit], { most: MAX_LISTED });
  const files = new Map<string, string>();
  for (const entry of entriesOf(output)) {
    // `mode kind id`
    const [mode, , id] = entry.slice(0, entry.indexOf("\t")).split(" ");
    files.set(entry.slice(entry.indexOf("\t") + 1), `${mode} ${id}`);
  }
  return withoutOwn(ownFolder(repository), files);
}

/** So many paths fit the arguments of a program. */
const MAX_PATHS = 100;

export function lastChange(repository: Repository, paths: readonly string[], since: string): string | undefined {
  const named = paths.slice(0, MAX_PATHS).map((path) => textFromRoot(repository, path));
  return repository.says([
    "log",
    "-1",
    "--format=%H",
    `${since}..HEAD`,
    "--",
    // An argument is UTF-8.
    ...named.filter((path) => path.isWellFormed()),
  ]);
}

function textFromRoot(repository: Repository, path: string): string {
  return fromRoot(repository, textOfName(Buffer.from(path, "latin1")));
}

function* listed({ repository, own, user, index: reader }: Looked): Steps<GitListing> {
  const { values: config, own: ownConfig } = yield* user();
  const filters = filtersIn(config.keys());
  const system = fileSystemOf(repository);
  const settings = [...withoutFilters(filters), ...system.settings];
  let read: IndexFiles | undefined;
  let isWhole = true;
  const input = { settings, most: MAX_LISTED, complained: () => void (isWhole = false) };
  const meanwhile = (): void => {
    read = reader.here();
    if (read) settle(repository, read);
  };
  const [status] = yield [{ repository, args: STATUS, input, meanwhile }];
  const index = read ?? (yield* reader.byGit());
  const now = readStatus(status!);
  const { files: indexed } = index;
  for (const list of [now.files, now.read]) withoutOwn<unknown>(own, list);
  const isSparse = isTrue(config.get("core.sparsecheckout"));
  const marked = [...readFlagged(repository, index, now, { system, isSparse }), ...readUnsure(repository, index, now)];
  const isOther = takeInner(repository, index.inner, now);
  const attributes = config.get("core.attributesfile");
  const filtered =
    filters.length === 0
      ? []
      : yield* filteredPaths(repository, [...indexed.keys(), ...now.read.keys()], { filters, attributes });
  const unmodified = new Set([...marked, ...takeFiltered(filtered, indexed, now)]);
  if (system.newMode !== undefined) for (const [path, mode] of now.read) now.read.set(path, mode ?? system.newMode);
  const asStored = filtered.filter((path) => isAsIndexed(repository, index, path));
  const stored = new Map(asStored.map((path) => [path, indexed.get(path)!]));
  for (const [path, name] of yield* contentNames(repository, now.read, settings))
    if (!unmodified.has(path) || indexed.get(path) !== name) now.files.set(path, name);
  const list = (other: Repository): Steps<GitListing> => listed(lookedAt(other, ""));
  const inner = yield* listInner(repository, isOther, list);
  for (const [path, file] of innerFiles(inner))
    if (indexed.get(path) !== file || now.files.has(path)) now.files.set(path, file);
  const files = withChanged(indexed, now.files);
  const isListed = (path: string): boolean => files.has(path.replace(/\/$/, "")) || path.startsWith(own || "/");
  const rules = now.rules.filter((path) => !path.startsWith(own || "/"));
  const touched = touchedFiles(repository, index, { isRead: (path) => now.read.has(path), settings });
  const hidden = (): ReadonlyMap<string, string> => {
    const found = hiddenFiles(repository, { rules, files: files.keys(), isListed, settings, newMode: system.newMode });
    const others = innerFiles(waitedFor(listInner(repository, found.inner, list)));
    return new Map([...found.files, ...others, ...filesBelow(inner, (listing) => listing.hidden())]);
  };
  return {
    commit: now.commit,
    fromRoot: (path) => textFromRoot(repository, path),
    files,
    changed: now.files,
    stored,
    committedIn: committedIn(inner),
    closed: (alsoHidden) => {
      const isLeftOut = (path: string): boolean =>
        inner.has(path) || `${path}/` === own || (!alsoHidden && now.ignored.has(path));
      return [...closedIn(inner, alsoHidden), ...(isWhole && !alsoHidden ? [] : closedFolders(repository, isLeftOut))];
    },
    ignores: withInner(
      ignoresDigest(repository, config.get("core.excludesfile"), rules),
      inner,
      ({ ignores }) => ignores,
    ),
    hidden,
    attributes: withInner(attributesDigest(repository, attributes, ownConfig), inner, (listing) => listing.attributes),
    raw: () => new Map([...rawFiles(repository, files, settings), ...filesBelow(inner, rawChanges)]),
    since: (ms) => new Map([...touched(ms), ...filesBelow(inner, (listing) => listing.since(ms))]),
  };
}

/** Files that are otherwise by their bytes on disk than by what git makes of them. */
function rawChanges({ files, raw }: GitListing): [string, string][] {
  return [...raw()].filter(([path, file]) => files.get(path) !== file);
}

/** The list of the index itself where nothing differs from it: a copy costs more than all else that is done with it here. */
function withChanged(
  indexed: ReadonlyMap<string, string>,
  changes: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string> {
  if (changes.size === 0) return indexed;
  const files = new Map(indexed);
  for (const [path, file] of changes) {
    if (file === null) files.delete(path);
    else files.set(path, file);
  }
  return files;
}

/** A flag keeps git from looking, so these files are read. Gives those that status does not name. */
function readFlagged(
  repository: Repository,
  { files, flagged }: IndexFiles,
  now: Status,
  { system, isSparse }: { system: FileSystem; isSparse: boolean },
): string[] {
  const unnamed: string[] = [];
  for (const [path, isLeftOut] of flagged) {
    const [mode = ""] = files.get(path)!.split(" ");
    if (unlessRefused(() => nodeDisk.lstat(fullPath(repository, path))) === undefined) {
      // A sparse checkout leaves it out; else it is gone.
      if (!isLeftOut || !isSparse) now.files.set(path, null);
      continue;
    }
    if (!now.files.has(path) && !now.read.has(path)) unnamed.push(path);
    now.read.set(path, system.newMode && mode);
  }
  return unnamed;
}

/** A file is sure that is as the index has it by all digits of its times, and whose next change git will see. */
function settle(repository: Repository, index: IndexFiles): void {
  for (const path of index.unsure)
    if (isPast(index, path) && isAsIndexed(repository, index, path)) index.unsure.delete(path);
}

/** The same for files that are not as the index has them by all digits of their times. */
function readUnsure(repository: Repository, index: IndexFiles, now: Status): string[] {
  settle(repository, index);
  const unnamed = [...index.unsure].filter(
    (path) => !now.files.has(path) && !now.read.has(path) && !isAsIndexed(repository, index, path),
  );
  for (const path of unnamed) now.read.set(path, index.files.get(path)!.split(" ")[0]);
  return unnamed;
}

/** Has filtered files read, and gives those that status does not name. */
function takeFiltered(filtered: readonly string[], files: ReadonlyMap<string, string>, now: Status): string[] {
  const unnamed: string[] = [];
  for (const path of filtered) {
    const named = now.files.get(path);
    // A file that is gone has no content, and one that is read is read once. No filter is for another repository.
    if (named === null || now.read.has(path) || files.get(path)?.startsWith(REPOSITORY)) continue;
    if (named === undefined) unnamed.push(path);
    now.read.set(path, (named ?? files.get(path))?.split(" ")[0]);
  }
  return unnamed;
}

/** Other repositories in the work tree: those of the index that are there, and new ones. */
function takeInner(repository: Repository, known: readonly string[], { files: changed, read }: Status): Set<string> {
  const inner = new Set<string>();
  const isThere = (path: string): boolean =>
    unlessRefused(() => nodeDisk.lstat(`${fullPath(repository, path)}/.git`)) !== undefined;
  for (const path of known) if (isThere(path)) inner.add(path);
  for (const path of read.keys()) {
    if (unlessRefused(() => nodeDisk.lstat(fullPath(repository, path)))?.kind !== "folder") continue;
    inner.add(path);
    read.delete(path);
  }
  for (const path of changed.keys()) if (changed.get(path) === null) inner.delete(path);
  return inner;
}

function latin1(text: string): string {
  return bytesOfName(text).toString("latin1");
}

/** The beginning of paths of the workspace's own folder. */
function ownFolder({ prefix }: Repository): string {
  return `${latin1(prefix)}.coco/`;
}

function withoutOwn<T>(own: string, files: Map<string, T>): Map<string, T> {
  if (own === "") return files;
  // Where it is a repository of its own, its path has no `/` at the end.
  files.delete(own.slice(0, -1));
  for (const path of files.keys()) if (path.startsWith(own)) files.delete(path);
  return files;
}
