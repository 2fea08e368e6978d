/** Looks at the signatures in the logs of a workspace, for the findings of `verify` (ATTEST-10). */
import { hash } from "node:crypto";
import { readEnvelope } from "../../attest/envelope.ts";
import type { LogFacts, LoggedSignature } from "../../attest/log_facts.ts";
import { readStatement } from "../../attest/statement.ts";
import type { Signed } from "../../attest/statement.ts";
import type { EntityVerdict, Judge, Judged, StepVerdict } from "../../attest/vouched.ts";
import { vouched } from "../../attest/vouched.ts";
import type { EngineContext } from "../core/context.ts";
import { TreeLook } from "../core/tree_look.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { logFacts } from "./log_facts.ts";

export interface SignatureOptions {
  /** Judges a signature by the keys that the reader trusts, such as `openSigners(root).judge` of `taskfold/signers`. */
  judge: Judge;
  /** Of the closed steps only those need a signed proof whose mode asks for it, now or when it was signed; else all of them. */
  byMode?: boolean;
  /** A proof counts only if nothing in the scope of its step changed since. */
  fresh?: boolean;
  /** Envelopes that the reader kept elsewhere: each log has to hold what they signed, also if it no longer has the signature. */
  seen?: readonly Uint8Array[];
}

/** @internal */
export function verifySignatures(
  context: EngineContext,
  places: readonly EntityLocation[],
  workspace: string,
  given: SignatureOptions & { id: string | undefined },
): { verdicts: EntityVerdict[]; findings: Finding[] } {
  const options = { ...given, judge: once(given.judge) };
  const git = context.git?.();
  const known = new Map<string, boolean | null>();
  const isInHistory = (commit: string): boolean | null => {
    if (!known.has(commit)) known.set(commit, git?.leadsTo(commit) ?? null);
    return known.get(commit)!;
  };
  const verdicts: EntityVerdict[] = [];
  const findings: Finding[] = [];
  const seen = new Map((options.seen ?? []).map((bytes, i) => [`seen-${i + 1}`, bytes]));
  const tree = options.fresh ? new TreeLook(context) : undefined;
  for (const place of places) {
    const found = logFacts(context, place, workspace, tree);
    if (!found) continue;
    const facts = { ...found, signatures: [...found.signatures, ...takenFor(found, seen)] };
    const verdict = vouched(facts, { ...options, isInHistory });
    verdicts.push(verdict);
    findings.push(...findingsOf(verdict, `${relativeFolder(place)}/${LOG_FILE}`));
  }
  // A call for one plan or task does not ask where the logs of the others are.
  const isAsked = (bytes: Uint8Array): boolean => given.id === undefined || isOf(bytes, given.id);
  for (const [id, bytes] of seen) if (isAsked(bytes)) findings.push(...nowhere(id, bytes, options.judge));
  return { verdicts, findings };
}

/** Each start of ssh-keygen takes its time, so no question is put to it twice. */
function once(judge: Judge): Judge {
  const answers = new Map<string, Judged>();
  return (signed, signature) => {
    const key = `${hash("sha256", signed)} ${signature}`;
    const known = answers.get(key) ?? judge(signed, signature);
    answers.set(key, known);
    return known;
  };
}

/** Bytes that are no envelope may be one of any log. */
function isOf(bytes: Uint8Array, id: string): boolean {
  const statement = statementIn(bytes);
  return !statement || statement.entity.id === id;
}

/** Takes out those that were made for this log. */
function takenFor({ root }: LogFacts, seen: Map<string, Uint8Array>): LoggedSignature[] {
  const own = [...seen].filter(([, bytes]) => statementIn(bytes)?.entity.root === root);
  for (const [id] of own) seen.delete(id);
  return own.map(([id, envelope]) => ({ id, op: -1, envelope }));
}

function statementIn(bytes: Uint8Array): Signed | undefined {
  const envelope = readEnvelope(bytes);
  return typeof envelope === "string" ? undefined : readStatement(envelope.payload);
}

/** An envelope that the reader kept, of which no log is here. */
function nowhere(id: string, bytes: Uint8Array, judge: Judge): Finding[] {
  const envelope = readEnvelope(bytes);
  const statement = statementIn(bytes);
  if (typeof envelope === "string" || !statement)
    return [wholeFile("SIGNATURE_BROKEN", ".coco", `The envelope ${id} that you kept is none of Taskfold.`)];
  if ("is" in judge(envelope.signed, envelope.signature)) return [];
  const { entity, workspace } = statement;
  const log = `the log of ${workspace}/${entity.id} that the envelope ${id} signed`;
  return [wholeFile("SIGNATURE_BROKEN", `.coco/tasks/${entity.id}`, `Expected ${log}, found none of that beginning.`)];
}

function findingsOf({ signatures, steps }: EntityVerdict, log: string): Finding[] {
  return [
    ...signatures.flatMap(({ id, status, why = "", key }): Finding[] => {
      if (status === "holds") return [];
      const signatureName = `The signature evidence:${id}${key === null ? "" : ` by ${key}`}`;
      return status === "untrusted"
        ? [note(wholeFile("SIGNATURE_UNTRUSTED", log, `${signatureName} says nothing to you: ${why}.`))]
        : [wholeFile("SIGNATURE_BROKEN", log, `${signatureName} does not hold: ${why}.`)];
    }),
    ...steps
      .filter(({ required, vouched: isVouched }) => required.length > 0 && !isVouched)
      .map((step) => wholeFile("NOT_VOUCHED", log, notVouched(step))),
  ];
}

function notVouched({ path, title, required, why }: StepVerdict): string {
  return `Expected a key that you trust to vouch for ${required.join(", ")} of ${path} "${title}": ${why.join("; ")}.`;
}
