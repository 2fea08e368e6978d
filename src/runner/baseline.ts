/** What the changes of an attempt are told by: the work tree at its start, and what failed attempts of the stage left changed. */
import { join } from "node:path";
import type { Disk } from "../disk.ts";
import type { GitPort } from "../engine/git_port.ts";
import { isTaskfoldError } from "../errors.ts";
import { readRegular } from "../files/atomic.ts";
import { changedSince, isLeftOut, isSame, markAt, readWorkTree } from "./work_tree.ts";
import type { Mark, WorkTree, WorkTreeChange } from "./work_tree.ts";

/** A path that a failed attempt changed. */
export interface Carried {
  /** Before the attempt that changed it first; null: it was not there. */
  was: Mark | null;
  /** As the last attempt left it; null: it is gone. */
  left: Mark | null;
  /** The commit that was checked out when that first attempt began. */
  commit: string | null;
  /** What git recorded for it after that commit; null: nothing, so that the file alone counts. */
  recorded: string | null;
}

export interface Baseline {
  /** Null where the attempt has ended: then only what it left counts. */
  tree: WorkTree | null;
  commit: string | null;
  /** By path: what the index has other than that commit. */
  recorded: ReadonlyMap<string, string>;
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
  const commit = git?.head() ?? null;
  return { tree: readWorkTree(disk, root, git), commit, recorded: recorder(git)(commit), carried };
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** What git recorded after a commit, asked once for each commit. Nothing without git, and where it is more than git may say. */
function recorder(git: GitPort | undefined): (commit: string | null) => ReadonlyMap<string, string> {
  const known = new Map<string | null, ReadonlyMap<string, string>>();
  return (commit) => {
    const found = known.get(commit) ?? (git ? recordedBy(git, commit) : NOTHING);
    known.set(commit, found);
    return found;
  };
}

function recordedBy(git: GitPort, commit: string | null): ReadonlyMap<string, string> {
  try {
    return git.recordedSince(commit);
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return NOTHING;
    throw e;
  }
}

/** Paths that git recorded otherwise since the start of the attempt. */
function recordedIn({ commit, recorded }: Baseline, since: ReturnType<typeof recorder>): string[] {
  const now = since(commit);
  const paths = [...new Set([...now.keys(), ...recorded.keys()])];
  return paths.filter((path) => now.get(path) !== recorded.get(path) && !isLeftOut(path));
}

/** New, changed and removed files since the start of the attempt, and those of attempts before it that were not taken back. */
export function changedIn(baseline: Baseline, around: Around): WorkTreeChange {
  const { tree, carried } = baseline;
  const change = tree ? changedSince(tree, around) : { paths: [], complete: true };
  const paths = new Set(change.paths);
  const since = recorder(around.git);
  for (const [path, one] of carried) {
    if (isTakenBack(path, one, around, since)) paths.delete(path);
    else paths.add(path);
  }
  for (const path of recordedIn(baseline, since)) paths.add(path);
  return { paths: [...paths].toSorted(), complete: change.complete };
}

/** What is kept of an attempt that failed. */
export function afterFailure(baseline: Baseline, paths: string[], around: Around): Baseline {
  const { tree, commit, carried } = baseline;
  const since = recorder(around.git);
  const changed = new Set(recordedIn(baseline, since));
  const left = paths.map((path): [string, Carried] => {
    const first = carried.get(path) ?? { was: tree?.marks.get(path) ?? null, commit, recorded: null };
    const recorded = changed.has(path) ? (since(first.commit).get(path) ?? null) : first.recorded;
    return [path, { ...first, recorded, left: markAt(around.disk, around.root, path) }];
  });
  return { tree: null, commit, recorded: NOTHING, carried: new Map(left) };
}

function isTakenBack(
  path: string,
  { was, commit, recorded }: Carried,
  { disk, root, git }: Around,
  since: ReturnType<typeof recorder>,
): boolean {
  if (recorded !== null && since(commit).get(path) === recorded) return false;
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
