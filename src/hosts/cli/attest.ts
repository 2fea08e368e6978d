/** `taskfold attest` and `taskfold sign`: signatures over proof, and over history (ATTEST-1, ATTEST-6). */
import { chosenSteps, isSignedBy } from "../../attest/choose.ts";
import type { Chosen, Left } from "../../attest/choose.ts";
import type { LogFacts, LoggedEvidence, LoggedStep } from "../../attest/log_facts.ts";
import { internalsOf } from "../../engine/groups/internals.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Recorded, SignedProof, ToSign } from "../signatures/record.ts";
import { signAndRecord, signedProof } from "../signatures/record.ts";
import type { Workspace } from "../../engine/workspace.ts";
import type { SigningKey } from "../signatures/signing_key.ts";
import { signingKey } from "../signatures/signing_key.ts";
import type { CliResult } from "./cli_result.ts";
import { reportReply } from "./cli_result.ts";
import { neededGit } from "./git/needed_git.ts";
import { newFile, writeNew } from "./new_file.ts";
import { pageOf, stepMeant } from "./page.ts";
import type { Session } from "./session.ts";
import { textRows } from "./text/layout.ts";
import { safeLine } from "./text/safe_text.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface SignOptions {
  key?: string;
  /** A new file for the envelopes, one a line. */
  out?: string;
}

export interface AttestOptions extends SignOptions {
  /** Also what other actors recorded. */
  all?: boolean;
  claims?: boolean;
}

/** `words`: ids, and behind an id steps of it. Without any, every task that has proof which no signature names. */
export async function attest(session: Session, words: readonly string[], options: AttestOptions): Promise<CliResult> {
  const wanted = await wantedSteps(session, words);
  const own = options.all ? undefined : await session.by();
  const fits = ({ by }: LoggedEvidence): boolean => own === undefined || by === own;
  const notSigned: LeftOut[] = [];
  const choose = (all: readonly LogFacts[]): ToSign[] => {
    const list: ToSign[] = [];
    for (const [facts, steps] of wanted === undefined ? unsigned(all) : named(all, wanted)) {
      const { id } = facts;
      const chosen = chosenSteps(facts, steps, { fits, claims: options.claims === true, packet: true });
      if (chosen.steps.length > 0) list.push({ facts, steps: chosen.steps });
      const isChosen = ({ step }: Chosen["left"][number]): boolean => chosen.steps.some((one) => one.step === step);
      // Where steps were named, one that cannot be signed is no reason to sign the others alone.
      const isRefused = (one: Chosen["left"][number]): boolean =>
        one.why === "others" ? wanted?.get(id) !== undefined && !isChosen(one) : one.why !== "none";
      if (wanted !== undefined && chosen.left.some(isRefused)) throw notFit(session, id, chosen.left.filter(isRefused));
      notSigned.push(...leftOut(id, chosen.left));
    }
    if (list.length > 0) return list;
    const [other] = notSigned;
    const found = other && `: ${other.id} ${other.path} has ${proofWords(other)}`;
    throw nothingToSign(session, `proof that ${own ?? "Taskfold"} captured and that no signature names yet`, found);
  };
  return signed(session, "attest", options, choose, { notSigned });
}

/** Proof that another actor recorded. */
interface LeftOut extends SignedProof {
  id: string;
}

function leftOut(id: string, left: Chosen["left"]): LeftOut[] {
  return left.flatMap(({ step, why, evidence }) =>
    why === "others" && evidence ? [{ id, ...signedProof(step, evidence) }] : [],
  );
}

/** The words in which a person reads what a signature is of. */
function proofWords({ command, evidence, by, degree }: SignedProof): string {
  return safeLine(`${command ?? "evidence"} (evidence:${evidence}) by ${by}, ${degree}`);
}

/** Without ids, every plan and task. */
export function sign(session: Session, ids: readonly string[], options: SignOptions): Promise<CliResult> {
  const wanted = ids.map((id) => session.meant(id));
  return signed(
    session,
    "sign",
    options,
    (all) => {
      const list = wanted.length === 0 ? all : wanted.map((id) => factsOf(all, id));
      if (list.length === 0) throw nothingToSign(session, "a plan or task");
      return list.map((facts) => ({ facts }));
    },
    { skip: ({ facts }, key) => isSignedBy(facts, key) },
  );
}

function signed(
  session: Session,
  intent: "attest" | "sign",
  { key: file, out }: SignOptions,
  choose: (all: readonly LogFacts[]) => ToSign[],
  { skip, notSigned }: { skip?: (one: ToSign, key: string) => boolean; notSigned?: readonly LeftOut[] },
): Promise<CliResult> {
  const path = out === undefined ? undefined : newFile(session, out);
  return session.within(async (workspace) => {
    const { root } = workspace;
    const commit = neededGit(root, intent).head();
    if (commit === undefined) throw noCommit();
    const list = choose(internalsOf(workspace).logFacts());
    const key = keyMeant(session, root, file);
    const recorded = await signAndRecord(workspace, list, { root, key, commit, by: await session.by() }, skip);
    if (path !== undefined) writeNew(path, recorded.map(({ envelope }) => envelope).join(""));
    const result = {
      signed: recorded.map(({ envelope: _bytes, ...row }) => row),
      already_signed: list.length - recorded.length,
      ...(notSigned ? { not_signed: notSigned } : {}),
    };
    return {
      exit: 0,
      json: reportReply(intent, result),
      human: () => ({ out: textOf(session, recorded, { chosen: list.length, notSigned }), err: "" }),
    };
  });
}

/** The key that `--key` names, else that of git. */
export function keyMeant({ io }: Session, root: string, file: string | undefined): SigningKey {
  return signingKey(root, file === undefined ? undefined : { file, here: io.cwd });
}

/** An entry that the caller just recorded. */
export interface OwnEntry {
  task: string;
  step_id: string;
  evidence: string;
  command: string;
}

/** Signs these entries and no other; `refused` names the steps of which nothing can be signed. */
export async function signProof(
  session: Session,
  workspace: Workspace,
  wanted: readonly OwnEntry[],
  file: string | undefined,
): Promise<{ recorded: Recorded[]; refused: string[] }> {
  const { root } = workspace;
  const commit = neededGit(root, "attest").head();
  if (commit === undefined) throw noCommit();
  const refused: string[] = [];
  const by = await session.by();
  const list = internalsOf(workspace)
    .logFacts()
    .flatMap((facts): ToSign[] => {
      const own = wanted.filter(({ task }) => task === facts.id);
      // Another line may have taken the id, or may be of another actor or command.
      const fits = (one: LoggedEvidence): boolean =>
        one.by === by &&
        own.some(({ evidence, command }) => evidence === one.id && command === one.command) &&
        facts.evidence.filter(({ id }) => id === one.id).length === 1;
      const { steps, left } = chosenSteps(
        facts,
        facts.steps.filter(({ step_id }) => own.some((one) => one.step_id === step_id)),
        { fits },
      );
      const chosen = new Set(steps.map(({ step }) => step.step_id));
      const without = left.filter(({ step, why }) => why !== "others" || !chosen.has(step.step_id));
      refused.push(...without.map(({ step, why }) => `not signed  ${facts.id} ${step.path}: ${REASONS[why]}`));
      return steps.length === 0 ? [] : [{ facts, steps }];
    });
  if (list.length === 0) return { recorded: [], refused };
  const key = keyMeant(session, root, file);
  return { recorded: await signAndRecord(workspace, list, { root, key, commit, by }), refused };
}

function textOf(
  { quiet, columns }: Session,
  recorded: readonly Recorded[],
  { chosen, notSigned = [] }: { chosen: number; notSigned?: readonly LeftOut[] | undefined },
): string {
  if (quiet) return recorded.map(({ evidence }) => `${evidence}\n`).join("");
  const rows = recorded.flatMap(({ id, title, revision, proofs, evidence }) => [
    [id, `revision ${revision}`, `evidence:${evidence}`, safeLine(title)],
    ...proofs.map((one) => [`  ${one.path}`, one.degree, `evidence:${one.evidence}`, signedWords(one)]),
  ]);
  const [first] = recorded;
  const already = chosen - recorded.length;
  return (
    textRows(rows, columns) +
    (first ? `by      ${first.key}\ncommit  ${first.git_commit.slice(0, 12)}\n` : "") +
    (already > 0 ? `Signed by this key before: ${already}.\n` : "") +
    notSigned.map((one) => `Not signed: ${one.id} ${one.path} ${proofWords(one)}.\n`).join("") +
    (notSigned.length > 0 ? "Other actors recorded that: --all signs it too.\n" : "")
  );
}

function signedWords({ command, by }: SignedProof): string {
  return safeLine(`${command ?? "evidence"} by ${by}`);
}

/** Ids with the steps that were named; no list of steps means all of them. */
type Wanted = Map<string, string[] | undefined>;

const ID = /^(?:(?:task|plan)-\S+|\d+)$/i;

async function wantedSteps(session: Session, words: readonly string[]): Promise<Wanted | undefined> {
  if (words.length === 0) return undefined;
  const wanted: Wanted = new Map();
  let page: Awaited<ReturnType<typeof pageOf>> | undefined;
  for (const word of words) {
    if (page === undefined || ID.test(word)) {
      page = await pageOf(session, session.meant(word, "task"));
      wanted.set(page.target.id, undefined);
    } else {
      const { step_id } = stepMeant(page, word);
      wanted.set(page.target.id, [...(wanted.get(page.target.id) ?? []), step_id]);
    }
  }
  return wanted;
}

function named(all: readonly LogFacts[], wanted: Wanted): [LogFacts, LoggedStep[]][] {
  return [...wanted].map(([id, steps]) => {
    const facts = factsOf(all, id);
    return [facts, facts.steps.filter(({ step_id }) => steps === undefined || steps.includes(step_id))];
  });
}

/** Steps with captured proof that no attestation names. */
function unsigned(all: readonly LogFacts[]): [LogFacts, LoggedStep[]][] {
  return all.flatMap((facts): [LogFacts, LoggedStep[]][] => {
    const open = facts.evidence.filter(
      ({ captured, proves, signed: isSigned }) => captured && proves.length > 0 && !isSigned,
    );
    const steps = facts.steps.filter(({ step_id }) => open.some((one) => one.step_id === step_id));
    return steps.length === 0 ? [] : [[facts, steps]];
  });
}

function factsOf(all: readonly LogFacts[], id: string): LogFacts {
  const found = all.find((one) => one.id === id);
  if (found) return found;
  throw new TaskfoldError(
    "UNKNOWN_ID",
    `Expected the id of a plan or task that is not in the archive, found ${id}.`,
    remedy`${TASKFOLD} list shows the ids; ${TASKFOLD} restore ID brings one back from the archive.`,
  );
}

const REASONS: Record<Left, string> = {
  failed: "its newest run failed",
  broken: "what its proof points at no longer holds",
  stale: "files in its scope changed since its proof was made",
  others: "another actor recorded its proof",
  claimed: "its proof is a claim that Taskfold did not capture",
  none: "it has no proof",
};

/** Options that would sign it all the same. */
const SIGNED_BY: { [W in Left]?: string } = {
  others: "--all signs what other actors recorded, once you have read it.",
  claimed: "--claims signs the claim as it is.",
};

function notFit({ program }: Session, id: string, left: Chosen["left"]): TaskfoldError {
  const { step, why, evidence } = left.find((one) => one.why !== "none")!;
  const title = JSON.stringify(step.titles.at(-1));
  const which = evidence === undefined ? "" : `: ${proofWords(signedProof(step, evidence))}`;
  const run = `${program} run ${id} ${step.path} -- ${step.tests[0] ?? "COMMAND"}`;
  return new TaskfoldError(
    "NOTHING_TO_SIGN",
    `Expected proof of ${step.path} ${title} that can be signed, but ${REASONS[why]}${which}. Nothing was signed.`,
    { recovery: why in SIGNED_BY ? `${run} captures a run; ${SIGNED_BY[why]}` : run },
  );
}

function nothingToSign({ program }: Session, expected: string, found?: string): TaskfoldError {
  const all = found === undefined ? "" : "--all signs what other actors recorded; ";
  return new TaskfoldError("NOTHING_TO_SIGN", `Expected ${expected}, found none${found ?? ""}.`, {
    recovery: `${all}${program} run TASK STEP -- COMMAND captures a run; name a task to sign its proof once more.`,
  });
}

function noCommit(): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", "Expected a commit in git to sign beside, found none yet.", {
    recovery: "git commit first: a signature names the commit that was checked out.",
  });
}
