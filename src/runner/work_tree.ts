/**
 * Which files of the workspace change while a stage runs: what the system says of each file before, compared with what it says
 * after. A file that was written again with the same bytes counts as changed.
 */
import { join } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import type { GitPort } from "../engine/git_port.ts";
import { isTaskfoldError } from "../errors.ts";
import { errnoOf } from "../files/storage_error.ts";
import { controlMarks } from "./git_control.ts";

/** Files that are looked at; what lies beyond is not compared, and the answer says so. */
export const MOST_ENTRIES = 200_000;
const MOST_DEPTH = 64;
/** Nothing that a stage is asked to change. */
const LEFT_OUT: ReadonlySet<string> = new Set([".git", ".coco", "node_modules"]);

export function isLeftOut(path: string): boolean {
  return path.split("/").some((name) => LEFT_OUT.has(name));
}

/** Size, mtime, inode and ctime: a program can set the first two back, and no program sets the last. */
export type Mark = readonly [size: number, mtimeMs: number, ino: number, ctimeMs: number];

export interface WorkTree {
  marks: ReadonlyMap<string, Mark>;
  /** Whether every file was looked at. */
  complete: boolean;
}

export interface WorkTreeChange {
  /** Sorted; new, changed and removed files. */
  paths: string[];
  complete: boolean;
}

/** Without git the folder is walked. */
export function readWorkTree(disk: Disk, root: string, git: GitPort | undefined): WorkTree {
  const marks = new Map<string, Mark>();
  const complete = eachFile(disk, root, git, (path, stat) => marks.set(path, markOf(stat)));
  for (const [path, mark] of controlMarks(git)) marks.set(path, mark);
  return { marks, complete };
}

export type DiffFit = "applies" | "applied" | "neither" | "no_git";

/** Without git there is no answer. CONTENT_TOO_LARGE where the diff, or a file that it changes, is more than is read. */
export function diffApplies(git: GitPort | undefined, diff: string): DiffFit {
  return git?.diffApplies(diff) ?? "no_git";
}

/** What is no longer listed, because it is ignored by now, is looked at all the same. */
export function changedSince(
  before: WorkTree,
  { disk, root, git }: { disk: Disk; root: string; git: GitPort | undefined },
): WorkTreeChange {
  const after = readWorkTree(disk, root, git);
  const paths: string[] = [];
  for (const [path, mark] of after.marks) if (!isSame(before.marks.get(path) ?? null, mark)) paths.push(path);
  for (const [path, mark] of before.marks)
    if (!after.marks.has(path) && !isSame(markAt(disk, root, path), mark)) paths.push(path);
  return { paths: paths.toSorted(), complete: before.complete && after.complete };
}

/** Null: there is no file. */
export function isSame(one: Mark | null, other: Mark | null): boolean {
  if (one === null || other === null) return one === other;
  return one.every((value, n) => value === other[n]);
}

/** False where there were more than are looked at. */
function eachFile(disk: Disk, root: string, git: GitPort | undefined, take: Take): boolean {
  const walk = new Walk(disk, root, take);
  const listed = git && listedBy(git);
  if (!listed) return walk.into("", 0);
  let complete = true;
  for (const path of listed) {
    if (isLeftOut(path)) continue;
    // Another repository is one entry of the list; its files are in the work tree all the same.
    const name = path.endsWith("/") ? path.slice(0, -1) : path;
    complete = walk.entry(name, 0) && complete;
  }
  return complete;
}

/** Undefined where the list is longer than git may say. */
function listedBy(git: GitPort): string[] | undefined {
  try {
    return git.workTree([...LEFT_OUT]);
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return undefined;
    throw e;
  }
}

type Take = (path: string, stat: FileStat) => void;

class Walk {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #take: Take;
  #left = MOST_ENTRIES;

  constructor(disk: Disk, root: string, take: Take) {
    this.#disk = disk;
    this.#root = root;
    this.#take = take;
  }

  /** A file, or all that a folder holds. A link is an entry by itself and is not followed. */
  entry(path: string, depth: number): boolean {
    if (this.#left-- <= 0 || depth > MOST_DEPTH) return false;
    const stat = statOf(this.#disk, join(this.#root, path));
    if (stat?.kind === "folder") return this.into(path, depth + 1);
    if (stat) this.#take(path, stat);
    return true;
  }

  into(path: string, depth: number): boolean {
    let complete = true;
    for (const name of namesIn(this.#disk, join(this.#root, path))) {
      if (LEFT_OUT.has(name)) continue;
      complete = this.entry(path === "" ? name : `${path}/${name}`, depth) && complete;
    }
    return complete;
  }
}

function markOf({ size, mtimeMs, ino, ctimeMs }: FileStat): Mark {
  return [size, mtimeMs, ino, ctimeMs];
}

/** Null where there is no file, or a folder by now. */
export function markAt(disk: Disk, root: string, path: string): Mark | null {
  const stat = statOf(disk, join(root, path));
  return stat && stat.kind !== "folder" ? markOf(stat) : null;
}

function statOf(disk: Disk, path: string): FileStat | undefined {
  return unlessRefused(() => disk.lstat(path));
}

function namesIn(disk: Disk, path: string): string[] {
  return unlessRefused(() => disk.readdir(path)) ?? [];
}

/** A file that goes while it is looked at, or that this user may not look at, is as good as absent. */
function unlessRefused<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}
