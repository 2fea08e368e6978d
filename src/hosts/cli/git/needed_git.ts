/** Git for a command that was asked to look into it. */
import type { GitPort } from "../../../engine/core/git_port.ts";
import { TaskfoldError } from "../../../errors.ts";
import { openGit } from "../../git/git_port.ts";

export function neededGit(root: string, option: "--git" | "--stage" | "attest" | "sign"): GitPort {
  const git = openGit(root);
  if (git) return git;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a folder inside a git work tree for ${option}. This one is in none, there is no git program, or its .git leads to a repository that does not name this folder.`,
    {
      recovery: option.startsWith("--")
        ? `Leave ${option} out: everything else is done without git.`
        : "A signature names the commit that was checked out: call it in a clone of the repository.",
    },
  );
}
