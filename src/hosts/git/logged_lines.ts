/**
 * Lines of logs that commits had, read from the differences between commits: a log is written anew in each of them, and to
 * read it whole each time would cost the square of its length.
 */
import type { LoggedLine } from "../../engine/git_port.ts";
import { TaskfoldError } from "../../errors.ts";
import { linesOfPatch } from "./patch_lines.ts";
import { git, gitSays, gitSucceeds, gitWithPatterns } from "./run_git.ts";

const LOGS = [".coco/tasks/*/events.jsonl", ".coco/archive/*/events.jsonl"];
/** Whatever is configured here, the output is the same. */
const PATCH = (
  "--patch --unified=0 --inter-hunk-context=0 --text --relative --no-prefix --no-renames " +
  "--no-color --no-ext-diff --no-textconv"
).split(" ");
const SETTINGS = "-c log.showRoot=true -c log.diffMerges=separate -c log.follow=false".split(" ");
/** Each side of every merge, and the first commit too. */
const LOG = [...SETTINGS, ..."log -m --full-history --no-show-signature --format=commit%x20%H".split(" "), ...PATCH];
/** Commits that an operation of git left behind, or is about to take in, and that no ref has. */
const NOTED = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "ORIG_HEAD", "FETCH_HEAD"];
/** How far back the branch's own memory is asked for what was dropped from it. */
const MOST_REFLOG = 200;

export function everHeld(root: string, paths: readonly string[]): LoggedLine[] {
  const noted = NOTED.flatMap((name) => commitOf(root, name) ?? []);
  const lines = linesOfPatch(git(root, [...LOG, "--all", "--reflog", ...noted, "--", ...paths]));
  // Whatever a commit has, some commit brought.
  return lines.filter((line) => line.added).map(({ added: _added, ...line }) => ({ ...line, taken: false }));
}

export function takenAway(root: string, base?: string): LoggedLine[] {
  const head = commitOf(root, "HEAD");
  const known = base === undefined ? [] : [baseCommit(root, base)];
  if (head === undefined) return [];
  const dropped = droppedFrom(root, known);
  const since = known.map((commit) => `^${commit}`);
  const inHistory = linesOfPatch(gitWithPatterns(root, [...LOG, head, ...dropped, ...since, "--", ...LOGS]));
  const sinceThen = [head, ...dropped].flatMap((commit) =>
    linesOfPatch(gitWithPatterns(root, ["diff", ...PATCH, commit, "--", ...LOGS]), commit),
  );
  const gone = (lines: typeof inHistory, taken: boolean): LoggedLine[] =>
    lines.filter((line) => !line.added).map(({ added: _added, ...line }) => ({ ...line, taken }));
  const lost = [...gone(sinceThen, false), ...gone(inHistory, true)];
  if (base === undefined || lost.length === 0) return lost;
  const before = lostBy(root, known[0]!);
  return lost.filter(({ bytes }) => !before.has(keyOf(bytes)));
}

/** What a commit had lost by itself: a merge with it, or a rebase onto it, brings that loss along. */
function lostBy(root: string, commit: string): Set<string> {
  const lost = new Set<string>();
  for (const { bytes } of linesOfPatch(gitWithPatterns(root, [...LOG, commit, "--", ...LOGS]))) lost.add(keyOf(bytes));
  const nothing = git(root, ["hash-object", "-t", "tree", "--stdin"], "").toString("latin1").trim();
  const there = gitWithPatterns(root, ["diff", ...PATCH, nothing, commit, "--", ...LOGS]);
  for (const { bytes } of linesOfPatch(there)) lost.delete(keyOf(bytes));
  return lost;
}

function keyOf(bytes: Buffer): string {
  return bytes.toString("latin1").trimEnd();
}

/** Commits that the branch once pointed at, and that nothing it points at now leads to: by reset, rebase or amendment. */
function droppedFrom(root: string, known: readonly string[]): string[] {
  const branch = gitSays(root, ["symbolic-ref", "--quiet", "HEAD"]);
  if (branch === undefined || !gitSucceeds(root, ["reflog", "exists", branch])) return [];
  const was = [...new Set(words(git(root, ["log", "-g", `-n${MOST_REFLOG}`, "--format=%H", branch, "--"])))];
  const beside = new Set(words(git(root, ["rev-list", "--ignore-missing", ...was, "--not", "HEAD", ...known, "--"])));
  const gone = was.filter((commit) => beside.has(commit));
  return gone.length < 2 ? gone : words(git(root, ["merge-base", "--independent", ...gone]));
}

function baseCommit(root: string, base: string): string {
  // What begins with a dash would be an option, and no branch can be called so.
  const commit = base.startsWith("-") ? undefined : commitOf(root, base);
  // `^main` names what main does not lead to.
  if (commit !== undefined && !commit.startsWith("^")) return commit;
  const name = JSON.stringify(base.slice(0, 80));
  throw new TaskfoldError("INVALID_INPUT", `Expected the base to name a commit of this repository, found ${name}.`, {
    recovery: "Name a branch, a tag or a commit that is here; git fetch brings those of a remote.",
  });
}

function commitOf(root: string, name: string): string | undefined {
  return gitSays(root, ["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
}

function words(output: Buffer): string[] {
  return output.toString("latin1").split("\n").filter(Boolean);
}
