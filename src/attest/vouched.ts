/** Tells how much the signatures in a log are worth to a reader who trusts certain keys: facts in, a verdict out (ATTEST-10, ATTEST-8, ATTEST-12). */
import { hash } from "node:crypto";
import { canonicalJson } from "../log/canonical.ts";
import { PROOF_CHECKPOINTS } from "../state/entity.ts";
import type { ProofCheckpoint } from "../state/entity.ts";
import { isRunOfTest } from "../state/same_command.ts";
import { readEnvelope } from "./envelope.ts";
import type { LogFacts, LoggedEvidence, LoggedSignature, LoggedStep } from "./log_facts.ts";
import { definitionOf, holdsIn, readStatement } from "./statement.ts";
import type { Signed, SignedStep } from "./statement.ts";

/** `untrusted`: the key is none that the reader trusts for this. `invalid`: the signature is not of these bytes. */
export type Judged = { principal: string } | { is: "untrusted" | "invalid"; why: string };

/** Judges one signature over these bytes. */
export type Judge = (signed: Uint8Array, signature: string) => Judged;

export interface VouchedOptions {
  judge: Judge;
  /** Whether HEAD leads to a commit; null where that cannot be known. */
  isInHistory: (commit: string) => boolean | null;
  /** Of the closed steps only those need a signed proof whose mode asks for it, now or when it was signed; else all of them. */
  byMode?: boolean;
  /** A proof counts only if nothing in the scope of its step changed since. */
  fresh?: boolean;
}

export interface SignatureVerdict {
  /** The evidence that keeps it. */
  id: string;
  kind: "attest" | "sign" | null;
  /** Whom the allowed signers name for the key. */
  principal: string | null;
  /** Fingerprint of the key. */
  key: string | null;
  /** How many changes the log had when it was signed. */
  revision: number | null;
  /** `untrusted` says nothing of the log; `broken` is a fault. */
  status: "holds" | "untrusted" | "broken";
  why?: string;
}

export interface StepVerdict {
  step_id: string;
  path: string;
  title: string;
  done: boolean;
  /** Checkpoints whose proof has to be vouched for; without them the verdict is for information. */
  required: ProofCheckpoint[];
  vouched: boolean;
  /** Principals whose signatures vouch for its proof. */
  by: string[];
  evidence: string[];
  /** Commits at which the proof was made or signed. */
  git_commits: string[];
  /** Why it is not vouched for; empty if it is. */
  why: string[];
}

export interface EntityVerdict {
  id: string;
  kind: string;
  title: string;
  revision: number;
  /** The signature that stands for most changes; null where none that is trusted holds. */
  signed: { id: string; principal: string; revision: number; git_commit: string } | null;
  /** How many changes it does not stand for; those that only keep signatures are not counted. */
  later: number;
  signatures: SignatureVerdict[];
  steps: StepVerdict[];
}

/** A signature that is trusted and holds. */
interface Trusted {
  id: string;
  principal: string;
  statement: Signed;
  covered: ReadonlySet<number>;
}

export function vouched(facts: LogFacts, options: VouchedOptions): EntityVerdict {
  const judged = judgedSignatures(facts, options.judge);
  const trusted = judged.flatMap(({ trusted: one }) => one ?? []);
  const best = trusted.reduce<Trusted | undefined>(
    (most, one) => (most && most.covered.size >= one.covered.size ? most : one),
    undefined,
  );
  const { id, kind, title, ops } = facts;
  return {
    id,
    kind,
    title,
    revision: ops.length,
    signed: best
      ? {
          id: best.id,
          principal: best.principal,
          revision: best.statement.revision,
          git_commit: best.statement.git_commit,
        }
      : null,
    later: ops.filter(({ signature }, at) => !signature && !best?.covered.has(at)).length,
    signatures: judged.map(({ verdict }) => verdict),
    steps: facts.steps.map((step) => judgedStep(facts, step, trusted, options)),
  };
}

/** How many different envelopes of one log are judged: each of them starts ssh-keygen, and a writer of the log can add more. */
export const MAX_JUDGED = 1000;

interface JudgedSignature {
  verdict: SignatureVerdict;
  trusted?: Trusted;
}

/** Equal envelopes are judged once, and have one verdict. Where too many are there, the last verdict says how many were not looked at. */
function judgedSignatures(facts: LogFacts, judge: Judge): JudgedSignature[] {
  const different = new Map<string, LoggedSignature>();
  for (const one of facts.signatures) {
    const key = typeof one.envelope === "string" ? `not there: ${one.id}` : hash("sha256", one.envelope);
    if (!different.has(key)) different.set(key, one);
  }
  const all = [...different.values()];
  const judged = all.slice(0, MAX_JUDGED).map((one) => judgedSignature(facts, one, judge));
  const next = all[MAX_JUDGED];
  if (!next) return judged;
  const why = `only the first ${MAX_JUDGED} envelopes of a log are judged, and it has ${all.length}`;
  const none = { kind: null, principal: null, key: null, revision: null, status: "broken" } as const;
  return [...judged, { verdict: { ...none, id: next.id, why } }];
}

function judgedSignature(facts: LogFacts, { id, envelope: bytes }: LoggedSignature, judge: Judge): JudgedSignature {
  const none: SignatureVerdict = { id, kind: null, principal: null, key: null, revision: null, status: "broken" };
  const envelope = typeof bytes === "string" ? bytes : readEnvelope(bytes);
  if (typeof envelope === "string") return { verdict: { ...none, why: `its envelope cannot be read: ${envelope}` } };
  const { key } = envelope;
  const found = judge(envelope.signed, envelope.signature);
  if ("is" in found) {
    const status = found.is === "untrusted" ? "untrusted" : "broken";
    return { verdict: { ...none, key, status, why: found.why } };
  }
  const { principal } = found;
  const statement = readStatement(envelope.payload);
  if (!statement)
    return { verdict: { ...none, key, principal, why: "what it signs is no statement on a plan or task" } };
  const { kind, revision } = statement;
  const verdict: SignatureVerdict = { ...none, kind, key, principal, revision };
  const covered = holdsIn(facts, statement);
  if (!covered) {
    const gone =
      statement.entity.root === facts.root
        ? "the log no longer has what was signed: its history was written anew"
        : `it was made for another log, that of ${statement.workspace}/${statement.entity.id}`;
    return { verdict: { ...verdict, why: gone } };
  }
  return { verdict: { ...verdict, status: "holds" }, trusted: { id, principal, statement, covered } };
}

function judgedStep(
  facts: LogFacts,
  step: LoggedStep,
  trusted: readonly Trusted[],
  options: VouchedOptions,
): StepVerdict {
  const { step_id, path, done } = step;
  const trustedSteps = trusted.flatMap((one) => {
    const signed = one.statement.steps.find((other) => other.step_id === step_id);
    return signed ? [{ ...one, signed }] : [];
  });
  const asked = PROOF_CHECKPOINTS.filter((c) => isAsked(step, c, trustedSteps, trusted));
  const looked = new Look(facts, step, trustedSteps, options);
  const isTested = step.tests.length > 0 || step.packet !== undefined;
  // Of a step without tests the proof of any checkpoint is enough.
  const other = isTested || asked.length > 0 ? [] : [PROOF_CHECKPOINTS.find((c) => looked.lacks(c).length === 0)];
  const all = new Set([...asked, ...(isTested ? (["tests"] as const) : other.map((c) => c ?? "tests"))]);
  const needed = options.byMode ? asked : [...all];
  const checkpoints = needed.length > 0 ? needed : [...all];
  const why = [...new Set(checkpoints.flatMap((c) => looked.lacks(c)))];
  return {
    step_id,
    path,
    title: step.titles.at(-1) ?? "",
    done,
    required: done ? [...needed] : [],
    vouched: why.length === 0,
    by: why.length === 0 ? [...looked.by] : [],
    evidence: why.length === 0 ? [...looked.evidence] : [],
    git_commits: why.length === 0 ? [...looked.commits] : [],
    why,
  };
}

/** A mode that was signed holds on, also by a signature over history: a later change would let the step go without the proof. */
function isAsked(
  { proof, attested }: LoggedStep,
  checkpoint: ProofCheckpoint,
  trustedSteps: readonly TrustedStep[],
  trusted: readonly Trusted[],
): boolean {
  return (
    proof[checkpoint] === "attested" ||
    trustedSteps.some(({ signed }) => signed.proof[checkpoint] === "attested") ||
    attested.some(
      ({ checkpoint: one, from, to }) =>
        one === checkpoint &&
        trusted.some(({ covered }) => covered.has(from) && !(to !== undefined && covered.has(to))),
    )
  );
}

type TrustedStep = Trusted & { signed: SignedStep };

/** Looks at one step; keeps what vouches for it. */
class Look {
  readonly by = new Set<string>();
  readonly evidence = new Set<string>();
  readonly commits = new Set<string>();
  readonly #facts: LogFacts;
  readonly #step: LoggedStep;
  readonly #trusted: readonly TrustedStep[];
  readonly #options: VouchedOptions;

  constructor(facts: LogFacts, step: LoggedStep, trustedSteps: readonly TrustedStep[], options: VouchedOptions) {
    this.#facts = facts;
    this.#step = step;
    this.#trusted = trustedSteps;
    this.#options = options;
  }

  /** Why the proof of a checkpoint is not vouched for; empty if it is. */
  lacks(checkpoint: ProofCheckpoint): string[] {
    if (this.#trusted.length === 0) return [`no trusted signature names proof of ${checkpoint}`];
    const same: TrustedStep[] = [];
    const refused: string[] = [];
    for (const one of this.#trusted) {
      const why = this.#changed(one);
      if (why === undefined) same.push(one);
      else refused.push(why);
    }
    if (same.length === 0) return [...new Set(refused)];
    if (checkpoint === "tests" && this.#step.packet !== undefined) return this.#packet(same);
    const { tests } = this.#step;
    const wanted = checkpoint === "tests" && tests.length > 0 ? tests : [undefined];
    return wanted.flatMap((test) => this.#lacksTest(checkpoint, test, same));
  }

  #lacksTest(checkpoint: ProofCheckpoint, test: string | undefined, trustedSteps: readonly TrustedStep[]): string[] {
    const why = new Set<string>();
    for (const one of trustedSteps) {
      for (const { event, item, checkpoints } of one.signed.evidence) {
        if (!checkpoints.includes(checkpoint)) continue;
        const logged = this.#facts.evidence.find((other) => other.event === event && other.item === item);
        if (!logged || !one.covered.has(logged.op) || !isFor(this.#step, logged, checkpoint, test)) continue;
        const fault = this.#fault(one, logged);
        if (fault !== undefined) {
          why.add(fault);
          continue;
        }
        this.by.add(one.principal);
        this.evidence.add(logged.id);
        this.commits.add(commitOf(one, logged));
        return [];
      }
    }
    if (why.size > 0) return [...why];
    const what = test === undefined ? `proof of ${checkpoint}` : `a run of ${JSON.stringify(test)}`;
    return [`no trusted signature names ${what}`];
  }

  /** Why this entry is no proof any more. */
  #fault(one: TrustedStep, logged: LoggedEvidence): string | undefined {
    const name = `evidence:${logged.id}`;
    if (!logged.counts || (logged.exit_code ?? 0) !== 0) return `${name} is no proof`;
    if (logged.aside.length > 0) return `${name} was superseded`;
    if (logged.broken !== undefined) return `${name} no longer holds: ${logged.broken}`;
    const failed = this.#facts.evidence.find(
      (other) => other.step_id === this.#step.step_id && (other.exit_code ?? 0) !== 0 && !one.covered.has(other.op),
    );
    if (failed) return `a run that failed came after the signature: evidence:${failed.id}`;
    const commit = commitOf(one, logged);
    const isThere = this.#options.isInHistory(commit);
    if (isThere === null) return `git cannot tell whether HEAD leads to commit ${commit.slice(0, 12)} of ${name}`;
    if (!isThere) return `HEAD does not lead to commit ${commit.slice(0, 12)}, of which ${name} is`;
    const stale = this.#options.fresh && (logged.captured ? logged.stale : this.#facts.since?.(commit));
    return stale ? `${name} is stale: ${stale}` : undefined;
  }

  /** Names the words of the step that are not as they were signed. */
  #changed({ statement, signed }: TrustedStep): string | undefined {
    const { workspace, id, title, root } = this.#facts;
    const now = definitionOf({ workspace, entity: { id, kind: "", title, root } }, copied(this.#step)) as object;
    const then = definitionOf(statement, signed) as Record<string, unknown>;
    const differs = Object.entries(now).filter(([name, value]) => canonicalJson(value) !== canonicalJson(then[name]));
    const names = differs.map(([name]) => NAMES[name] ?? name);
    return names.length === 0
      ? undefined
      : `${names.join(", ")} changed since revision ${statement.revision}, which was signed`;
  }

  #packet(trustedSteps: readonly TrustedStep[]): string[] {
    if (!this.#step.packet) return ["the packet does not prove its tests"];
    const { ops } = this.#facts;
    for (const one of trustedSteps) {
      const isSince = ops.some(({ packet }, at) => packet && !one.covered.has(at));
      if (!one.signed.packet || isSince) continue;
      const stale = this.#options.fresh && this.#facts.since?.(one.statement.git_commit);
      if (stale) return [`the packet is stale: ${stale}`];
      this.by.add(one.principal);
      this.commits.add(one.statement.git_commit);
      return [];
    }
    return ["the packet changed since it was signed"];
  }
}

const NAMES: Record<string, string> = {
  workspace: "the workspace",
  entity: "the id or title of the task",
  titles: "the title of the step",
  success_criteria: "its criteria",
  tests: "its tests",
};

function copied({ step_id, titles, success_criteria, tests }: LoggedStep): Parameters<typeof definitionOf>[1] {
  return { step_id, titles: [...titles], success_criteria: [...success_criteria], tests: [...tests] };
}

/** The commit at which a run was made; of other evidence the one at which it was signed. */
function commitOf({ statement }: TrustedStep, { captured }: LoggedEvidence): string {
  return captured?.git_commit ?? statement.git_commit;
}

/** Whether the log itself says that this entry is for that checkpoint and test of the step. */
function isFor(
  step: LoggedStep,
  logged: LoggedEvidence,
  checkpoint: ProofCheckpoint,
  test: string | undefined,
): boolean {
  if (logged.step_id !== step.step_id || !logged.checkpoints.includes(checkpoint)) return false;
  return test === undefined || isRunOfTest(logged, test);
}
