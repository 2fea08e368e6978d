/** Whether a diff fits the work tree. Git looks, in a git folder of ours: it reads files by the repository's filters otherwise. */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { MAX_DIFF, MAX_OBJECT } from "./limits.ts";
import { names } from "./merged.ts";
import { privateFolder } from "./private_folder.ts";
import type { PrivateFolder } from "./private_folder.ts";
import type { Repository } from "./repository.ts";
import { tooLarge, unlessGitRefuses } from "./run_git.ts";

/** CONTENT_TOO_LARGE where the diff, or a file that it changes, is more than is read. */
export function diffApplies(repository: Repository, diff: string): "applies" | "applied" | "neither" {
  // A last line without its end is a corrupt patch to git; models leave the end out.
  const input = diff.endsWith("\n") ? diff : `${diff}\n`;
  if (Buffer.byteLength(input) > MAX_DIFF) throw tooLarge(`Expected a diff of at most ${MAX_DIFF} bytes, found more.`);
  const folder = privateFolder(repository);
  try {
    const paths = pathsOf(folder, input);
    if (paths === undefined) return "neither";
    mustBeReadable(repository.root, paths);
    if (checks(folder, [], input)) return "applies";
    return checks(folder, ["--reverse"], input) ? "applied" : "neither";
  } finally {
    folder.remove();
  }
}

/** Paths as git reads them in the diff, without a look at the work tree; undefined where it is no diff. */
function pathsOf(folder: PrivateFolder, input: string): string[] | undefined {
  const output = unlessGitRefuses(() => folder.git(["apply", "--numstat", "-z", "-"], { input }));
  // Each entry is two numbers and a path; one that is renamed has both its paths behind them.
  return output && names(output).map((entry) => entry.replace(/^[-\d]+\t[-\d]+\t/, ""));
}

/** Git reads a file whole that a diff changes. */
function mustBeReadable(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    const { size = 0, kind } = (path === "" ? undefined : nodeDisk.lstat(join(root, path))) ?? {};
    if (kind === "file" && size > MAX_OBJECT)
      throw tooLarge(`Expected files of at most ${MAX_OBJECT} bytes in a diff, found a larger one at ${path}.`);
  }
}

function checks(folder: PrivateFolder, options: readonly string[], input: string): boolean {
  return unlessGitRefuses(() => folder.git(["apply", "--check", ...options, "-"], { input })) !== undefined;
}
