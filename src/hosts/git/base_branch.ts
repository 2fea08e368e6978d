/** Which branch work is compared with: the default branch of origin, else main, else master. */
import type { GitBranch } from "../../engine/core/git_port.ts";
import type { Repository } from "./repository.ts";

const CANDIDATES = [
  { ref: "refs/remotes/origin/HEAD", source: "the default branch of origin" },
  { ref: "refs/remotes/origin/main", source: "the branch main of origin" },
  { ref: "refs/remotes/origin/master", source: "the branch master of origin" },
  { ref: "refs/heads/main", source: "the local branch main" },
  { ref: "refs/heads/master", source: "the local branch master" },
];
const FORMAT = "--format=%(refname) %(objectname) %(symref)";

/** A text says why there is none. */
export function baseOf(repository: Repository): GitBranch | string {
  const refs = new Map(
    repository
      .git(["for-each-ref", FORMAT, ...CANDIDATES.map(({ ref }) => ref)])
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): [string, { commit: string; name: string }] => {
        const [ref = "", commit = "", symref = ""] = line.split(" ");
        return [ref, { commit, name: (symref || ref).replace(/^refs\/(?:heads|remotes)\//, "") }];
      }),
  );
  for (const { ref, source } of CANDIDATES) {
    const found = refs.get(ref);
    if (!found) continue;
    const branch = repository.says(["symbolic-ref", "--quiet", "--short", "HEAD"]) ?? null;
    return { branch, base: found.name, commit: found.commit, source };
  }
  return "the repository has neither a default branch of origin nor a branch main or master with a commit";
}
