/** The sides of a merge: what it left open in the index, and what the commits have that it brings together. */
import type { GitVersion } from "../../engine/core/git_port.ts";
import { isTaskfoldError } from "../../errors.ts";
import { MAX_PARENTS, MAX_SIDES } from "./limits.ts";
import { wholeBlobs } from "./objects.ts";
import { textOfName } from "../../name_bytes.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";
import { objectMissing } from "./object_missing.ts";
import { tooLarge } from "./run_git.ts";
import { words } from "./history.ts";

const UNMERGED = ["ls-files", "--unmerged", "-z"];

/** Files that a stopped merge, rebase or cherry-pick left open. */
export function unmerged(repository: Repository): string[] {
  return [...new Set(entriesOf(repository.git(UNMERGED), 1).map(([path]) => path))];
}

/** Objects of the versions of one log, and whether all sides came from it. */
export type Sides = ReadonlyMap<string, boolean>;

/** Versions of logs by path: the stages of open ones, and what merged commits have where they do not all have the same. */
export function sidesOf(repository: Repository): Map<string, Sides> {
  const commits = merged(repository);
  const logsIn = (commit: string): Map<string, string> =>
    new Map(logsOf(repository.git(["ls-tree", "-r", "-z", commit, "--", ".coco"]), 2));
  const trees = commits.map(logsIn);
  const bases = baseOfAll(repository, commits).map(logsIn);
  const sides = new Map<string, Map<string, boolean>>();
  const add = (path: string, object: string, isBase: boolean): void => {
    const known = sides.get(path) ?? new Map<string, boolean>();
    sides.set(path, known.set(object, isBase || known.get(object) === true));
  };
  for (const paths of trees) {
    for (const [path, object] of paths)
      add(
        path,
        object,
        bases.some((base) => base.get(path) === object),
      );
  }
  for (const [path, objects] of sides) {
    if (objects.size === 1 && trees.every((paths) => paths.has(path))) sides.delete(path);
  }
  const open = entriesOf(repository.git(UNMERGED), 1).filter(([path]) => isLog(path));
  for (const [path, object, stage] of open) add(path, object, stage === "1");
  return sides;
}

/** All of these, whole. CONTENT_TOO_LARGE when one of them is, or all are together. */
export function versionsOf(repository: Repository, path: string, sides: Sides): GitVersion[] {
  if (sides.size === 0) return [];
  const blobs = wholeBlobs(repository, [...sides.keys()], MAX_SIDES);
  return [...sides].map(([object, isBase]) => {
    const bytes = blobs.get(object);
    if (bytes) return { bytes, isBase };
    throw objectMissing(repository, `the side ${object} of ${path}`);
  });
}

const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commits of a merge under way, or those of the last commit when it was one; none otherwise. */
function merged(repository: Repository): string[] {
  const heads = readPlain(repository.folder, "MERGE_HEAD", 1024 * 1024);
  const commits = Buffer.isBuffer(heads)
    ? [...(hasCommit(repository) ? ["HEAD"] : []), ...words(heads).filter((word) => ID.test(word))]
    : parentsOfHead(repository);
  if (commits.length > MAX_PARENTS)
    throw tooLarge(`Expected a merge of at most ${MAX_PARENTS} commits, found one of ${commits.length}.`);
  return commits.length > 1 ? commits : [];
}

/** None of a branch without a commit, for which git has no words: it is asked once more only there. */
function parentsOfHead(repository: Repository): string[] {
  try {
    return words(repository.git(["rev-parse", "HEAD^@"]));
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "STORAGE_FAILED" && !hasCommit(repository)) return [];
    throw e;
  }
}

function hasCommit(repository: Repository): boolean {
  return repository.succeeds(["rev-parse", "-q", "--verify", "HEAD"]);
}

/** The commits that all of these came from; none where they have nothing in common. */
function baseOfAll(repository: Repository, commits: readonly string[]): string[] {
  if (commits.length < 2) return [];
  return words(Buffer.from(repository.says(["merge-base", "--all", "--octopus", ...commits]) ?? ""));
}

/** Path and object of each entry as `ls-tree` and `ls-files` print it: words, a tab, the path. The object is word `at`, the stage the next. */
function entriesOf(output: Buffer, at: number): [path: string, object: string, next: string][] {
  return names(output).map((entry) => {
    const tab = entry.indexOf("\t");
    const [object = "", next = ""] = entry.slice(0, tab).split(" ").slice(at);
    return [entry.slice(tab + 1), object, next];
  });
}

function logsOf(output: Buffer, at: number): [path: string, object: string][] {
  return entriesOf(output, at).flatMap(([path, object]) => (isLog(path) ? [[path, object]] : []));
}

function isLog(path: string): boolean {
  return path.endsWith("/events.jsonl");
}

/** Returns names from output of git with a NUL behind each name, as `name_bytes.ts` writes them. */
export function names(output: Buffer): string[] {
  return [...new Set(textOfName(output).split("\0"))].filter((name) => name !== "");
}
