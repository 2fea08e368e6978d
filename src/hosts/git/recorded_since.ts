/**
 * Files of the index and of the checked-out commit that differ from another commit. Neither looks at the work tree, so
 * no filter runs.
 */
import { textOfName } from "../../name_bytes.ts";
import { commitNamed } from "./commits_named.ts";
import { fromRoot } from "./repository.ts";
import type { Repository } from "./repository.ts";

const EMPTY_TREE = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};
const SHAPE = ["-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=dirty"];

/** Each path of the work tree with what both have there. Null: compared with nothing. */
export function recordedSince(repository: Repository, commit: string | null): Map<string, string> {
  const found = new Map<string, string>();
  const take = (where: string, entries: Entry[]): void => {
    for (const [path, entry] of entries) found.set(path, `${found.get(path) ?? ""}${where} ${entry} `);
  };
  take("commit", committed(repository, commit));
  take(
    "index",
    entriesOf(repository, repository.git(["diff-index", "--cached", ...SHAPE, treeOf(repository, commit)])),
  );
  return found;
}

/** Paths of the work tree for which the commit that is checked out has something else. */
export function committedSince(repository: Repository, commit: string | null): string[] {
  return committed(repository, commit).map(([path]) => path);
}

function committed(repository: Repository, commit: string | null): Entry[] {
  const head = commitNamed(repository, "HEAD");
  if (head === undefined || head === commit) return [];
  return entriesOf(repository, repository.git(["diff-tree", "-r", ...SHAPE, treeOf(repository, commit), head]));
}

function treeOf({ format }: Repository, commit: string | null): string {
  return commit ?? EMPTY_TREE[format];
}

type Entry = [path: string, entry: string];

/** `:100644 100644 <object> <object> M`, then the path. */
function entriesOf(repository: Repository, output: Buffer): Entry[] {
  const parts = textOfName(output).split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = "", , object = ""] = parts[at]!.split(" ");
    entries.push([fromRoot(repository, parts[at + 1]!), `${mode} ${object}`]);
  }
  return entries;
}
