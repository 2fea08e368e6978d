/**
 * Judges an attempt where the record of the work tree at its start is gone: `git clean`, another machine, a damaged file.
 * The start event has the commit and digests. A file that they cannot tell apart from a change counts as one.
 */
import { createHash } from "node:crypto";
import type { GitPort } from "../engine/core/git_port.ts";
import { isTaskfoldError } from "../errors.ts";
import type { RecordedSign } from "../files/file_sign.ts";
import type { Baseline } from "./baseline.ts";
import { isOwn } from "../rules/packet/scope.ts";
import { readWorkTree } from "./work_tree.ts";
import type { WorkTreeContext, WorkTree } from "./work_tree.ts";

const GIT = ".git/";
const NO_GIT = "no_git";
const NO_COMMIT = "no_commit";
/** No file has it. */
const NEVER: RecordedSign = [-1, -1, -1, -1];
/** Lies outside of the repository, so that no change of a work tree takes it back. */
const USERS_RULES = ".git/core.excludesFile";
const NO_RULES = { patterns: "", ignoreCase: false };

/** One line for the start event. */
export function seenBy({ tree, commit, carried, failed }: Baseline, git: GitPort | undefined): string {
  const earlier = carried.size === 0 && failed === null ? [] : [digestOf([[...carried], failed])];
  return [git ? (commit ?? NO_COMMIT) : NO_GIT, ...(tree ? digestsOf(tree) : []), ...earlier].join(" ");
}

function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

export interface Lost {
  why: string;
  /** False: the paths that changed are not known at all. */
  judged: boolean;
}

/** `seen`: from the start event. `lost` is undefined where all is as it was then. */
export function withoutRecord(
  context: WorkTreeContext,
  denied: readonly string[],
  seen: string,
): { baseline: Baseline; lost: Lost | undefined } {
  const { git } = context;
  const tree = readWorkTree(context, { denied });
  const now: Baseline = { tree, commit: git?.head() ?? null, carried: new Map(), failed: null, own: new Map() };
  if (seenBy(now, git) === seen) return { baseline: now, lost: undefined };
  const [commit = NO_GIT, , settings] = seen.split(" ");
  const differing = git && differingFrom(git, commit);
  if (!differing) return { baseline: now, lost: { why: NOT_KNOWN, judged: false } };
  const present = [...differing.recorded, ...differing.changed].some(isRules)
    ? readWorkTree(context, { denied, rules: NO_RULES })
    : tree;
  const baseline: Baseline = {
    ...now,
    tree: { ...present, marks: marksOf(present, differing, digestsOf(tree)[1] !== settings) },
    commit: commit === NO_COMMIT ? null : commit,
  };
  return { baseline, lost: { why: byCommit(commit), judged: true } };
}

/** Files and settings; both by marks, which another machine has otherwise. */
function digestsOf({ marks }: WorkTree): [files: string, settings: string] {
  // The engine itself writes in the folder of the workspace while a stage runs.
  const entries = [...marks].filter(([path]) => !isOwn(path)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = (ofGit: boolean): string => digestOf(entries.filter(([path]) => path.startsWith(GIT) === ofGit));
  return [digest(false), digest(true)];
}

interface Differing {
  /** The index, or the commit that is checked out, has them otherwise. */
  recorded: string[];
  /** The work tree has them otherwise than the index. */
  changed: string[];
}

/** Undefined where git cannot say. */
function differingFrom(git: GitPort, commit: string): Differing | undefined {
  const from = commit === NO_COMMIT ? null : commit;
  if (commit === NO_GIT || (from !== null && !git.hasCommit(from))) return undefined;
  try {
    return { recorded: [...git.recordedSince(from).keys()], changed: git.changed(null) };
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return undefined;
    throw e;
  }
}

function isRules(path: string): boolean {
  return /(?:^|\/)\.gitignore$/.test(path);
}

/** A file that is not tracked is new; one that differs from the commit is none that was there. */
function marksOf(
  { marks, index }: WorkTree,
  { recorded, changed }: Differing,
  isGitOther: boolean,
): Map<string, RecordedSign> {
  const were = new Map([...marks].filter(([path]) => index.has(path) || path.startsWith(GIT) || isOwn(path)));
  for (const path of [...recorded, ...changed.filter((one) => index.has(one))]) were.set(path, NEVER);
  if (isGitOther)
    for (const path of were.keys()) if (path.startsWith(GIT) && path !== USERS_RULES) were.set(path, NEVER);
  return were;
}

const GONE = "Expected the record of the work tree from the start of the attempt; found none on this machine.";
const NOT_KNOWN = `${GONE} It is not known what changed. Look at the files yourself, then run the stage again: taskfold packet run.`;

function byCommit(commit: string): string {
  const from = commit === NO_COMMIT ? "no commit" : `commit ${commit.slice(0, 12)}`;
  return `${GONE} All that differs from ${from} counts. Take back what the stage did. For a file of your own, allow it in the manifest or touch it. Then run again: taskfold packet run.`;
}
