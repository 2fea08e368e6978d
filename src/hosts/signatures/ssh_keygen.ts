/**
 * The only place that starts `ssh-keygen`: an argument list, never a shell. It signs with the keys that people and runners have for git, and
 * judges signatures as git does.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Judge, Judged } from "../../attest/vouched.ts";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { makeFolder, removeAll, written } from "../git/private_folder.ts";
import { programInPath } from "../program_in_path.ts";
import type { SigningKey } from "./signing_key.ts";
import type { Signers } from "./signers.ts";

/** The use of a signature: one for git, mail or files is none here, and the reverse. */
export const NAMESPACE = "taskfold";

const MAX_SECONDS = 60;
/** A key that asks for its passphrase, or to be touched, waits for a person. */
const MAX_SECONDS_TO_SIGN = 600;

/** Armored signatures over these bytes, one for each, by one start of the program. SIGNING_FAILED with its own words. */
export function signedBy(root: string, key: SigningKey, texts: readonly Uint8Array[]): string[] {
  const program = sshKeygen(root);
  const folder = makeFolder();
  try {
    const put = (name: string, bytes: Uint8Array): string => written(join(folder, name), [Buffer.from(bytes)]);
    const file = "file" in key ? key.file : put("key.pub", Buffer.from(`${key.publicKey}\n`));
    const paths = texts.map((bytes, i) => put(`${i}`, bytes));
    const agent = "file" in key ? [] : ["-U"];
    const run = started(program, ["-Y", "sign", ...agent, "-f", file, "-n", NAMESPACE, ...paths], {
      seconds: MAX_SECONDS_TO_SIGN,
    });
    if (run.status !== 0) throw signingFailed(key, run.words);
    return paths.map((path) => nodeDisk.outside.readFile(`${path}.sig`, 64 * 1024).toString("utf8"));
  } finally {
    removeAll(folder);
  }
}

/** Judges signatures by these signers, as they are now: a key that has expired is not trusted any more. `end` removes what it keeps. */
export function judgeBy(root: string, signers: Signers): { judge: Judge; end: () => void } {
  const program = sshKeygen(root);
  const folder = makeFolder();
  const put = (name: string, bytes: Buffer): string => written(join(folder, name), [bytes]);
  // One copy for all questions: the file may change meanwhile.
  const allowed = put("allowed", signers.bytes);
  const revoked = signers.revoked ? ["-r", put("revoked", signers.revoked)] : [];
  let count = 0;
  const judge: Judge = (signed, signature) => {
    const sig = put(`${count++}.sig`, Buffer.from(signature, "latin1"));
    const ask = (args: readonly string[], input?: Uint8Array) =>
      started(program, ["-Y", ...args, "-s", sig], { seconds: MAX_SECONDS, ...(input ? { input } : {}) });
    const found = ask(["find-principals", "-f", allowed]);
    const principals = found.status === 0 ? found.out.split("\n").filter((line) => line !== "") : [];
    const good = principals.find(
      (one) => ask(["verify", "-f", allowed, "-I", one, "-n", NAMESPACE, ...revoked], signed).status === 0,
    );
    if (good !== undefined) return { principal: good };
    // A sound signature by a key that the file does not allow is no fault of the log.
    const isSound = ask(["check-novalidate", "-n", NAMESPACE], signed).status === 0;
    return isSound
      ? untrusted(signers)
      : { is: "invalid", why: "its signature is not one over these bytes for Taskfold" };
  };
  return { judge, end: () => removeAll(folder) };
}

function untrusted({ path }: Signers): Judged {
  return { is: "untrusted", why: `${path} does not allow its key for signatures of Taskfold now` };
}

interface Ended {
  status: number | null;
  out: string;
  /** Its words about a failure. */
  words: string;
}

function started(
  program: string,
  args: readonly string[],
  { input, seconds }: { input?: Uint8Array; seconds: number },
): Ended {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    input: input ?? "",
    maxBuffer: 1024 * 1024,
    timeout: seconds * 1000,
    killSignal: "SIGKILL",
    windowsHide: true,
  });
  const words = stderr?.toString("utf8").trim() || (error?.message ?? `exit code ${status}`);
  return { status: error ? null : status, out: stdout?.toString("utf8") ?? "", words };
}

function sshKeygen(root: string): string {
  const program = programInPath("ssh-keygen", root);
  if (program !== undefined) return program;
  throw new TaskfoldError("SSH_KEYGEN_MISSING", "Expected the program ssh-keygen in PATH, found none.", {
    recovery: "Install OpenSSH: apt-get install openssh-client (Debian, Ubuntu), apk add openssh-keygen (Alpine).",
  });
}

function signingFailed(key: SigningKey, words: string): TaskfoldError {
  const name = "file" in key ? key.file : "the key of git's user.signingKey";
  return new TaskfoldError(
    "SIGNING_FAILED",
    `Expected ssh-keygen to sign with ${name}, but it said: ${words.slice(0, 300).replaceAll("\n", "; ")}.`,
    { recovery: "Name a private key that can be used here, or load it into the agent: ssh-add FILE." },
  );
}
