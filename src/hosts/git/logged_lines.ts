/**
 * Lines of logs that commits had. Each version of a log is read once, for all its comparisons. Of two versions only the
 * part is looked at in which they differ.
 */
import type { GitLimit, LoggedLine } from "../../engine/core/git_port.ts";
import { TaskfoldError } from "../../errors.ts";
import { commitNamed, commitsNamed, NOTED } from "./commits_named.ts";
import { changesOf, versionsIn, words } from "./history.ts";
import type { Change, PathSelection } from "./history.ts";
import { MAX_OBJECT } from "./limits.ts";
import { blobName } from "./objects.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";
import type { Pair } from "./versions_of_logs.ts";
import { VersionReader } from "./versions_of_logs.ts";

type Left = (limit: GitLimit) => void;

const LOGS: PathSelection = { paths: [".coco/tasks/*/events.jsonl", ".coco/archive/*/events.jsonl"], patterns: true };
/** How far back the branch's own memory is asked for what was dropped from it. */
const MAX_REFLOG = 200;

export function* everHeld(repository: Repository, paths: readonly string[], left: Left): Generator<LoggedLine> {
  const noted = commitsNamed(repository, NOTED).values();
  const changes = changesOf(repository, ["--all", "--reflog", ...noted], { paths, patterns: false }, left);
  // Each line of a commit was brought by some commit.
  for (const line of new VersionReader(repository, left).linesOf(brought(changes))) yield { ...line, taken: false };
}

export function* takenAway(repository: Repository, base: string | undefined, left: Left): Generator<LoggedLine> {
  const known = base === undefined ? [] : [baseCommit(repository, base)];
  const head = commitNamed(repository, "HEAD");
  if (head === undefined) return;
  const ends = [head, ...droppedFrom(repository, known)];
  const reader = new VersionReader(repository, left);
  for (const line of reader.linesOf(notInWorkTree(repository, ends, left))) yield { ...line, taken: false };
  const since = known.map((commit) => `^${commit}`);
  const changes = changesOf(repository, [...ends, ...since], LOGS, left);
  for (const line of reader.linesOf(taken(changes))) yield { ...line, taken: true };
}

/** Of these lines those that a commit had lost by itself: a merge with it, or a rebase onto it, brings that loss along. */
export function lostBy(repository: Repository, base: string, lines: Iterable<Buffer>, left: Left): Set<string> {
  const commit = baseCommit(repository, base);
  const asked = new Set<string>();
  for (const bytes of lines) asked.add(lineKey(bytes));
  const lost = new Set<string>();
  const changes = changesOf(repository, [commit], LOGS, left);
  for (const { bytes } of new VersionReader(repository, left).linesOf(brought(changes)))
    if (asked.has(lineKey(bytes))) lost.add(lineKey(bytes));
  if (lost.size === 0) return lost;
  const pairs = versionsIn(repository, commit, LOGS).map(({ path, after }): Pair => ({
    path,
    commit,
    has: after,
    lacks: undefined,
  }));
  for (const { bytes } of new VersionReader(repository, left).linesOf(pairs)) lost.delete(lineKey(bytes));
  return lost;
}

function lineKey(bytes: Buffer): string {
  return bytes.toString("latin1").trimEnd();
}

function* brought(changes: Iterable<Change>): Generator<Pair> {
  for (const { path, commit, before, after } of changes)
    if (after !== undefined) yield { path, commit, has: after, lacks: before };
}

function* taken(changes: Iterable<Change>): Generator<Pair> {
  for (const { path, commit, before, after } of changes)
    if (before !== undefined) yield { path, commit, has: before, lacks: after };
}

/** Lines of commits' logs that the work tree has not. git does not look at the work tree: its filters would run. */
function* notInWorkTree(repository: Repository, commits: readonly string[], left: Left): Generator<Pair> {
  const [head] = commits;
  for (const commit of commits) {
    for (const { path, after } of versionsIn(repository, commit, LOGS, commit === head ? undefined : head)) {
      if (after === undefined) continue;
      const now = readPlain(repository.root, path, MAX_OBJECT);
      if (typeof now === "string") left({ path, why: now });
      else if (!now || blobName(repository, now) !== after)
        yield { path, commit, has: after, lacks: () => bytesOf(readPlain(repository.root, path, MAX_OBJECT)) };
    }
  }
}

function bytesOf(read: Buffer | string | undefined): Buffer | undefined {
  return Buffer.isBuffer(read) ? read : undefined;
}

/** Commits that the branch once pointed at, and that nothing it points at now leads to: by reset, rebase or amendment. */
function droppedFrom(repository: Repository, known: readonly string[]): string[] {
  const branch = repository.says(["symbolic-ref", "--quiet", "HEAD"]);
  if (branch === undefined || !repository.succeeds(["reflog", "exists", branch])) return [];
  const was = [...new Set(words(repository.git(["rev-list", "-g", `-n${MAX_REFLOG}`, branch, "--"])))];
  const beside = new Set(
    words(repository.git(["rev-list", "--ignore-missing", ...was, "--not", "HEAD", ...known, "--"])),
  );
  const gone = was.filter((commit) => beside.has(commit));
  return gone.length < 2 ? gone : words(repository.git(["merge-base", "--independent", ...gone]));
}

function baseCommit(repository: Repository, base: string): string {
  // A name that begins with a dash would be an option, and no branch can be called so.
  const commit = base.startsWith("-") ? undefined : commitNamed(repository, base);
  // `^main` names what main does not lead to.
  if (commit !== undefined && !commit.startsWith("^")) return commit;
  const name = JSON.stringify(base.slice(0, 80));
  throw new TaskfoldError("INVALID_INPUT", `Expected the base to name a commit of this repository, found ${name}.`, {
    recovery: "Name a branch, a tag or a commit that is here; git fetch brings those of a remote.",
  });
}
