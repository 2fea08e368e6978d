/** The statement that is signed: an in-toto Statement v1 on one plan or task (ATTEST-1). */
import { hash } from "node:crypto";
import { canonicalJson } from "../log/canonical.ts";
import { coveredBy } from "./covered.ts";
import { isRunOfTest } from "../state/same_command.ts";
import { isObject, parsedExactly } from "./envelope.ts";
import type { ChosenStep, LogFacts, LoggedConfirmation, LoggedEvidence, LoggedStep } from "./log_facts.ts";

export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
/** The predicate of `attest`, which other tools know. */
export const TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1";
/** The words of Taskfold beside it, as a member of that predicate. */
export const VERIFICATION = "https://taskfold.github.io/attestation/verification/v1";
/** The predicate of `sign`. */
export const HISTORY = "https://taskfold.github.io/attestation/history/v1";

/** The part that both predicates say of the log. */
export interface SignedLog {
  workspace: string;
  /** The plan of a task. */
  plan: { id: string; root: string } | null;
  /** The plan or task itself. `root`: hash of its first event. */
  entity: { id: string; kind: string; title: string; root: string };
  revision: number;
  heads: string[];
  /** HEAD when it was signed. */
  git_commit: string;
}

export interface SignedEvidence {
  id: string;
  event: string;
  item: number;
  checkpoints: string[];
  degree: string;
  counts: boolean;
  by: string;
  ts: string;
  command?: string;
  argv?: string[];
  test?: string;
  exit_code?: number;
  git_commit?: string;
  tree?: string;
  changes?: string;
  kept?: string[];
}

export interface SignedStep extends Omit<
  { -readonly [K in keyof LoggedStep]: LoggedStep[K] },
  "confirmed" | "done_by" | "attested" | "packet"
> {
  confirmed: LoggedConfirmation[];
  packet?: boolean;
  evidence: SignedEvidence[];
}

/** A statement as its reader has it. */
export interface Signed extends SignedLog {
  kind: "attest" | "sign";
  /** None in a statement of `sign`. */
  steps: SignedStep[];
}

/** The canonical bytes of a statement on the log as it is now. `steps`: of `attest`, with what of their evidence is signed. */
export function statementBytes(facts: LogFacts, git_commit: string, steps?: readonly ChosenStep[]): Buffer {
  const { workspace, id, kind, title, plan, root, heads, ops } = facts;
  const log: SignedLog = {
    workspace,
    plan,
    entity: { id, kind, title, root },
    revision: ops.length,
    heads: [...heads].sort(),
    git_commit,
  };
  const predicate = steps === undefined ? log : testResult(facts, log, steps);
  const value = {
    _type: STATEMENT_TYPE,
    subject: subjectOf(log),
    predicateType: steps === undefined ? HISTORY : TEST_RESULT,
    predicate,
  };
  return Buffer.from(canonicalJson(value));
}

/** The commit, and each head of the log by its SHA-256. */
function subjectOf({ workspace, entity, heads, git_commit }: SignedLog): object[] {
  const name = `taskfold:${workspace}/${entity.id}`;
  const commit = { name: "git:HEAD", digest: { gitCommit: git_commit } };
  return [commit, ...heads.map((head) => ({ name, digest: { sha256: hexOf(head) } }))];
}

function hexOf(hashOfEvent: string): string {
  return Buffer.from(hashOfEvent, "base64url").toString("hex");
}

function testResult({ id }: LogFacts, log: SignedLog, given: readonly ChosenStep[]): object {
  const steps = given.map(({ step, evidence }): SignedStep => {
    const { done_by: _by, attested: _modes, packet, ...rest } = step;
    return {
      ...rest,
      confirmed: [...step.confirmed],
      ...(packet === undefined ? {} : { packet }),
      evidence: evidence.map(signedEvidence),
    };
  });
  // A test is named by the command that ran, and by no other word: readers take it for that test.
  const passed = given.flatMap(({ step, evidence }) => {
    const ran = evidence.map((one) => (one.captured && one.command ? one.command : `evidence:${one.id}`));
    return [...ran, ...(step.packet ? ["the packet"] : [])].map((name) => `${id} ${step.path} ${name}`);
  });
  return {
    result: "PASSED",
    configuration: steps.map((step) => ({
      name: `${id} ${step.path}`,
      digest: { sha256: hash("sha256", canonicalJson(definitionOf(log, step)), "hex") },
    })),
    passedTests: [...new Set(passed)],
    failedTests: [],
    [VERIFICATION]: { ...log, steps },
  };
}

function signedEvidence(one: LoggedEvidence): SignedEvidence {
  const { id, event, item, checkpoints, degree, counts, by, ts, command, exit_code, captured, kept } = one;
  const { argv, git_commit, tree, changes } = captured ?? {};
  const test = one.test !== undefined && isRunOfTest(one, one.test) ? one.test : undefined;
  const fields = { command, argv: argv && [...argv], test, exit_code, git_commit, tree, changes };
  const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return {
    id,
    event,
    item,
    checkpoints: [...checkpoints],
    degree,
    counts,
    by,
    ts,
    ...known,
    ...(kept.length > 0 ? { kept: [...kept] } : {}),
  };
}

/** The words that a proof is a proof of. If one of these words is another, the proof is none of it. */
export function definitionOf(
  { workspace, entity }: Pick<SignedLog, "workspace" | "entity">,
  { step_id, titles, success_criteria, tests }: Pick<SignedStep, "step_id" | "titles" | "success_criteria" | "tests">,
): object {
  const { id, title, root } = entity;
  return { workspace, entity: { id, title, root }, step_id, titles, success_criteria, tests };
}

/** Reads a statement of this page; undefined for any other, and for one that another text could say too. */
export function readStatement(payload: Uint8Array): Signed | undefined {
  const value = parsedExactly(payload);
  if (!value || value["_type"] !== STATEMENT_TYPE || !isObject(value["predicate"])) return undefined;
  const { predicate, predicateType } = value;
  const kind = predicateType === TEST_RESULT ? "attest" : predicateType === HISTORY ? "sign" : undefined;
  const signed = kind === "attest" ? predicate[VERIFICATION] : predicate;
  if (kind === undefined || !isSignedLog(signed)) return undefined;
  // Other tools read the subject, and the verdict the predicate: both say the same.
  if (canonicalJson(value["subject"]) !== canonicalJson(subjectOf(signed))) return undefined;
  const steps = kind === "attest" ? (signed as { steps?: unknown }).steps : [];
  if (!Array.isArray(steps) || !steps.every(isSignedStep)) return undefined;
  return { ...signed, kind, steps };
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

function isSignedLog(value: unknown): value is SignedLog {
  if (!isObject(value)) return false;
  const { workspace, entity, revision, heads, git_commit } = value;
  if (!isText(workspace) || !isObject(entity) || !Number.isSafeInteger(revision) || !isTexts(heads)) return false;
  const { id, kind, title, root } = entity;
  return [id, kind, title, root].every(isText) && heads.length > 0 && isText(git_commit);
}

function isSignedStep(value: unknown): value is SignedStep {
  if (!isObject(value)) return false;
  const { step_id, path, titles, success_criteria, tests, evidence } = value;
  if (![step_id, path].every(isText) || ![titles, success_criteria, tests].every(isTexts)) return false;
  return Array.isArray(evidence) && evidence.every(isSignedEvidence);
}

function isSignedEvidence(value: unknown): value is SignedEvidence {
  if (!isObject(value)) return false;
  const { id, event, item, checkpoints } = value;
  return isText(id) && isText(event) && Number.isSafeInteger(item) && isTexts(checkpoints);
}

/** Whether the log still has every op that the statement stands for, as it was. */
export function holdsIn({ ops, root }: LogFacts, { entity, heads }: Signed): ReadonlySet<number> | undefined {
  return entity.root === root ? coveredBy(ops, heads) : undefined;
}
