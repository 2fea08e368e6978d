/**
 * A git folder of our own, made for one question: it has the objects of the repository, and none of its configuration,
 * hooks and remotes. By it, git follows only the files of this folder.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makePrivateFolder, nodeDisk } from "../../disk.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type { Repository } from "./repository.ts";
import { git } from "./run_git.ts";
import type { GitInput } from "./run_git.ts";

export interface PrivateFolder {
  git: (args: readonly string[], input?: GitInput) => Buffer;
  /** Puts a file here and gives its path; it goes with the folder. */
  put: (name: string, bytes: Buffer) => string;
  /** Puts a copy of a file here. */
  copy: (name: string, from: string) => void;
  drop: (path: string) => void;
  remove: () => void;
}

/** `index`: the index that git is to change; none where objects are read. */
export function privateFolder(repository: Repository, index?: string): PrivateFolder {
  const folder = makeFolder();
  // The user's own settings are left out, too: what they name would run for files of this repository.
  const variables = {
    GIT_DIR: folder,
    GIT_WORK_TREE: repository.root,
    GIT_OBJECT_DIRECTORY: join(repository.common, "objects"),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
  };
  const opened: PrivateFolder = {
    git: (args, input) => git({ folder: repository.root, variables }, args, input),
    put: (name, bytes) => written(join(folder, name), [bytes]),
    copy: (name, from) => void written(join(folder, name), chunksOf(from)),
    drop: (path) => nodeDisk.unlink(path),
    remove: () => removeAll(folder),
  };
  try {
    nodeDisk.mkdir(join(folder, "refs"));
    opened.put("HEAD", Buffer.from("ref: refs/heads/none\n"));
    opened.put("config", Buffer.from(configFor(repository, index !== undefined)));
    return opened;
  } catch (e) {
    removeAll(folder);
    throw e;
  }
}

/** A folder in which one question to git keeps its files. */
export function makeFolder(): string {
  try {
    return makePrivateFolder(join(tmpdir(), "taskfold-git-"));
  } catch (e) {
    throw storageError(e, "make a temporary folder");
  }
}

/** The two things that decide how objects and the index are written; both are checked words. A reader needs the first alone. */
function configFor({ format, says }: Repository, isWriting: boolean): string {
  const shared = (isWriting && says(["config", "--get", "core.sharedRepository"])) || "";
  return [
    "[core]",
    `repositoryformatversion = ${format === "sha1" ? 0 : 1}`,
    "bare = false",
    // An index in two files is written as one; the user's own git parts it again.
    "splitIndex = false",
    ...(/^[A-Za-z0-9]+$/.test(shared) ? [`sharedRepository = ${shared}`] : []),
    ...(format === "sha1" ? [] : ["[extensions]", `objectFormat = ${format}`]),
    "",
  ].join("\n");
}

export function written(path: string, chunks: Iterable<Buffer>): string {
  try {
    const fd = nodeDisk.open(path, "wx");
    try {
      for (const bytes of chunks) for (let at = 0; at < bytes.length;) at += nodeDisk.write(fd, bytes.subarray(at));
    } finally {
      nodeDisk.close(fd);
    }
    return path;
  } catch (e) {
    throw storageError(e, "write a temporary file");
  }
}

function* chunksOf(path: string): Generator<Buffer> {
  const fd = nodeDisk.open(path, "r");
  try {
    const into = Buffer.allocUnsafe(1024 * 1024);
    for (let at = 0, came = -1; came !== 0; at += came) {
      came = nodeDisk.read(fd, into, at);
      yield into.subarray(0, came);
    }
  } finally {
    nodeDisk.close(fd);
  }
}

/**
 * Everything here was put here by us or by git. A file that cannot be removed is left to the system, which clears its
 * temporary files.
 */
export function removeAll(folder: string): void {
  try {
    for (const name of nodeDisk.readdir(folder)) {
      const path = join(folder, name);
      if (nodeDisk.lstat(path)?.kind === "folder") nodeDisk.rmdir(path);
      else nodeDisk.unlink(path);
    }
    nodeDisk.rmdir(folder);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
  }
}
