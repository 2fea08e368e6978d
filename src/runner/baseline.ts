/** What the changes of an attempt are told by: the work tree at its start, and what failed attempts of the stage left changed. */
import { join } from "node:path";
import type { Disk } from "../disk.ts";
import type { GitPort } from "../engine/git_port.ts";
import { isTaskfoldError } from "../errors.ts";
import { readRegular } from "../files/atomic.ts";
import { changedSince, isSame, markAt, readWorkTree } from "./work_tree.ts";
import type { Mark, WorkTree, WorkTreeChange } from "./work_tree.ts";

/** A path that a failed attempt changed. */
export interface Carried {
  /** Before the attempt that changed it first; null: it was not there. */
  was: Mark | null;
  /** As the last attempt left it; null: it is gone. */
  left: Mark | null;
  /** The commit that was checked out when that first attempt began. */
  commit: string | null;
}

export interface Baseline {
  /** Null where the attempt has ended: then only what it left counts. */
  tree: WorkTree | null;
  commit: string | null;
  carried: ReadonlyMap<string, Carried>;
}

export interface Around {
  disk: Disk;
  root: string;
  git: GitPort | undefined;
}

/** `last`: what was kept of the attempt before, if it failed or was interrupted. */
export function baselineAfter(last: Baseline | undefined, around: Around): Baseline {
  // What an interrupted attempt changed belongs to the one that takes its place.
  if (last?.tree) return last;
  const { disk, root, git } = around;
  const carried = new Map(
    // A path that is not as the attempt left it was changed by another process since.
    [...(last?.carried ?? [])].filter(([path, { left }]) => isSame(markAt(disk, root, path), left)),
  );
  return { tree: readWorkTree(disk, root, git), commit: git?.head() ?? null, carried };
}

/** New, changed and removed files since the start of the attempt, and those of attempts before it that were not taken back. */
export function changedIn({ tree, carried }: Baseline, around: Around): WorkTreeChange {
  const change = tree ? changedSince(tree, around) : { paths: [], complete: true };
  const paths = new Set(change.paths);
  for (const [path, one] of carried) {
    if (isTakenBack(path, one, around)) paths.delete(path);
    else paths.add(path);
  }
  return { paths: [...paths].toSorted(), complete: change.complete };
}

/** What is kept of an attempt that failed. */
export function afterFailure({ tree, commit, carried }: Baseline, paths: string[], { disk, root }: Around): Baseline {
  const left = paths.map((path): [string, Carried] => {
    const first = carried.get(path) ?? { was: tree?.marks.get(path) ?? null, commit };
    return [path, { ...first, left: markAt(disk, root, path) }];
  });
  return { tree: null, commit, carried: new Map(left) };
}

function isTakenBack(path: string, { was, commit }: Carried, { disk, root, git }: Around): boolean {
  const now = markAt(disk, root, path);
  if (isSame(now, was)) return true;
  if (now === null || was === null || commit === null || !git) return false;
  const object = git.find(commit, path);
  const before = object === undefined ? undefined : bytesOf(git, object);
  return before !== undefined && readRegular(disk, join(root, path))?.equals(before) === true;
}

function bytesOf(git: GitPort, object: string): Buffer | undefined {
  try {
    return git.read(object);
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return undefined;
    throw e;
  }
}
