/**
 * The repository that a folder lies in, found by git and then named to every later call, so that none of them looks for another
 * one. It is used only where it belongs to that folder (HISTORY-21).
 */
import { basename, dirname, join, resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { readPlain } from "./read_file.ts";
import { git, gitSays, gitSucceeds } from "./run_git.ts";
import type { GitInput, GitPlace } from "./run_git.ts";

export interface Repository {
  /** Where Taskfold works: the top of the work tree, or a folder below it. */
  root: string;
  /** What git puts before a path relative to the root: nothing, or folders with `/` at the end. */
  prefix: string;
  /** The git folder of this work tree, and the one that it shares with the other work trees. */
  folder: string;
  common: string;
  /** The hash that names objects. */
  format: "sha1" | "sha256";
  git: (args: readonly string[], input?: GitInput) => Buffer;
  says: (args: readonly string[]) => string | undefined;
  succeeds: (args: readonly string[]) => boolean;
}

const ASKED = "rev-parse --is-inside-work-tree --show-toplevel --show-prefix --absolute-git-dir --git-common-dir";

/** Undefined outside of a work tree, where there is no git, and where the repository is not one that is used. */
export function openRepository(root: string): Repository | undefined {
  const said = gitSays({ folder: root }, ASKED.split(" "));
  const [inside, top = "", prefix = "", folder = "", shared = ""] = said?.split("\n") ?? [];
  if (inside !== "true") return undefined;
  const common = resolve(root, shared);
  const variables = { GIT_DIR: folder, GIT_COMMON_DIR: common, GIT_WORK_TREE: top };
  const place: GitPlace = { folder: root, variables };
  if (!isReadable(folder) || !isReadable(common) || !belongsTo(place, variables)) return undefined;
  // Releases before 2.25 repeat the option.
  const format = gitSays(place, ["rev-parse", "--show-object-format"]) === "sha256" ? "sha256" : "sha1";
  return {
    root,
    prefix,
    folder,
    common,
    format,
    git: (args, input) => git(place, args, input),
    says: (args) => gitSays(place, args),
    succeeds: (args) => gitSucceeds(place, args),
  };
}

/**
 * Whether this is the `.git` of the work tree itself, or a folder elsewhere that names the work tree in turn, as those of linked
 * work trees and submodules do. A `.git` that came in an archive can name any repository, but none of them names it.
 */
function belongsTo(
  place: GitPlace,
  { GIT_DIR, GIT_COMMON_DIR, GIT_WORK_TREE }: Record<"GIT_DIR" | "GIT_COMMON_DIR" | "GIT_WORK_TREE", string>,
): boolean {
  const [entry, own, shared] = [join(GIT_WORK_TREE, ".git"), real(GIT_DIR), real(GIT_COMMON_DIR)];
  const kind = nodeDisk.lstat(entry)?.kind;
  if (kind === undefined || own === undefined || shared === undefined) return false;
  if (own === shared) return kind === "folder" ? real(entry) === own : namesWorkTree(place, own, GIT_WORK_TREE);
  const worktrees = dirname(own);
  if (basename(worktrees) !== "worktrees" || dirname(worktrees) !== shared) return false;
  const back = readPlain(own, "gitdir", 64 * 1024);
  return Buffer.isBuffer(back) && real(resolve(own, back.toString("utf8").trim())) === real(entry);
}

function namesWorkTree(place: GitPlace, folder: string, top: string): boolean {
  const named = gitSays(place, ["config", "--get", "core.worktree"]);
  return named !== undefined && real(resolve(folder, named)) === real(top);
}

function real(path: string): string | undefined {
  try {
    return nodeDisk.realpath(path);
  } catch (e) {
    if (errnoOf(e) !== undefined) return undefined;
    throw e;
  }
}

/** Parts of a git folder whose files git reads whole, or waits for, when it is asked for a ref. */
const READ_WHOLE = ["", "info", "objects/info", "objects/pack", "refs", "logs", "worktrees"];
const WITH_ALL_BELOW = new Set(["refs", "logs", "worktrees"]);
/** A ref or a setting has some hundred bytes. These may be large, and git maps them or reads them by pieces. */
const LARGE = /^(?:index|sharedindex\..*|packed-refs|COMMIT_EDITMSG|MERGE_MSG|.*\.(?:pack|idx|rev|bitmap|mtimes))$/;
const MOST_REF = 1024 * 1024;
const MOST_LOGGED = 64 * 1024 * 1024;
const MOST_ENTRIES = 50_000;

/** Whether no pipe, no device and no huge ref stands where git would read it: git itself waits for ever, or fills the memory. */
function isReadable(folder: string): boolean {
  let entries = 0;
  const isPlain = (path: string, part: string, depth: number): boolean => {
    if (real(path) === undefined || nodeDisk.stat(path)?.kind !== "folder") return true;
    for (const name of nodeDisk.readdir(path)) {
      if (++entries > MOST_ENTRIES || depth > 32) return false;
      // The monitor that is part of git listens on a socket, which nothing can open as a file.
      if (name.startsWith("fsmonitor--daemon")) continue;
      const stat = real(join(path, name)) === undefined ? undefined : nodeDisk.stat(join(path, name));
      if (stat?.kind === "special file") return false;
      if (stat?.kind === "file" && !LARGE.test(name) && stat.size > (part === "logs" ? MOST_LOGGED : MOST_REF))
        return false;
      if (stat?.kind === "folder" && WITH_ALL_BELOW.has(part) && !isPlain(join(path, name), part, depth + 1))
        return false;
    }
    return true;
  };
  return READ_WHOLE.every((part) => isPlain(join(folder, part), part, 0));
}
