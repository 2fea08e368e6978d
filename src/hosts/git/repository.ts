/**
 * The repository that a folder lies in. git finds it once, and every later call gets its name, so that none of them
 * looks for another one. It is used only where it belongs to that folder (HISTORY-21).
 */
import { basename, dirname, join, posix, resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { FileStat } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { readPlain } from "./read_file.ts";
import { git, gitBeside, gitLine, gitSays, gitSucceeds } from "./run_git.ts";
import type { GitInput, GitPlace } from "./run_git.ts";

export interface Repository {
  /** Where Taskfold works: the top of the work tree, or a folder below it. */
  root: string;
  /** Top of the work tree. */
  top: string;
  /** The text that git puts before a path relative to the root: nothing, or folders with `/` at the end. */
  prefix: string;
  /** The git folder of this work tree, and the one that it shares with the other work trees. */
  folder: string;
  common: string;
  /** The index that is asked and changed. */
  index: string;
  /** The hash that names objects. */
  format: "sha1" | "sha256";
  git: (args: readonly string[], input?: GitInput) => Buffer;
  beside: (args: readonly string[], input?: GitInput) => Promise<Buffer>;
  says: (args: readonly string[]) => string | undefined;
  succeeds: (args: readonly string[]) => boolean;
}

/** Whether the clone lacks the beginning of its history. */
export function isShallow(repository: Repository): boolean {
  return repository.says(["rev-parse", "--is-shallow-repository"]) === "true";
}

/** The top of the work tree, as it is from the root. Git takes each path literally, so that `:/` does not name it. */
export function topFrom({ prefix }: Repository): string {
  return posix.relative(`/${prefix}`, "/") || ".";
}

/** From a root below the top git is asked for all of the work tree, with paths from the top. */
export function wholeTree(repository: Repository): string[] {
  return repository.prefix === "" ? [] : ["--full-name", "--", topFrom(repository)];
}

/** A path from the top of the work tree, as it is from the root. */
export function fromRoot({ prefix }: Repository, path: string): string {
  return prefix === "" ? path : posix.relative(`/${prefix}`, `/${path}`);
}

const ASKED = [
  "--is-inside-work-tree",
  "--show-toplevel",
  "--show-prefix",
  "--absolute-git-dir",
  "--git-common-dir",
  "--show-object-format",
];

/** In one call: the start of a process costs more than all of its answers. A path with a line feed needs a call of its own (GIT-72). */
function answersOf(place: GitPlace): string[] {
  const answers = gitSays(place, ["rev-parse", ...ASKED])?.split("\n") ?? [];
  return answers.length <= ASKED.length
    ? answers
    : ASKED.map((question) => gitLine(place, ["rev-parse", question]) ?? "");
}

/**
 * Undefined outside of a work tree, where there is no git, and where the repository is not one that is used. `index`: another one than
 * git's own, such as git gives to a hook; it counts where it lies in the git folder.
 */
export function openRepository(root: string, index?: string): Repository | undefined {
  if (!isBelowGit(root)) return undefined;
  const [inside, top = "", prefix = "", folder = "", shared = "", hash] = answersOf({ folder: root });
  if (inside !== "true") return undefined;
  // Git names it from the folder itself, not from a link to it.
  const common = resolve(real(root) ?? root, shared);
  const given = index === undefined ? undefined : resolve(root, index);
  const isInside = given !== undefined && dirname(given) === folder;
  const variables = { GIT_DIR: folder, GIT_COMMON_DIR: common, GIT_WORK_TREE: top };
  const place: GitPlace = { folder: root, variables: isInside ? { ...variables, GIT_INDEX_FILE: given } : variables };
  if (!isReadable(folder) || !isReadable(common) || !belongsTo(place, variables)) return undefined;
  // Releases before 2.25 repeat the option.
  const format = hash === "sha256" ? "sha256" : "sha1";
  return {
    root,
    top,
    prefix,
    folder,
    common,
    index: isInside ? given : join(folder, "index"),
    format,
    git: (args, input) => git(place, args, input),
    beside: (args, input) => gitBeside(place, args, input),
    says: (args) => gitSays(place, args),
    succeeds: (args) => gitSucceeds(place, args),
  };
}

/** Whether git would find a `.git` upwards. A work tree without one is not used, so that git need not be started to say so. */
function isBelowGit(root: string): boolean {
  // Git looks upwards from the folder itself, not from a link to it.
  for (let folder = real(root); folder !== undefined; folder = dirname(folder)) {
    const at = folder;
    // A folder that cannot be looked into is left to git.
    if (unlessErrno(() => nodeDisk.lstat(join(at, ".git")) ?? "none") !== "none") return true;
    if (dirname(folder) === folder) return false;
  }
  return false;
}

/**
 * Returns whether this is the `.git` of the work tree itself, or a folder elsewhere that names the work tree in turn.
 * Those of linked work trees and submodules do. A `.git` that came in an archive can name any repository, but none of
 * them names it.
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
  if (!Buffer.isBuffer(back)) return false;
  // By the folder: a link at `.git` could stand for the file of the work tree that is meant.
  return real(dirname(resolve(own, back.toString("utf8").trim()))) === real(GIT_WORK_TREE);
}

function namesWorkTree(place: GitPlace, folder: string, top: string): boolean {
  const named = gitSays(place, ["config", "--get", "core.worktree"]);
  return named !== undefined && real(resolve(folder, named)) === real(top);
}

function real(path: string): string | undefined {
  return unlessErrno(() => nodeDisk.outside.realpath(path));
}

/** Parts of a git folder whose files git reads whole, or waits for, when it is asked for a ref or an object. */
const READ_WHOLE = ["", "info", "objects/info", "objects/pack", "refs", "logs", "worktrees"];
const WITH_ALL_BELOW = new Set(["refs", "logs", "worktrees"]);
/** These, and refs, have some hundred bytes. */
const SMALL = new Set(["HEAD", "config", "config.worktree", "commondir", "gitdir", "alternates"]);
const MAX_SMALL = 1024 * 1024;
const MAX_LOGGED = 256 * 1024 * 1024;
const MAX_ENTRIES = 200_000;
const MAX_DEPTH = 32;

/** Whether no pipe, no device and no huge ref stands where git would read it: git itself waits for ever, or fills the memory. */
function isReadable(folder: string): boolean {
  let entries = 0;
  const isPlain = (path: string, part: string, depth: number): boolean => {
    for (const name of namesIn(path)) {
      if (++entries > MAX_ENTRIES || depth > MAX_DEPTH) return false;
      // The monitor that is part of git listens on a socket, which nothing can open as a file.
      if (name.startsWith("fsmonitor--daemon")) continue;
      const { kind, size = 0 } = statOf(join(path, name)) ?? {};
      if (kind === "special file" || (kind === "file" && size > mostBytes(part, name))) return false;
      if (kind === "folder" && WITH_ALL_BELOW.has(part) && !isPlain(join(path, name), part, depth + 1)) return false;
    }
    return true;
  };
  return READ_WHOLE.every((part) => isPlain(join(folder, part), part, 0));
}

function mostBytes(part: string, name: string): number {
  if (part === "logs") return MAX_LOGGED;
  return part === "refs" || SMALL.has(name) ? MAX_SMALL : Infinity;
}

/** Follows links, as git does. */
function statOf(path: string): FileStat | undefined {
  return unlessErrno(() => nodeDisk.stat(path));
}

function namesIn(path: string): string[] {
  return (statOf(path)?.kind === "folder" ? unlessErrno(() => nodeDisk.readdir(path)) : undefined) ?? [];
}

/** A path that cannot be looked at cannot be read by git either, which says so. */
function unlessErrno<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (e) {
    if (errnoOf(e) !== undefined) return undefined;
    throw e;
  }
}
