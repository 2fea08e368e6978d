/** Which key signs: the one that is named, else the one with which git signs commits. */
import { resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { gitSays } from "../git/run_git.ts";

/** A file with a private key, or with a public one that an agent has the private key of. */
export type SigningKey = { file: string } | { publicKey: string };

/** `given`: a path from `here`. SIGNING_KEY_REQUIRED where none is named and git signs with none of SSH. */
export function signingKey(root: string, given?: { file: string; here: string }): SigningKey {
  if (given) return { file: thereOrRefused(resolve(given.here, given.file)) };
  const place = { folder: root };
  const isSsh = gitSays(place, ["config", "--get", "gpg.format"])?.toLowerCase() === "ssh";
  const named = isSsh ? gitSays(place, ["config", "--get", "user.signingKey"]) : undefined;
  if (named === undefined) throw noKey(isSsh ? "git has no user.signingKey" : "git's gpg.format is not ssh");
  // As git reads it: the key itself, or a path.
  const literal = /^(?:key::)(.+)$|^(ssh-.+|ecdsa-.+|sk-.+)$/s.exec(named);
  if (literal) return { publicKey: (literal[1] ?? literal[2]!).trim() };
  const path = gitSays(place, ["config", "--type=path", "--get", "user.signingKey"]) ?? named;
  return { file: thereOrRefused(resolve(root, path)) };
}

function thereOrRefused(file: string): string {
  if (nodeDisk.outside.stat(file)?.kind === "file") return file;
  throw noKey(`there is no file ${file}`);
}

function noKey(found: string): TaskfoldError {
  return new TaskfoldError("SIGNING_KEY_REQUIRED", `Expected a key of SSH to sign with; ${found}.`, {
    recovery: "Name one: --key ~/.ssh/id_ed25519. ssh-keygen -t ed25519 makes one.",
  });
}
