/**
 * A work tree with what one commit has, in a new temporary folder, with a git folder of its own. It borrows the objects of the repository,
 * and has none of its configuration, hooks, remotes and branches. A command may write anything there: what it left is never asked for a
 * repository, and nothing of it is taken back. The folder goes as a whole, by its path.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder, nodeDisk, removePrivateFolder } from "../../disk.ts";
import type { GitListing } from "../../engine/core/git_port.ts";
import { isGone, isOfThisHost, ownOwner, parseOwner } from "../../engine/locks/lock_owner.ts";
import { errnoOf, storageError, unlessRefused } from "../../files/storage_error.ts";
import { nodeRuntime } from "../../node_runtime.ts";
import { entriesOf } from "./entries.ts";
import { MAX_LISTED } from "./limits.ts";
import { listingsOf } from "./listing.ts";
import { written } from "./private_folder.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";
import { git, gitBeside, gitSays, gitSucceeds } from "./run_git.ts";
import type { GitInput, GitPlace } from "./run_git.ts";

export interface CleanCheckout {
  /** The folder that is the root of the workspace in the repository. */
  root: string;
  /** Files that are as the repository stores them, because a filter would have to run: pointers of Git LFS, encrypted files. */
  filtered: string[];
  /** Folders of submodules, which are empty. */
  submodules: string[];
  /** Compares the files with the commit, by settings and an index that are kept outside of every file. */
  listingBeside: () => Promise<GitListing>;
  /** False where a part of it could not be removed. */
  remove: () => boolean;
}

const PREFIX = "taskfold-prove-";
const OWNER = "owner";
const MACHINE = { disk: nodeDisk, runtime: nodeRuntime };
const MAX_INDEX = 1024 * 1024 * 1024;

/** STORAGE_FAILED with git's words where objects of the commit are not in this clone. */
export function cleanCheckout(repository: Repository, commit: string): CleanCheckout {
  const folder = newFolder();
  const remove = (): boolean => removePrivateFolder(folder);
  try {
    written(join(folder, OWNER), [
      Buffer.from(JSON.stringify(ownOwner(MACHINE, nodeDisk.newName(), nodeRuntime.now()))),
    ]);
    const top = join(folder, "tree");
    nodeDisk.mkdir(top);
    const variables = { ...NO_SETTINGS, GIT_DIR: join(top, ".git"), GIT_WORK_TREE: top };
    // The folder is new and empty, so git makes the repository there and looks for no other.
    git({ folder: top, variables: NO_SETTINGS }, [
      "init",
      "--quiet",
      "--template=",
      `--object-format=${repository.format}`,
      ".",
    ]);
    const asked = (args: readonly string[], input: GitInput = {}): Buffer =>
      git({ folder: top, variables }, args, { ...input, settings: NO_FILES_OF_THE_USER });
    const info = join(top, ".git/objects/info");
    if (!nodeDisk.lstat(info)) nodeDisk.mkdir(info);
    written(join(info, "alternates"), [Buffer.from(`${join(repository.common, "objects")}\n`)]);
    copyShallow(repository, top);
    asked(["checkout", "--quiet", "--force", "--detach", commit]);
    makeFolders(top, repository.prefix);
    const kept = {
      config: nodeDisk.readFile(join(top, ".git/config")),
      index: nodeDisk.readFile(join(top, ".git/index"), MAX_INDEX),
    };
    return {
      root: join(top, repository.prefix),
      ...leftAsStored(asked),
      listingBeside: () => compared(repository, { folder, top, commit, ...kept }),
      remove,
    };
  } catch (e) {
    remove();
    throw e;
  }
}

/** Removes the folders of processes that were killed. One of which the process is not known stays. */
export function removeAbandonedCheckouts(): void {
  const temporary = tmpdir();
  for (const name of unlessRefused(() => nodeDisk.readFolders(temporary)) ?? []) {
    const folder = join(temporary, name);
    const content = name.startsWith(PREFIX) ? unlessRefused(() => readPlain(folder, OWNER, 4096)) : undefined;
    const owner = Buffer.isBuffer(content) ? parseOwner(content.toString("utf8")) : undefined;
    if (owner && isOfThisHost(MACHINE, owner) && isGone(MACHINE, owner)) removePrivateFolder(folder);
  }
}

function newFolder(): string {
  try {
    return nodeDisk.outside.realpath(makePrivateFolder(join(tmpdir(), PREFIX)));
  } catch (e) {
    throw storageError(e, "make a temporary folder");
  }
}

interface Compared {
  folder: string;
  top: string;
  commit: string;
  config: Buffer;
  index: Buffer;
}

/** By a git folder that is made for this look, with what was read before any command ran. */
async function compared(repository: Repository, { folder, top, commit, config, index }: Compared): Promise<GitListing> {
  const own = makePrivateFolder(join(folder, "git-"));
  try {
    nodeDisk.mkdir(join(own, "refs"));
    written(join(own, "HEAD"), [Buffer.from(`${commit}\n`)]);
    written(join(own, "config"), [config]);
    written(join(own, "index"), [index]);
    const objects = join(repository.common, "objects");
    const variables = { ...NO_SETTINGS, GIT_DIR: own, GIT_WORK_TREE: top, GIT_OBJECT_DIRECTORY: objects };
    const place: GitPlace = { folder: join(top, repository.prefix), variables };
    const without = (input: GitInput = {}): GitInput => ({
      ...input,
      settings: [...NO_FILES_OF_THE_USER, ...(input.settings ?? [])],
    });
    const { listingBeside } = listingsOf({
      ...repository,
      root: place.folder,
      top,
      folder: own,
      common: own,
      index: join(own, "index"),
      git: (args, input) => git(place, args, without(input)),
      beside: (args, input) => gitBeside(place, args, without(input)),
      says: (args) => gitSays(place, args),
      succeeds: (args) => gitSucceeds(place, args),
    });
    return await listingBeside();
  } finally {
    removePrivateFolder(own);
  }
}

/** The settings of the user and the system name programs, too. */
const NO_SETTINGS = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", GIT_ATTR_NOSYSTEM: "1" };
/** Git reads these files of the user without a setting that names them. They hide files, and say how lines end. */
const NO_FILES_OF_THE_USER = ["core.excludesFile=/dev/null", "core.attributesFile=/dev/null"];

/** Without it, git would look for the parents that a shallow clone does not have. */
function copyShallow({ common }: Repository, top: string): void {
  const from = join(common, "shallow");
  if (nodeDisk.lstat(from)?.kind !== "file") return;
  written(join(top, ".git/shallow"), [Buffer.from(nodeDisk.readFile(from))]);
}

/** A commit need not have a file in the folder of the workspace. */
function makeFolders(top: string, prefix: string): void {
  let at = top;
  for (const name of prefix.split("/").filter((part) => part !== "")) {
    at = join(at, name);
    try {
      nodeDisk.mkdir(at);
    } catch (e) {
      if (errnoOf(e) !== "EEXIST") throw e;
    }
  }
}

const SUBMODULE = "160000";
const NO_FILTER = new Set(["unspecified", "unset", "set"]);

function leftAsStored(asked: (args: readonly string[], input?: GitInput) => Buffer): {
  filtered: string[];
  submodules: string[];
} {
  const index = asked(["ls-files", "-z", "--stage"], { most: MAX_LISTED });
  const entries = entriesOf(index).map((entry) => ({
    mode: entry.slice(0, 6),
    path: entry.slice(entry.indexOf("\t") + 1),
  }));
  const submodules = entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path);
  const input = Buffer.from(entries.map(({ path }) => `${path}\0`).join(""), "latin1");
  const words =
    input.length === 0 ? [] : entriesOf(asked(["check-attr", "-z", "--stdin", "filter"], { input, most: MAX_LISTED }));
  const filtered: string[] = [];
  // Path, name of the attribute, its value.
  for (let at = 0; at + 2 < words.length; at += 3) if (!NO_FILTER.has(words[at + 2]!)) filtered.push(words[at]!);
  return { filtered: filtered.map(shown), submodules: submodules.map(shown) };
}

function shown(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}
