/**
 * A work tree with what one commit has, in a temporary folder with a git folder of its own. It borrows the objects of the repository, and
 * has none of its configuration, hooks, remotes and branches. So git starts no program of theirs, and a command changes no git but this.
 */
import { join } from "node:path";
import { nodeDisk, removePrivateFolder } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { MAX_LISTED } from "./limits.ts";
import { makeFolder, written } from "./private_folder.ts";
import type { Repository } from "./repository.ts";
import { git } from "./run_git.ts";
import type { GitInput } from "./run_git.ts";

export interface CleanCheckout {
  /** The folder that is the root of the workspace in the repository. */
  root: string;
  /** Files that are as the repository stores them, because a filter would have to run: pointers of Git LFS, encrypted files. */
  filtered: string[];
  /** Folders of submodules, which are empty. */
  submodules: string[];
  /** Takes back what a command changed, made or committed. Ignored files stay, such as installed packages. */
  clean: () => void;
  /** False where a part of it could not be removed. */
  remove: () => boolean;
}

/** STORAGE_FAILED with git's words where objects of the commit are not in this clone. */
export function cleanCheckout(repository: Repository, commit: string): CleanCheckout {
  const folder = nodeDisk.outside.realpath(makeFolder());
  const remove = (): boolean => removePrivateFolder(folder);
  const asked = (args: readonly string[], input?: GitInput): Buffer =>
    git({ folder, variables: NO_SETTINGS }, args, input);
  try {
    asked(["init", "--quiet", "--template=", `--object-format=${repository.format}`, "."]);
    const info = join(folder, ".git/objects/info");
    if (!nodeDisk.lstat(info)) nodeDisk.mkdir(info);
    written(join(info, "alternates"), [Buffer.from(`${join(repository.common, "objects")}\n`)]);
    copyShallow(repository, folder);
    asked(["checkout", "--quiet", "--force", "--detach", commit]);
    const root = join(folder, repository.prefix);
    makeFolders(folder, repository.prefix);
    return {
      root,
      ...leftAsStored(asked),
      clean: () => {
        asked(["checkout", "--quiet", "--force", "--detach", commit]);
        asked(["reset", "--quiet", "--hard", commit]);
        asked(["clean", "-ffdq"], { plain: true });
        makeFolders(folder, repository.prefix);
      },
      remove,
    };
  } catch (e) {
    remove();
    throw e;
  }
}

/** The settings of the user and the system name programs, too. */
const NO_SETTINGS = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };

/** Without it, git would look for the parents that a shallow clone does not have. */
function copyShallow({ common }: Repository, folder: string): void {
  const from = join(common, "shallow");
  if (nodeDisk.lstat(from)?.kind !== "file") return;
  written(join(folder, ".git/shallow"), [Buffer.from(nodeDisk.readFile(from))]);
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
  const entries = partsOf(index).map((entry) => ({
    mode: entry.slice(0, 6),
    path: entry.slice(entry.indexOf("\t") + 1),
  }));
  const submodules = entries.filter(({ mode }) => mode === SUBMODULE).map(({ path }) => path);
  const input = Buffer.from(entries.map(({ path }) => `${path}\0`).join(""), "latin1");
  const said =
    input.length === 0 ? [] : partsOf(asked(["check-attr", "-z", "--stdin", "filter"], { input, most: MAX_LISTED }));
  const filtered: string[] = [];
  // Path, name of the attribute, its value.
  for (let at = 0; at + 2 < said.length; at += 3) if (!NO_FILTER.has(said[at + 2]!)) filtered.push(said[at]!);
  return { filtered: filtered.map(shown), submodules: submodules.map(shown) };
}

/** Texts of which each character is one byte: names need not be UTF-8. */
function partsOf(said: Buffer): string[] {
  return said.toString("latin1").split("\0").slice(0, -1);
}

function shown(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}
