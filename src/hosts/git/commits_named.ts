/** Commits by their names, all names in one call: the start of a process costs more than all of its answers. */
import type { Repository } from "./repository.ts";
import { unlessGitRefuses } from "./run_git.ts";

/** Commits that an operation of git left behind, or is about to take in, and that no ref has. */
export const NOTED = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "ORIG_HEAD",
  "FETCH_HEAD",
] as const;

/** The commit that each of these names leads to; names that lead to none are left out. No name has a line feed. */
export function commitsNamed(repository: Repository, names: readonly string[]): Map<string, string> {
  const input = names.map((name) => `${name}^{commit}\n`).join("");
  const output = unlessGitRefuses(() =>
    repository.git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { input }),
  );
  // Git ends at an object that is damaged; each name by itself tells which of them are whole.
  if (output === undefined) return new Map(names.flatMap((name) => named(name, commitNamed(repository, name))));
  const lines = output.toString("latin1").split("\n");
  return new Map(names.flatMap((name, i) => named(name, /^([0-9a-f]+) commit$/.exec(lines[i] ?? "")?.[1])));
}

/** The commit that a name leads to; undefined where it leads to none. */
export function commitNamed(repository: Repository, name: string): string | undefined {
  return repository.says(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
}

function named(name: string, commit: string | undefined): [string, string][] {
  return commit === undefined ? [] : [[name, commit]];
}
