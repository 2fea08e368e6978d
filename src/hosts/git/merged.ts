/** The sides of a merge: what it left open in the index, and what the commits have that it brings together. */
import { MOST_PARENTS, MOST_SIDES } from "./limits.ts";
import { wholeBlobs } from "./objects.ts";
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

/** Versions of logs by path: the stages of open ones, and what merged commits have where they do not all have the same. */
export function sidesOf(repository: Repository): Map<string, Set<string>> {
  const commits = merged(repository).map(
    (commit) => new Map(logsOf(repository.git(["ls-tree", "-r", "-z", commit, "--", ".coco"]), 2)),
  );
  const sides = new Map<string, Set<string>>();
  const add = (path: string, object: string): void => {
    sides.set(path, (sides.get(path) ?? new Set()).add(object));
  };
  for (const paths of commits) for (const [path, object] of paths) add(path, object);
  for (const [path, objects] of sides) {
    if (objects.size === 1 && commits.every((paths) => paths.has(path))) sides.delete(path);
  }
  for (const [path, object] of logsOf(repository.git(UNMERGED), 1)) add(path, object);
  return sides;
}

/** All of these, whole. CONTENT_TOO_LARGE when one of them is, or all are together. */
export function versionsOf(repository: Repository, path: string, objects: ReadonlySet<string>): Buffer[] {
  if (objects.size === 0) return [];
  const blobs = wholeBlobs(repository, [...objects], MOST_SIDES);
  const missing = [...objects].find((object) => !blobs.has(object));
  if (missing === undefined) return [...blobs.values()];
  throw objectMissing(repository, `the side ${missing} of ${path}`);
}

/** The commits of a merge under way, or those of the last commit when it was one; none otherwise. */
function merged(repository: Repository): string[] {
  if (!repository.succeeds(["rev-parse", "-q", "--verify", "HEAD"])) return [];
  const heads = readPlain(repository.folder, "MERGE_HEAD", 1024 * 1024);
  const commits = Buffer.isBuffer(heads)
    ? ["HEAD", ...words(heads).filter((word) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(word))]
    : words(repository.git(["rev-parse", "HEAD^@"]));
  if (commits.length > MOST_PARENTS)
    throw tooLarge(`Expected a merge of at most ${MOST_PARENTS} commits, found one of ${commits.length}.`);
  return commits.length > 1 ? commits : [];
}

/** Path and object of each entry as `ls-tree` and `ls-files` print it: words, a tab, the path; the object is word `at`. */
function entriesOf(output: Buffer, at: number): [path: string, object: string][] {
  return names(output).map((entry) => {
    const tab = entry.indexOf("\t");
    return [entry.slice(tab + 1), entry.slice(0, tab).split(" ")[at] ?? ""];
  });
}

function logsOf(output: Buffer, at: number): [path: string, object: string][] {
  return entriesOf(output, at).filter(([path]) => path.endsWith("/events.jsonl"));
}

/** Returns names from output of git with a NUL behind each name. */
export function names(output: Buffer): string[] {
  return [...new Set(output.toString("utf8").split("\0"))].filter((name) => name !== "");
}
