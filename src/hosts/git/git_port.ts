/** What resolve may ask of git, by the `git` program: which files a stopped merge left open, their sides, and staging. */
import type { GitPort } from "../../engine/resolve.ts";
import { git, gitSucceeds } from "./run_git.ts";

interface Unmerged {
  stage: number;
  object: string;
  path: string;
}

/** The port for a workspace root inside a git work tree; undefined outside of one, or where there is no git. */
export function openGit(root: string): GitPort | undefined {
  if (!gitSucceeds(root, ["rev-parse", "--is-inside-work-tree"])) return undefined;
  return {
    unmerged: () => [...new Set(unmerged(root).map((entry) => entry.path))],
    versions: (path) =>
      unmerged(root, path)
        .toSorted((a, b) => a.stage - b.stage)
        .map(({ object }) => git(root, ["cat-file", "blob", object])),
    // Not `git add`, which fails as a whole on one name that is neither there nor in the index.
    add: (paths) => {
      if (paths.length > 0)
        git(root, ["update-index", "--add", "--remove", "-z", "--stdin"], paths.map((path) => `${path}\0`).join(""));
    },
    changed: (folder) =>
      names(git(root, ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard", "--", folder])),
  };
}

/** Entries of the index that a merge left open, paths relative to `root`. */
function unmerged(root: string, path: string = "."): Unmerged[] {
  return names(git(root, ["ls-files", "--unmerged", "-z", "--", path])).map((entry) => {
    const [meta = "", name = ""] = entry.split("\t", 2);
    const [, object = "", stage = ""] = meta.split(" ");
    return { stage: Number(stage), object, path: name };
  });
}

function names(output: Buffer): string[] {
  return [...new Set(output.toString("utf8").split("\0"))].filter((name) => name !== "");
}
