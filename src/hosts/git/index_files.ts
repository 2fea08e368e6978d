/**
 * The files that the index has, with what they were like when git looked at them last. The index is read here: to have git list it costs more than
 * half of a look at the work tree. Git lists an index that leaves entries to a second file, or has whole folders as one entry.
 */
import { createHash } from "node:crypto";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { CLOCKS_MS, isSettled, sameIndexed, signOf } from "../../files/file_sign.ts";
import type { IndexedSign } from "../../files/file_sign.ts";
import { ASSUME_UNCHANGED, eachEntry, FOLDER, objectOf, SIDE, signIn, SKIP_WORKTREE } from "../../files/git_index.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { nodeRuntime } from "../../node_runtime.ts";
import { fullPath } from "./content_names.ts";
import { MAX_LISTED } from "./limits.ts";
import { wholeTree } from "./repository.ts";
import type { Repository } from "./repository.ts";
import type { Steps } from "./steps.ts";

/** Paths begin at the top of the work tree, and each of their characters is one byte. */
export interface IndexFiles {
  /** `mode id` of each file that is not open in a merge. */
  files: ReadonlyMap<string, string>;
  /** Files that git was told not to look at; true: to leave out of the work tree. */
  flagged: ReadonlyMap<string, boolean>;
  /** Other repositories. */
  inner: readonly string[];
  /** Of each file, the times, size and place that it had. */
  signs: ReadonlyMap<string, IndexedSign>;
  /**
   * Files that may have changed within the second that the index has for them: git does not compare parts of a second. A look takes out
   * those that are as they were.
   */
  unsure: Set<string>;
  /** Files whose bytes were read, and are those of the index. No rule converts them. */
  read: Set<string>;
  /** When it was read, by the clock that never jumps. */
  readAt: number;
}

export const REPOSITORY = "160000";
const EMPTY: IndexFiles = {
  files: new Map(),
  flagged: new Map(),
  inner: [],
  signs: new Map(),
  unsure: new Set(),
  read: new Set(),
  readAt: 0,
};

export interface IndexReader {
  /** Undefined where git has to list it. Reads again only if the index changed since. */
  here: () => IndexFiles | undefined;
  byGit: () => Steps<IndexFiles>;
}

/** Each call opens git anew. An index may be as large as the repository has files, so what was read may be let go of at any time. */
const read = new Map<string, { sign: string; found: WeakRef<IndexFiles> }>();
const MAX_READ = 16;

function keep(place: string, sign: string, files: IndexFiles): void {
  read.delete(place);
  if (read.size === MAX_READ) read.delete(read.keys().next().value!);
  read.set(place, { sign, found: new WeakRef(files) });
}

/** `own`: the beginning of paths that are left out; an empty text leaves out none. */
export function indexReader(repository: Repository, own: string): IndexReader {
  const place = [repository.index, repository.top, own].join("\0");
  return {
    here: () => {
      const stat = nodeDisk.lstat(repository.index);
      if (!stat) return EMPTY;
      const sign = signOf(stat);
      const known = read.get(place);
      const kept = known?.sign === sign ? known.found.deref() : undefined;
      if (kept) return kept;
      const found = readHere(repository, own);
      if (found && isSettled({ runtime: nodeRuntime }, stat)) keep(place, sign, found);
      return found;
    },
    byGit: () => listedByGit(repository, own),
  };
}

type Building = {
  files: Map<string, string>;
  flagged: Map<string, boolean>;
  inner: string[];
  signs: Map<string, IndexedSign>;
  unsure: Set<string>;
  read: Set<string>;
  readAt: number;
};

/** Takes one entry after the other, in the order of their paths. */
function builder(own: string): {
  found: Building;
  add: (path: string, file: string, sign: IndexedSign | undefined, leftOut: boolean | undefined) => void;
} {
  const found: Building = {
    files: new Map(),
    flagged: new Map(),
    inner: [],
    signs: new Map(),
    unsure: new Set(),
    read: new Set(),
    readAt: nodeRuntime.uptime(),
  };
  const itself = own.slice(0, -1);
  const add = (path: string, file: string, sign: IndexedSign | undefined, leftOut: boolean | undefined): void => {
    // Where the own folder is a repository, its path has no `/` at the end.
    if (own !== "" && (path.startsWith(own) || path === itself)) return;
    found.files.set(path, file);
    if (file.startsWith(REPOSITORY)) return void found.inner.push(path);
    if (sign) found.signs.set(path, sign);
    if (leftOut !== undefined) found.flagged.set(path, leftOut);
    // Without a number of its own no file has a sign that could be compared.
    else if (sign && sign.ino !== 0) found.unsure.add(path);
  };
  return { found, add };
}

/** A fresh clone has files as old as its index, which git would read again. So times are compared with all of their digits. */
export function isAsIndexed(repository: Repository, { signs }: Pick<IndexFiles, "signs">, path: string): boolean {
  const sign = signs.get(path);
  const stat = sign && unlessRefused(() => nodeDisk.lstat(fullPath(repository, path)));
  return stat !== undefined && sameIndexed(stat, sign!);
}

/** A second, and a tick of the clock of a file system. */
const SECOND_MS = 1100;

/**
 * Whether each change of a file from now on has another second than the index has for it, which git compares. A file server stamps by a clock
 * of its own. So that second is over once the index is known for longer (FRESH-12).
 */
export function isPast({ signs, readAt }: Pick<IndexFiles, "signs" | "readAt">, path: string): boolean {
  if (nodeRuntime.now() - signs.get(path)!.ctime[0] * 1000 > CLOCKS_MS + 1000) return true;
  return nodeRuntime.uptime() - readAt > SECOND_MS;
}

/** Undefined where git has to list it. */
function readHere({ index: path, format }: Repository, own: string): IndexFiles | undefined {
  try {
    const bytes = nodeDisk.readFile(path, MAX_LISTED);
    const hash = format === "sha256" ? 32 : 20;
    const { found, add } = builder(own);
    const modes = new Map<number, string>();
    let hasFolders = false;
    const isSplit = eachEntry(bytes, hash, (entry) => {
      const { mode, flags, more } = entry;
      if ((flags & SIDE) !== 0) return;
      hasFolders ||= mode === FOLDER;
      let octal = modes.get(mode);
      if (octal === undefined) modes.set(mode, (octal = mode.toString(8).padStart(6, "0")));
      const isLeftOut = (more & SKIP_WORKTREE) !== 0;
      const isFlagged = isLeftOut || (flags & ASSUME_UNCHANGED) !== 0;
      const name = entry.bytes.toString("latin1", entry.from, entry.to);
      add(name, `${octal} ${objectOf(entry, hash)}`, signIn(entry), isFlagged ? isLeftOut : undefined);
    });
    return isSplit || hasFolders ? undefined : found;
  } catch (e) {
    // Git says what is wrong with it.
    if (e instanceof RangeError || errnoOf(e) !== undefined) return undefined;
    throw e;
  }
}

/** Git checks no digest of its index. Of one that is cut off it lists entries that are not there, one of them without a path. */
function refuseDamaged({ index, format }: Repository): void {
  const bytes = unlessRefused(() => nodeDisk.readFile(index, MAX_LISTED));
  if (!bytes) return;
  const end = bytes.length - (format === "sha256" ? 32 : 20);
  const digest = bytes.subarray(Math.max(end, 0));
  // A setting of git leaves the digest out.
  if (end > 0 && digest.every((byte) => byte === 0)) return;
  if (end > 0 && createHash(format).update(bytes.subarray(0, end)).digest().equals(digest)) return;
  throw new TaskfoldError("STORAGE_FAILED", "Expected the index of git with its digest, found it cut off or changed.", {
    recovery: "Have git write it anew: remove the file index in .git, then run git reset.",
  });
}

function* listedByGit(repository: Repository, own: string): Steps<IndexFiles> {
  refuseDamaged(repository);
  const args = ["ls-files", "-z", "--stage", "-v", "--debug", ...wholeTree(repository)];
  const [output] = yield [{ repository, args, input: { most: MAX_LISTED } }];
  const { found, add } = builder(own);
  let entry: string | undefined;
  for (const part of output!.toString("latin1").split("\0")) {
    // Times and size of a file stand behind its path, before the next entry.
    const [, times = "", next = ""] = DEBUG.exec(part) ?? [undefined, "", part];
    if (entry !== undefined) addListed(entry, times, add);
    entry = next;
  }
  return found;
}

/** `tag mode id side`, a tab and the path; the tag is `H`, but for files with a flag. */
function addListed(entry: string, times: string, add: ReturnType<typeof builder>["add"]): void {
  const end = entry.indexOf("\t");
  if (entry[end - 1] !== "0") return;
  const path = entry.slice(end + 1);
  const tag = entry[0]!;
  add(path, entry.slice(2, end - 2), signOfText(times), tag === "H" ? undefined : tag.toUpperCase() === "S");
}

/** Five lines, and the next entry. */
const DEBUG = /^((?: {2}[^\n]*\n){5})([^]*)$/;

function signOfText(text: string): IndexedSign | undefined {
  const numbers = /ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n[^]*size: (\d+)/
    .exec(text)
    ?.slice(1);
  if (!numbers) return undefined;
  const [cSec, cNsec, mSec, mNsec, ino, size] = numbers.map(Number) as [number, number, number, number, number, number];
  return { ino, size, mtime: [mSec, mNsec], ctime: [cSec, cNsec] };
}
