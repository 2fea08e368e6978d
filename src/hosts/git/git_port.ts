/** What may be asked of git, by the `git` program: what a stopped merge left open, what commits had, staging, and the base branch. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { GitPort } from "../../engine/resolve.ts";
import { baseOf } from "./base_branch.ts";
import { everHeld, takenAway } from "./logged_lines.ts";
import { git, gitSays, gitSucceeds } from "./run_git.ts";

const UNMERGED = ["ls-files", "--unmerged", "-z"];

/** The port for a workspace root inside a git work tree; undefined outside of one, or where there is no git. */
export function openGit(root: string): GitPort | undefined {
  if (!gitSucceeds(root, ["rev-parse", "--is-inside-work-tree"])) return undefined;
  let sides: Map<string, Set<string>> | undefined;
  return {
    unmerged: () => [...new Set(entriesOf(git(root, UNMERGED), 1).map(([path]) => path))],
    versions: (path) => {
      sides ??= sidesOf(root);
      return [...(sides.get(path) ?? [])].map((object) => git(root, ["cat-file", "blob", object]));
    },
    everHeld: (paths) => everHeld(root, paths),
    takenAway: (base) => takenAway(root, base),
    // Not `git add`, which fails as a whole on one name that is neither there nor in the index.
    add: (paths) => {
      if (paths.length > 0)
        git(root, ["update-index", "--add", "--remove", "-z", "--stdin"], paths.map((path) => `${path}\0`).join(""));
    },
    hasCommit: (id) => gitSucceeds(root, ["cat-file", "-e", `${id}^{commit}`]),
    changed: (folder) =>
      names(git(root, ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--", folder])),
    base: () => baseOf(root),
    // Behind ./ a path begins where git runs, not at the top of the work tree.
    find: (commit, path) => gitSays(root, ["rev-parse", "--verify", "--quiet", `${commit}:./${path}`]),
    read: (object) => git(root, ["cat-file", "blob", object]),
  };
}

/** Versions of logs by path: the stages of open ones, and what merged commits have where they do not all have the same. */
function sidesOf(root: string): Map<string, Set<string>> {
  const commits = merged(root).map(
    (commit) => new Map(logsOf(git(root, ["ls-tree", "-r", "-z", commit, "--", ".coco"]), 2)),
  );
  const sides = new Map<string, Set<string>>();
  const add = (path: string, object: string): void => {
    sides.set(path, (sides.get(path) ?? new Set()).add(object));
  };
  for (const paths of commits) for (const [path, object] of paths) add(path, object);
  for (const [path, objects] of sides) {
    if (objects.size === 1 && commits.every((paths) => paths.has(path))) sides.delete(path);
  }
  for (const [path, object] of logsOf(git(root, UNMERGED), 1)) add(path, object);
  return sides;
}

/** The commits of a merge under way, or those of the last commit when it was one; none otherwise. */
function merged(root: string): string[] {
  if (!gitSucceeds(root, ["rev-parse", "-q", "--verify", "HEAD"])) return [];
  const file = resolve(root, git(root, ["rev-parse", "--git-path", "MERGE_HEAD"]).toString("utf8").trim());
  if (existsSync(file))
    return [
      "HEAD",
      ...readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== ""),
    ];
  const parents = git(root, ["rev-parse", "HEAD^@"])
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  return parents.length > 1 ? parents : [];
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

function names(output: Buffer): string[] {
  return [...new Set(output.toString("utf8").split("\0"))].filter((name) => name !== "");
}
