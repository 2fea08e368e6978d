/** Whom this machine trusts, for a program that opens workspaces. */
import type { SignersPort } from "../../engine/core/signers_port.ts";
import { readSigners } from "./signers.ts";
import { judgeBy } from "./ssh_keygen.ts";

export type { SignersPort };

/**
 * Judges signatures by a file of allowed signers, as it is now: that of git's `gpg.ssh.allowedSignersFile`, or `file`, a path from the
 * current folder. SIGNERS_REQUIRED without one, SIGNERS_COMMITTED for one in the work tree of `root`, SSH_KEYGEN_MISSING. Call `end` at last.
 */
export function openSigners(root: string, file?: string): SignersPort {
  return judgeBy(root, readSigners(root, file === undefined ? undefined : { file, here: process.cwd() }));
}
