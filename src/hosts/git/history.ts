/** Which versions of logs the commits of a history have, from the trees of the commits: newest first, each parent of a merge by itself. */
import { isTaskfoldError } from "../../errors.ts";
import type { GitLimit } from "../../engine/core/git_port.ts";
import { MAX_COMMITS } from "./limits.ts";
import type { Repository } from "./repository.ts";

/** The file of a commit at a path, and that of one of its parents; undefined where there is no file. */
export interface Change {
  commit: string;
  path: string;
  before: string | undefined;
  after: string | undefined;
}

export interface PathSelection {
  paths: readonly string[];
  /** Whether `*` in them stands for the name of one folder. */
  patterns: boolean;
}

const TREES = "diff-tree -r --raw -z --no-renames --relative --no-ext-diff --no-textconv".split(" ");
/** Each commit that is given, with each of its parents. */
const COMMITS_GIVEN = [...TREES, ..."--stdin -m --root --".split(" ")];
/** The tree without a file, which every repository has. */
const EMPTY = {
  sha1: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  sha256: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};
/** How many commits one call is given; fewer when their trees differ in too much. */
const COMMITS = 1000;
/** Regular files: a link or another repository in the place of a log is no log. */
const FILE = /^100/;

/** Changes of these paths in the commits that `revisions` select. */
export function* changesOf(
  repository: Repository,
  revisions: readonly string[],
  { paths, patterns }: PathSelection,
  left: (limit: GitLimit) => void,
): Generator<Change> {
  const select = ["rev-list", "--full-history", `--max-count=${MAX_COMMITS + 1}`, ...revisions, "--", ...paths];
  const commits = words(repository.git(select, { patterns }));
  if (commits.length > MAX_COMMITS) left({ path: null, why: `only the last ${MAX_COMMITS} commits were compared` });
  const count = Math.min(commits.length, MAX_COMMITS);
  for (let at = 0, step = COMMITS; at < count;) {
    const some = commits.slice(at, Math.min(at + step, count));
    const changes = changesIn(repository, some, { paths, patterns });
    if (!changes && some.length > 1) {
      step = Math.ceil(some.length / 2);
      continue;
    }
    if (changes) yield* changes;
    else left({ path: null, why: `commit ${some[0]} changes too many logs` });
    at += some.length;
    step = Math.min(COMMITS, step * 2);
  }
}

/** Undefined when they say too much for one call. */
function changesIn(repository: Repository, commits: readonly string[], selection: PathSelection): Change[] | undefined {
  const input = `${commits.join("\n")}\n`;
  let output: Buffer;
  try {
    output = repository.git([...COMMITS_GIVEN, ...selection.paths], { input, patterns: selection.patterns });
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return undefined;
    throw e;
  }
  return parsedChanges(output);
}

/**
 * Returns the files of a commit at these paths that `from` does not have, or has otherwise; without `from` all that it
 * has.
 */
export function versionsIn(
  repository: Repository,
  commit: string,
  { paths, patterns }: PathSelection,
  from?: string,
): Change[] {
  const trees = [from ?? EMPTY[repository.format], commit];
  return parsedChanges(repository.git([...TREES, ...trees, "--", ...paths], { patterns }), commit);
}

function parsedChanges(output: Buffer, of = ""): Change[] {
  const changes: Change[] = [];
  let commit = of;
  const words = output.toString("utf8").split("\0");
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (!word.startsWith(":")) {
      if (word !== "") commit = word;
      continue;
    }
    const [oldMode = "", newMode = "", before = "", after = ""] = word.slice(1).split(" ");
    const path = words[++at] ?? "";
    changes.push({
      commit,
      path,
      before: FILE.test(oldMode) ? before : undefined,
      after: FILE.test(newMode) ? after : undefined,
    });
  }
  return changes;
}

/** Returns output of git that has one word in each line. */
export function words(output: Buffer): string[] {
  return output.toString("latin1").split("\n").filter(Boolean);
}
