/** The five checkpoints of a step and the predicate that gates its closing (STEP rules). */
import type { ReceiptKind } from "./evidence.ts";
import { failingRuns } from "./failing_runs.ts";
import { commandKey, isRunOfTest, isSameCommand } from "./same_command.ts";
import type { Degree } from "./degree.ts";
import { closerOf, highestDegree, isEnough, isRequired as isProofRequired, takesNoClaim } from "./degree.ts";
import { ownEyes } from "./four_eyes.ts";
import { acceptingRuns } from "./packet_proof.ts";
import { holdsMask } from "./packet_masks.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS } from "./entity.ts";
import type { Checkpoint, Entity, Link, ProofCheckpoint, ProofMode, Step } from "./entity.ts";

/**
 * Returns the checkpoints that must be confirmed before this step closes. These are criteria and tests on every step,
 * and the others once evidence is linked to them or proof of them is required. Tests that the packet proves need no
 * word beside that.
 */
export function requiredCheckpoints(step: Step): Checkpoint[] {
  return CHECKPOINTS.filter((c) => isRequired(step, c));
}

function isRequired(step: Step, c: Checkpoint): boolean {
  if (c === "criteria") return true;
  return c === "tests" ? !step.packet : isAsked(step.linked[c], step.proof[c]);
}

function isAsked(links: readonly Link[], mode: ProofMode): boolean {
  return links.length > 0 || isProofRequired(mode);
}

/** How evidence is judged: which run failed, and what is put aside. */
interface Judge {
  fails: (link: Link) => boolean;
  isAside: (link: Link) => boolean;
  /** Runs of one key are runs of one command. */
  keyOf: (link: Link) => string;
  /** When a run happened. */
  timeOf: (link: Link) => string;
  /** Whether a run that a caller reports takes back the failure of a run that Taskfold started. */
  areClaimsEqual: boolean;
  /** Whether it proves this declared test in a mode above `require`. */
  isOf: (link: Link, test: string) => boolean;
}

/** A run that ended with another exit code than 0, whatever its event says of it. */
const isFailed = ({ exit_code }: Link): boolean => exit_code !== null && exit_code !== 0;

const NOW: Judge = {
  fails: isFailed,
  isAside: ({ superseded }) => superseded === true,
  keyOf: runKey,
  timeOf: timeNow,
  areClaimsEqual: false,
  isOf: (link, test) => link.test === test && isRunOfTest(link, test),
};

/**
 * Where a closing in a log is judged. A step that an older release closed on a failed run stays closed (PROOF-41). So does one of which
 * another branch puts the proof aside (PROOF-41), and one that closed on a claim after a run of Taskfold failed (PROOF-108). A run of another
 * spelling says nothing there, neither of a failure nor of a time (PROOF-33).
 */
const IN_LOG: Judge = {
  fails: (link) => !link.counts && isFailed(link),
  isAside: (link) => link.superseded === true && isFailed(link),
  keyOf: (link) => keyOf(link, String),
  timeOf: ({ time }) => time,
  areClaimsEqual: true,
  isOf: (link, test) => link.test === test,
};

function counts(links: readonly Link[], judge: Judge): boolean {
  // Hardly a step has a failed run, and every answer about a step asks.
  const isPlain = !links.some((link) => judge.fails(link) || judge.isAside(link));
  return isPlain ? links.some((link) => link.counts) : proofsAmong(links, judge).length > 0;
}

/** Whether the newest run of a command failed. */
function stillFails(links: readonly Link[]): boolean {
  return links.some(isFailed) && failedRuns(links).length > 0;
}

/** The command of a run on record that `taskfold prove` makes again, for the checkpoints that ask for that. */
interface Repeat {
  command: string;
  checkpoints: ProofCheckpoint[];
}

/**
 * The runs on record that a repeat is asked of, each command once: those of checkpoints in the mode `repeated` without declared tests (PROOF-70).
 * A run in another folder is not repeated in the root, and a mask runs as no secret.
 */
export function runsToRepeat(step: Step): Repeat[] {
  const found = new Map<string, Repeat>();
  for (const c of PROOF_CHECKPOINTS) {
    if (step.proof[c] !== "repeated" || (c === "tests" && step.tests.length > 0)) continue;
    for (const { command, cwd, exit_code, superseded } of step.linked[c]) {
      if (command === null || exit_code === null || superseded || (cwd ?? ".") !== "." || holdsMask(command)) continue;
      const one = found.get(commandKey(command)) ?? { command, checkpoints: [] };
      found.set(commandKey(command), one);
      if (!one.checkpoints.includes(c)) one.checkpoints.push(c);
    }
  }
  return [...found.values()];
}

/** The demands on the proof of a checkpoint. */
interface Asked {
  mode: ProofMode;
  /** Declared tests, for the checkpoint of that name. */
  tests: readonly string[];
  closer: string | null | undefined;
}

/**
 * The proofs that are enough for a mode above `require`, by declared test; without declared tests all of them stand under "". A run of
 * another command shows nothing of a declared test, whichever test its caller named (PROOF-48). A closing in a log goes by the test that
 * the event names.
 */
function enoughByTest(links: readonly Link[], { mode, tests, closer }: Asked, judge: Judge): Map<string, Link[]> {
  const enough = proofsAmong(links, judge).filter((link) => isEnough(link, mode, closer));
  if (tests.length === 0) return new Map([["", enough]]);
  return new Map(tests.map((test) => [test, enough.filter((link) => judge.isOf(link, test))]));
}

function testsLeft(links: readonly Link[], asked: Asked, judge: Judge): string[] {
  return [...enoughByTest(links, asked, judge)].flatMap(([test, enough]) => (enough.length === 0 ? [test] : []));
}

/** Whether proof is required and is not there. */
function lacksProof(links: readonly Link[], asked: Asked, judge: Judge): boolean {
  if (takesNoClaim(asked.mode)) return testsLeft(links, asked, judge).length > 0;
  return asked.mode === "require" && !counts(links, judge);
}

/** Whether the proof of a checkpoint is not there though it is required, or a run of it failed, in whatever mode (PROOF-39). */
function isUnproved(step: Step, c: ProofCheckpoint, closer: string | null | undefined): boolean {
  if (step.linked[c].length === 0) return isProofRequired(step.proof[c]);
  return lacksProof(step.linked[c], askedOf(step, c, closer), NOW) || stillFails(step.linked[c]);
}

/** The actor who closes a step that is open is not known to most who ask. */
function askedOf({ proof, tests, done_by }: Step, c: ProofCheckpoint, closer: string | null = done_by): Asked {
  return { mode: proof[c], tests: c === "tests" ? tests : NO_TESTS, closer };
}

const NO_TESTS: readonly string[] = [];

/** Runs of one key are runs of one command in one folder, in whatever spelling. */
export function runKey(link: Link): string {
  return keyOf(link, commandKey);
}

function keyOf({ command, cwd, evidence }: Link, spelled: (command: string) => string): string {
  return command === null ? evidence : JSON.stringify([spelled(command), cwd]);
}

/**
 * The time of a run, as a closing in a log sees it (PROOF-33). That is the time of its event, or of the latest earlier run of its text
 * that its op has seen. `latest` is no earlier than any time before.
 */
export function timeInLog(run: Link, links: readonly Link[], saw: (op: number) => boolean, latest: string): string {
  if (run.time >= latest) return run.time;
  const command = keyOf(run, String);
  const seen = links.filter((one) => one.time > run.time && saw(one.op) && keyOf(one, String) === command);
  return seen.reduce((time, one) => (one.time > time ? one.time : time), run.time);
}

function timeNow({ time, ran_at = time }: Link): string {
  return ran_at;
}

/** Failed runs that no newer run of the same command took back (PROOF-30, PROOF-108). */
export function failedRuns(links: readonly Link[], judge = NOW): Link[] {
  // Hardly a step has one, and a radar asks of each step again and again.
  if (!links.some(judge.fails)) return [];
  const runs = links.filter((link) => link.exit_code !== null && !judge.isAside(link));
  return failingRuns(runs, (link) => ({
    command: judge.keyOf(link),
    time: judge.timeOf(link),
    isFailed: judge.fails(link),
    isClaim: judge.areClaimsEqual ? false : link.degree === undefined,
  }));
}

/** Links that prove: without runs that failed, those of a command whose newest run failed, and what is put aside. */
export function proofsAmong(links: readonly Link[], judge = NOW): Link[] {
  return notFailed(links, judge).filter((link) => link.counts);
}

/** The declared test that evidence is for: the one that its writer named, or the one that is its command (PROOF-42). */
export function declaredTest({ tests }: Step, { test, command }: Link): string | undefined {
  if (test !== undefined && tests.includes(test)) return test;
  return command === null ? undefined : tests.find((one) => isSameCommand(one, command));
}

/** Whether evidence is a run or receipt of a command that is none of the declared tests (PROOF-52). */
export function isOtherCommand({ tests }: Step, { command, counts: shows, exit_code, superseded }: Link): boolean {
  if (tests.length === 0 || command === null || superseded || !(shows || exit_code !== null)) return false;
  return !tests.some((one) => isSameCommand(one, command));
}

/** The commands that prove the tests of a step, where none of them is a declared test; empty where one is. */
export function otherCommands(step: Step): string[] {
  if (step.packet || step.tests.length === 0) return [];
  const all = proofsAmong(step.linked.tests).filter(({ command }) => command !== null);
  // A receipt of the declared test, which nothing backs, makes no run of another command one of that test.
  const backed = all.filter((link) => link.backed);
  const ran = backed.length > 0 ? backed : all;
  return ran.every((link) => isOtherCommand(step, link)) ? [...new Set(ran.map(({ command }) => command!))] : [];
}

/** Declared tests of which there is no run and no receipt: that of another test says nothing of them. None where the packet proves. */
export function testsWithoutRun(step: Step): string[] {
  if (step.packet || step.tests.length === 0) return [];
  const isTried = (link: Link): boolean => !link.superseded && (link.counts || link.exit_code !== null);
  const tried = new Set(step.linked.tests.filter(isTried).map((link) => declaredTest(step, link)));
  return step.tests.filter((test) => !tried.has(test));
}

/** The declared test of which this failed run is the newest, if it is of one. */
export function testThatFails(step: Step, run: Link): string | undefined {
  const test = declaredTest(step, run);
  if (test === undefined) return undefined;
  const isNewer = (one: Link): boolean =>
    one.exit_code !== null && !one.superseded && timeNow(one) > timeNow(run) && declaredTest(step, one) === test;
  return step.linked.tests.some(isNewer) ? undefined : test;
}

/** Links that prove nothing though no run of theirs failed: what they name was not there, or they show nothing. */
export function unprovenAmong(links: readonly Link[]): Link[] {
  return notFailed(links, NOW).filter((link) => !link.counts);
}

function notFailed(links: readonly Link[], judge: Judge): Link[] {
  if (links.length === 0) return [];
  const failed = new Set(failedRuns(links, judge).map(judge.keyOf));
  // The key of a long command costs more than all else here.
  const isOfFailed = (link: Link): boolean => failed.size > 0 && failed.has(judge.keyOf(link));
  return links.filter((link) => !judge.fails(link) && !judge.isAside(link) && !isOfFailed(link));
}

/**
 * Returns required checkpoints without a confirmation, in the fixed order. Written out, here and below, because every
 * answer about a step asks. Five names in a variable are read ten times as slowly as the same names in the code.
 */
export function missingCheckpoints({ confirmed, linked, proof, packet }: Step): Checkpoint[] {
  const missing: Checkpoint[] = [];
  if (!confirmed.criteria) missing.push("criteria");
  if (!packet && !confirmed.tests) missing.push("tests");
  if (!confirmed.security && isAsked(linked.security, proof.security)) missing.push("security");
  if (!confirmed.perf && isAsked(linked.perf, proof.perf)) missing.push("perf");
  if (!confirmed.docs && isAsked(linked.docs, proof.docs)) missing.push("docs");
  return missing;
}

/**
 * Checkpoints whose proof is required and is not there, or of which the newest run of a command failed. Placeholders are no proof. Tests
 * that the packet proves are judged by the packet alone. `closer`: the actor who would close the step, or else the one who did.
 */
export function missingProofs(step: Step, closer?: string): Checkpoint[] {
  const missing: Checkpoint[] = [];
  if (stillFails(step.linked.criteria)) missing.push("criteria");
  if (step.packet ? isUnaccepted(step, closer) : isUnproved(step, "tests", closer)) missing.push("tests");
  if (isUnproved(step, "security", closer)) missing.push("security");
  if (isUnproved(step, "perf", closer)) missing.push("perf");
  if (isUnproved(step, "docs", closer)) missing.push("docs");
  return missing;
}

/** The same where a closing in a log is judged: proof that is required and was not there. A failed run asks for nothing (PROOF-41). */
function missingInLog(step: Step, closer?: string): ProofCheckpoint[] {
  return PROOF_CHECKPOINTS.filter((c) =>
    isOfPacket(step, c) ? !step.accepted : lacksProof(step.linked[c], askedOf(step, c, closer), IN_LOG),
  );
}

/** The declared tests of which no proof is enough for the mode of tests; none in a mode that takes claims (PROOF-48). */
export function testsWithoutProof(step: Step, closer?: string): string[] {
  if (lacksPacket(step, "tests") || !takesNoClaim(step.proof.tests)) return [];
  return testsLeft(step.linked.tests, askedOf(step, "tests", closer), NOW).filter((test) => test !== "");
}

/** Runs for tests that would be proof enough, were they of a declared test: their command, folder or time is another one (PROOF-48). */
export function runsOfNoTest(step: Step, closer?: string): Link[] {
  const { mode } = askedOf(step, "tests", closer);
  const enough = proofsAmong(step.linked.tests).filter((link) => isEnough(link, mode, closer));
  return enough.filter((link) => !step.tests.some((test) => NOW.isOf(link, test)));
}

/** Proofs by id of their evidence. `test`: the declared one, or "". */
interface ProofsToCompare {
  checkpoint: ProofCheckpoint;
  test: string;
  evidence: string[];
  /** Whether the packet made them. */
  ofPacket?: true;
}

/** The proofs on which a closing rests in a mode above `require`: of each list, one is to be of the files as they are (PROOF-51). */
export function proofsToCompare(entity: Entity, step: Step, closer?: string): ProofsToCompare[] {
  return PROOF_CHECKPOINTS.flatMap((checkpoint): ProofsToCompare[] => {
    const asked = askedOf(step, checkpoint, closer);
    if (!takesNoClaim(asked.mode)) return [];
    const groups = (): ProofsToCompare[] =>
      [...enoughByTest(step.linked[checkpoint], asked, NOW)].map(([test, links]) => ({
        checkpoint,
        test,
        evidence: links.map(({ evidence }) => evidence),
      }));
    if (!isOfPacket(step, checkpoint)) return groups();
    const runs = acceptingRuns(entity).map((evidence) => ({ checkpoint, test: "", evidence, ofPacket: true as const }));
    return asksBeside(asked.mode) ? [...runs, ...groups()] : runs;
  });
}

/** Whether the packet alone proves this checkpoint: no evidence does, and no confirmation (PROOF-36). */
export function isOfPacket(step: Step, checkpoint: Checkpoint): boolean {
  return step.packet && checkpoint === "tests";
}

/** Whether the packet is to prove this checkpoint and does not: in a mode that takes no claim, Taskfold has to start the commands (PROOF-36). */
export function lacksPacket(step: Step, checkpoint: Checkpoint): boolean {
  if (!isOfPacket(step, checkpoint)) return false;
  return !isProvedByPacket(step) || (step.accepted === "claimed" && takesNoClaim(step.proof.tests));
}

/** Whether the packet's stage proves the tests of a step that names it. Commands of a brief alone prove none (PACKET-219). */
export function isProvedByPacket({ accepted }: Step): boolean {
  return accepted !== null && accepted !== "brief";
}

/** No packet makes a repeat or a signature: where the mode asks for that, evidence of that degree stands beside it. */
function isUnaccepted(step: Step, closer?: string): boolean {
  if (lacksPacket(step, "tests") || failedBesidePacket(step)) return true;
  return asksBeside(step.proof.tests) && lacksProof(step.linked.tests, askedOf(step, "tests", closer), NOW);
}

/** Whether the packet's results are only reported, while Taskfold saw a run for these tests fail: no report takes that back (PROOF-109). */
function failedBesidePacket({ accepted, linked }: Step): boolean {
  return accepted !== "captured" && failedRuns(linked.tests).some(({ degree }) => degree !== undefined);
}

function asksBeside(mode: ProofMode): boolean {
  return mode === "repeated" || mode === "attested";
}

/** Returns the proof that closing asks for. Where the packet proves, that is no less than `require`. */
export function proofMode(step: Step, checkpoint: ProofCheckpoint): ProofMode {
  const mode = step.proof[checkpoint];
  return isOfPacket(step, checkpoint) && !takesNoClaim(mode) ? "require" : mode;
}

export function hasProof(step: Step, checkpoint: Checkpoint): boolean {
  if (isOfPacket(step, checkpoint)) return !isUnaccepted(step);
  const links = step.linked[checkpoint];
  if (stillFails(links)) return false;
  if (checkpoint === "criteria" || !takesNoClaim(step.proof[checkpoint])) return counts(links, NOW);
  return !lacksProof(links, askedOf(step, checkpoint), NOW);
}

/** The highest degree among the proofs of a checkpoint; undefined for claims: that is what proof is if nothing more is said of it. */
export function degreeShown(entity: Entity, step: Step, c: ProofCheckpoint): Degree | undefined {
  const { accepted } = step;
  if (isOfPacket(step, c) && accepted !== "captured") return undefined;
  const degree = highestDegree(proofsAmong(step.linked[c]), closerOf(entity, step));
  if (degree !== undefined && degree !== "claimed") return degree;
  return isOfPacket(step, c) ? "captured" : undefined;
}

/**
 * Receipts that the proof of a checkpoint lacks to be a strong one: a command that was run, and where its result can be read.
 * None where something backs the claim by itself.
 */
export function missingReceipts(step: Step, checkpoint: Checkpoint): ReceiptKind[] {
  if (isOfPacket(step, checkpoint)) return [];
  const links = proofsAmong(step.linked[checkpoint]);
  if (links.some((link) => link.backed)) return [];
  return RECEIPTS.filter((kind) => !links.some((link) => link.receipt === kind));
}

const RECEIPTS: readonly ReceiptKind[] = ["CMD", "LINK"];

/** Checkpoints whose proof was asked for, and of which there is none or only half: it never keeps a step from closing. */
export function weakProofs(step: Step): ProofCheckpoint[] {
  return PROOF_CHECKPOINTS.filter((c) => step.proof[c] !== "off" && missingReceipts(step, c).length > 0);
}

/** Returns the missing parts of a step's gate. */
export function lacksOf(step: Step): string[] {
  return lacking(missingCheckpoints(step), missingProofs(step));
}

/** Returns the missing parts where a closing in a log is judged. */
export function lacksInLog(step: Step): string[] {
  return lacking(missingCheckpoints(step), missingInLog(step));
}

function lacking(checkpoints: readonly Checkpoint[], proofs: readonly Checkpoint[]): string[] {
  return [...checkpoints, ...proofs.map((c) => `proof of ${c}`)];
}

/** Evidence may ask for more of a closed step, which stays closed: only what a change takes away opens it (STEP-15). */
export function lacksMore(now: readonly string[], before: readonly string[]): boolean {
  return now.some((one) => !before.includes(one));
}

/** `closer`: the actor of the closing that is judged. */
export function gateHoldsInLog(step: Step, closer: string): boolean {
  return (
    missingCheckpoints(step).length === 0 &&
    missingInLog(step, closer).length === 0 &&
    ownEyes(step, closer).length === 0
  );
}
