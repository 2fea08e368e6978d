/** The baseline of the changes of an attempt: the work tree at its start, and the changes that failed attempts of the stage left. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { GitPort, IgnoreRules } from "../engine/core/git_port.ts";
import { isTaskfoldError } from "../errors.ts";
import { readRegular } from "../files/atomic.ts";
import { sameRecorded } from "../files/file_sign.ts";
import type { RecordedSign } from "../files/file_sign.ts";
import { changedSince, diskFor, markNow, readWorkTree } from "./work_tree.ts";
import type { WorkTreeContext, WorkTree } from "./work_tree.ts";

/** A path that a failed attempt changed. */
export interface Carried {
  /** Before the attempt that changed it first; null: it was not there. */
  was: RecordedSign | null;
  /** As the last attempt left it; null: it is gone. */
  left: RecordedSign | null;
  /** The commit that was checked out when that first attempt began. */
  commit: string | null;
  /** The entry that git recorded for it after that commit; null if there is none, so that the file alone counts. */
  recorded: string | null;
}

/** The rules that hide new files, over attempts that failed. */
export interface FailedRules {
  /** Before the first of them; null: there was no list of git. */
  before: IgnoreRules | null;
  /** As the last one left them. */
  left: IgnoreRules | null;
}

export interface Baseline {
  /** Null where the attempt has ended: then only what it left counts. */
  tree: WorkTree | null;
  commit: string | null;
  carried: ReadonlyMap<string, Carried>;
  /** Null where no attempt has failed. */
  failed: FailedRules | null;
  /** Files that the run prints into, with device and inode: no change of the stage, also for a process that comes later. */
  own: ReadonlyMap<string, string>;
}

/** `last`: what was kept of the attempt before, if it failed or was interrupted. `denied`: of the scope that holds now. */
export function baselineAfter(
  last: Baseline | undefined,
  context: WorkTreeContext,
  denied: readonly string[],
): Baseline {
  // Changes of an interrupted attempt belong to the one that takes its place.
  if (last?.tree) return last;
  const { git } = context;
  const carried = new Map(
    // A path that is not as the attempt left it was changed by another process since.
    [...(last?.carried ?? [])].filter(([path, { left }]) => sameRecorded(markNow(context, path), left)),
  );
  const tree = treeAfter(last?.failed, context, denied);
  return { tree, commit: git?.head() ?? null, carried, failed: null, own: new Map() };
}

/** Rules that a failed attempt changed hide nothing from the next one, unless another process has changed them since. */
function treeAfter(
  failed: FailedRules | null | undefined,
  context: WorkTreeContext,
  denied: readonly string[],
): WorkTree {
  const tree = readWorkTree(context, { denied });
  if (!failed || isEqual(failed.before, failed.left) || !isEqual(tree.rules, failed.left)) return tree;
  return readWorkTree(context, { denied, rules: failed.before });
}

function isEqual(one: IgnoreRules | null, other: IgnoreRules | null): boolean {
  return one?.patterns === other?.patterns && one?.ignoreCase === other?.ignoreCase;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** The entries that git recorded after a commit, asked once for each commit. Nothing without git, and where it is more than git may say. */
function recorder(git: GitPort | undefined): (commit: string | null) => ReadonlyMap<string, string> {
  const known = new Map<string | null, ReadonlyMap<string, string>>();
  return (commit) => {
    const found = known.get(commit) ?? (git ? unlessTooLarge(() => git.recordedSince(commit), NOTHING) : NOTHING);
    known.set(commit, found);
    return found;
  };
}

/** Paths for which another commit is checked out than at the start of the attempt. */
function committedIn({ commit }: Baseline, git: GitPort | undefined): string[] {
  if (!git || (git.head() ?? null) === commit) return [];
  return unlessTooLarge(() => git.committedSince(commit), []);
}

export interface Change {
  /** Sorted. New, changed and removed files since the start of the attempt, and those of attempts before it that were not taken back. */
  paths: string[];
  /** Of these, what git recorded otherwise since the start of the attempt. */
  recorded: ReadonlySet<string>;
}

export function changedIn(baseline: Baseline, context: WorkTreeContext): Change {
  const { tree, carried } = baseline;
  const change = tree ? changedSince(tree, context) : { paths: [], staged: [] };
  const paths = new Set(change.paths);
  const since = recorder(context.git);
  for (const [path, one] of carried) {
    if (isTakenBack(path, one, context, since)) paths.delete(path);
    else paths.add(path);
  }
  const recorded = new Set([...change.staged, ...committedIn(baseline, context.git)]);
  for (const path of recorded) paths.add(path);
  return { paths: [...paths].toSorted(), recorded };
}

/** The baseline after an attempt that failed; `paths`: those of its change that count. */
export function afterFailure(baseline: Baseline, { paths, recorded }: Change, context: WorkTreeContext): Baseline {
  const { tree, commit, carried, own } = baseline;
  const since = recorder(context.git);
  const left = paths.map((path): [string, Carried] => {
    const first = carried.get(path) ?? { was: tree?.marks.get(path) ?? null, commit, recorded: null };
    const now = recorded.has(path) ? (since(first.commit).get(path) ?? null) : first.recorded;
    return [path, { ...first, recorded: now, left: markNow(context, path) }];
  });
  const failed = tree && { before: tree.rules, left: readWorkTree(context, { denied: [] }).rules };
  return { tree: null, commit, carried: new Map(left), failed, own };
}

function isTakenBack(
  path: string,
  { was, commit, recorded }: Carried,
  context: WorkTreeContext,
  since: ReturnType<typeof recorder>,
): boolean {
  const { root, git } = context;
  if (recorded !== null && since(commit).get(path) === recorded) return false;
  const now = markNow(context, path);
  if (sameRecorded(now, was)) return true;
  if (now === null || was === null || commit === null || !git) return false;
  const object = git.find(commit, path);
  const bytes = object === undefined ? undefined : readRegular(diskFor(context, path), join(root, path));
  // A stage can write the file in which git keeps the object: the name alone vouches for the bytes.
  return bytes !== undefined && nameOfBlob(object!, bytes) === object;
}

/** As git names these bytes, by the hash that the other name is one of. */
export function nameOfBlob(like: string, bytes: Buffer): string {
  return createHash(like.length === 64 ? "sha256" : "sha1")
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest("hex");
}

/** An output above the limit is not compared, and none that a partial clone has not fetched. */
function unlessTooLarge<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch (e) {
    if (isTaskfoldError(e) && (e.code === "CONTENT_TOO_LARGE" || e.code === "OBJECT_MISSING")) return otherwise;
    throw e;
  }
}
