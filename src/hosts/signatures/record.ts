/** Signs statements on plans and tasks, and keeps each signature in the log that it is about. */
import { envelopeText, readEnvelope } from "../../attest/envelope.ts";
import type { ChosenStep, LogFacts, LoggedEvidence, LoggedStep } from "../../attest/log_facts.ts";
import { pae } from "../../attest/pae.ts";
import { statementBytes } from "../../attest/statement.ts";
import type { Reply } from "../../engine/entity/reply.ts";
import { unwrap } from "../../engine/entity/unwrap.ts";
import { internalsOf } from "../../engine/groups/internals.ts";
import { TaskfoldError } from "../../errors.ts";
import { signedBy } from "./ssh_keygen.ts";
import type { SigningKey } from "./signing_key.ts";

export interface ToSign {
  facts: LogFacts;
  /** Of `attest`; a checkpoint of history names none. */
  steps?: readonly ChosenStep[];
}

export interface Recorded {
  id: string;
  title: string;
  /** The number of changes that the log had when it was signed. */
  revision: number;
  /** The evidence that keeps the envelope. */
  evidence: string;
  key: string;
  git_commit: string;
  /** The entries that it vouches for. */
  proofs: SignedProof[];
  envelope: string;
}

/** One entry of a step that a signature vouches for. */
export interface SignedProof {
  path: string;
  evidence: string;
  /** Null for evidence that is no run. */
  command: string | null;
  by: string;
  degree: string;
}

export function signedProof({ path }: LoggedStep, { id, command, by, degree }: LoggedEvidence): SignedProof {
  return { path, evidence: id, command: command ?? null, by, degree };
}

interface SignWith {
  root: string;
  key: SigningKey;
  /** HEAD. */
  commit: string;
  by: string;
}

/** One start of ssh-keygen signs all. `skip` leaves out what need not be kept, once it is known which key signed. */
export async function signAndRecord(
  workspace: object,
  list: readonly ToSign[],
  { root, key, commit, by }: SignWith,
  skip: (one: ToSign, key: string) => boolean = () => false,
): Promise<Recorded[]> {
  const payloads = list.map(({ facts, steps }) => statementBytes(facts, commit, steps));
  const signatures = signedBy(
    root,
    key,
    payloads.map((payload) => pae(payload)),
  );
  const recorded: Recorded[] = [];
  for (const [i, one] of list.entries()) {
    const envelope = envelopeText(payloads[i]!, signatures[i]!) ?? "";
    const read = readEnvelope(Buffer.from(envelope));
    if (typeof read === "string") throw noEnvelope(read);
    if (skip(one, read.key)) continue;
    recorded.push(await record(workspace, one, { envelope, key: read.key, commit, by }));
  }
  return recorded;
}

async function record(
  workspace: object,
  { facts, steps }: ToSign,
  { envelope, key, commit, by }: { envelope: string; key: string; commit: string; by: string },
): Promise<Recorded> {
  const { id, kind, title, ops, workspace: of } = facts;
  const proofs = (steps ?? []).flatMap(({ step, evidence }) => evidence.map((one) => signedProof(step, one)));
  const vouches = proofs.map(({ evidence }) => evidence);
  const revision = ops.length;
  const what = steps === undefined ? "the history" : named(steps);
  const item = {
    kind: "attestation",
    title: `Signature over ${what} up to revision ${revision}`,
    summary: `By the key ${key}, at commit ${commit.slice(0, 12)}`,
    attestation: { envelope, of: vouches, head: facts.head, revision, git_commit: commit, key },
  };
  const reply: Reply = await internalsOf(workspace).captureEvidence({ workspace: of, [kind]: id, items: [item] }, by);
  const { evidence } = unwrap(reply) as { evidence: { id: string }[] };
  return { id, title, revision, evidence: evidence[0]?.id ?? "", key, git_commit: commit, proofs, envelope };
}

function named(steps: readonly ChosenStep[]): string {
  const paths = steps.map(({ step }) => step.path);
  return paths.length > 5 ? `proof of ${paths.length} steps` : `proof of ${paths.join(", ")}`;
}

function noEnvelope(why: string): TaskfoldError {
  return new TaskfoldError("SIGNING_FAILED", `Expected a signature that fits an envelope, but ${why}.`, {
    recovery: "Look at what ssh-keygen -Y sign prints with this key; OpenSSH 8.2 or later is needed.",
  });
}
