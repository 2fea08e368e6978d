/** Whom a reader trusts: an allowed signers file as git has it, from outside of the repository (ATTEST-8). */
import { dirname, resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Repository } from "../git/repository.ts";
import { openRepository } from "../git/repository.ts";
import { gitLine } from "../git/run_git.ts";
import { isWithin, realOf } from "../program_in_path.ts";

const MAX_BYTES = 4 * 1024 * 1024;

export interface Signers {
  /** The file, as it was named. */
  path: string;
  bytes: Buffer;
  /** Keys that git's `gpg.ssh.revocationFile` takes back. */
  revoked?: Buffer;
}

/**
 * `given`: a path from `here`; else git's `gpg.ssh.allowedSignersFile`. SIGNERS_REQUIRED where there is none, SIGNERS_COMMITTED for a file
 * that each writer of the repository could change.
 */
export function readSigners(root: string, given?: { file: string; here: string }): Signers {
  const repository = openRepository(root);
  const path = given ? resolve(given.here, given.file) : configuredFile(root, repository, "gpg.ssh.allowedSignersFile");
  if (path === undefined) throw noSigners("git's gpg.ssh.allowedSignersFile names none");
  const revocation = configuredFile(root, repository, "gpg.ssh.revocationFile");
  const bytes = trustedBytes(root, repository, path);
  return { path, bytes, ...(revocation === undefined ? {} : { revoked: trustedBytes(root, repository, revocation) }) };
}

/** The path that a setting of git names. A setting that stands in a file of the work tree is one of the repository. */
function configuredFile(root: string, repository: Repository | undefined, name: string): string | undefined {
  const output = gitLine({ folder: root }, ["config", "-z", "--show-origin", "--type=path", "--get", name]);
  const [origin = "", path] = output?.split("\0") ?? [];
  if (path === undefined || path === "") return undefined;
  if (origin.startsWith("file:")) refuseCommitted(root, repository, resolve(root, origin.slice("file:".length)));
  return resolve(root, path);
}

function trustedBytes(root: string, repository: Repository | undefined, path: string): Buffer {
  refuseCommitted(root, repository, path);
  try {
    return nodeDisk.outside.readFile(path, MAX_BYTES);
  } catch (e) {
    throw noSigners(`${path} cannot be read (${errnoOf(e) ?? "it is too large or no plain file"})`);
  }
}

/** A link counts by its own place and by the place that it leads to. */
function refuseCommitted(root: string, repository: Repository | undefined, path: string): void {
  const real = realOf(path);
  const places = [path, ...(real === undefined ? [] : [real])];
  if (!places.some((place) => isInWorkTree(root, repository, place))) return;
  throw new TaskfoldError(
    "SIGNERS_COMMITTED",
    `Expected a file outside of the repository to say whom you trust, found ${path} in its work tree.`,
    {
      recovery:
        "Each writer of the repository could allow a key of his own there. Keep the file outside: --signers ~/.ssh/allowed_signers.",
    },
  );
}

function isInWorkTree(root: string, repository: Repository | undefined, path: string): boolean {
  if (!repository) return isWithin(root, path) || isWithin(realOf(root) ?? root, path);
  const isOwn = [repository.folder, repository.common].some((folder) => isWithin(folder, path));
  if (isOwn) return false;
  if ([root, realOf(root) ?? root, repository.top].some((folder) => isWithin(folder, path))) return true;
  // Another work tree of the same repository.
  return openRepository(dirname(path))?.common === repository.common;
}

function noSigners(found: string): TaskfoldError {
  return new TaskfoldError("SIGNERS_REQUIRED", `Expected a file of allowed signers; ${found}.`, {
    recovery:
      "Write one outside of the repository, a line for each key such as `ana@example.org ssh-ed25519 AAAA...`, and name it: --signers FILE.",
  });
}
