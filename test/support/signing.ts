/** Keys of SSH, and logs as the code that signs and judges sees them. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogFacts, LoggedEvidence, LoggedStep } from "../../src/attest/log_facts.ts";
import { headDigest, sha256 } from "../../src/log/canonical.ts";
import { fileTempFolder } from "./temp.ts";

export interface Key {
  /** The private key. */
  path: string;
  fingerprint: string;
  /** Its line in a file of allowed signers, for `name@example.org`. */
  line: (name: string, options?: string) => string;
  /** Armored. */
  sign: (bytes: Uint8Array, namespace?: string) => string;
  /** Writes a file beside the key. */
  file: (name: string, bytes: string | Uint8Array) => string;
}

/** A new key without a passphrase, for all tests of a file. */
export function someKey(): Key {
  const folder = fileTempFolder();
  const path = join(folder, "key");
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path]);
  const said = execFileSync("ssh-keygen", ["-l", "-f", `${path}.pub`], { encoding: "utf8" });
  return {
    path,
    fingerprint: said.split(" ")[1]!,
    line: (name, options = "") => `${name}@example.org ${options}${readFileSync(`${path}.pub`, "utf8")}`,
    sign: (input, namespace = "taskfold") =>
      execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", path, "-n", namespace], {
        input,
        encoding: "utf8",
        stdio: ["pipe", "pipe", "ignore"],
      }),
    file: (name, bytes) => {
      const at = join(folder, name);
      writeFileSync(at, bytes);
      return at;
    },
  };
}

const hash = (name: string): string => sha256(name);

export function someStep(more: Partial<LoggedStep> = {}): LoggedStep {
  return {
    step_id: "STEP-1",
    path: "s:0",
    titles: ["Write"],
    success_criteria: ["it parses"],
    tests: ["npm test"],
    proof: { tests: "attested" },
    attested: [{ checkpoint: "tests", from: 0 }],
    done: true,
    done_by: "human:ana",
    confirmed: [{ checkpoint: "criteria", by: "human:ana", ts: "2026-01-01T00:00:00.000Z" }],
    ...more,
  };
}

/** A run of `npm test` that passed, in the second op. */
export function someRun(more: Partial<LoggedEvidence> = {}): LoggedEvidence {
  return {
    event: hash("op 1"),
    item: 0,
    id: "cmd-1",
    op: 1,
    by: "agent:ada",
    ts: "2026-01-01T00:00:00.000Z",
    step_id: "STEP-1",
    checkpoints: ["tests"],
    counts: true,
    degree: "captured",
    command: "npm test",
    test: "npm test",
    exit_code: 0,
    captured: { argv: ["npm", "test"], git_commit: "c0ffee".padEnd(40, "0"), tree: "0".repeat(64) },
    kept: [],
    proves: ["tests"],
    signed: false,
    failing: false,
    aside: [],
    ...more,
  };
}

/** A task with a step and a run, as a log of so many ops in a line. */
export function someFacts({ ops = 3, ...more }: Partial<Omit<LogFacts, "ops">> & { ops?: number } = {}): LogFacts {
  const line = Array.from({ length: ops }, (_, i) => ({
    last: hash(`op ${i}`),
    prev: i === 0 ? [] : [hash(`op ${i - 1}`)],
  }));
  return {
    workspace: "acme/repo",
    id: "TASK-001",
    kind: "task",
    title: "A parser",
    plan: { id: "PLAN-001", root: hash("plan") },
    root: hash("op 0"),
    heads: [hash(`op ${ops - 1}`)],
    head: headDigest([hash(`op ${ops - 1}`)]),
    ops: line,
    steps: [someStep()],
    evidence: [someRun()],
    signatures: [],
    ...more,
  };
}
