/** The five checkpoints of a step and the predicate that gates its closing (STEP rules). */
import type { ReceiptKind } from "./evidence.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS } from "./entity.ts";
import type { Checkpoint, Link, ProofCheckpoint, ProofMode, Step } from "./entity.ts";

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
  return links.length > 0 || mode === "require";
}

type Fails = (link: Link) => boolean;

/** A run that ended with another exit code than 0, whatever its event says of it. */
const isFailed: Fails = ({ exit_code }) => exit_code !== null && exit_code !== 0;

/** The same where a closing in a log is judged: a step that an older release closed on such a run stays closed (PROOF-35). */
const isSaidToFail: Fails = (link) => !link.counts && isFailed(link);

function counts(links: readonly Link[], fails: Fails): boolean {
  // Hardly a step has a failed run, and every answer about a step asks.
  return links.some((link) => link.counts) && (!links.some(fails) || proofsAmong(links, fails).length > 0);
}

function commandOf({ command, cwd, evidence }: Link): string {
  return command === null ? evidence : JSON.stringify([command, cwd]);
}

/**
 * When a run happened: at the time of its event, or of the latest earlier run of its command that its op has seen (PROOF-33). `latest` is no
 * earlier than any time before.
 */
export function timeOfRun(run: Link, links: readonly Link[], saw: (op: number) => boolean, latest: string): string {
  if (run.time >= latest) return run.time;
  const command = commandOf(run);
  const seen = links.filter((one) => one.time > run.time && saw(one.op) && commandOf(one) === command);
  return seen.reduce((time, one) => (one.time > time ? one.time : time), run.time);
}

/** Failed runs that no newer run of the same command overruled (PROOF-30). */
export function failedRuns(links: readonly Link[], fails = isFailed): Link[] {
  const newest = new Map<string, Link>();
  for (const link of links) {
    if (link.exit_code === null) continue;
    const command = commandOf(link);
    // Branches are replayed one after the other: the last run in the list may be an earlier one.
    if (link.time >= (newest.get(command)?.time ?? "")) newest.set(command, link);
  }
  return [...newest.values()].filter(fails);
}

/** Links that prove: without runs that failed, and without those of a command whose newest run failed. */
export function proofsAmong(links: readonly Link[], fails = isFailed): Link[] {
  return notFailed(links, fails).filter((link) => link.counts);
}

/** Links that prove nothing though no run of theirs failed: what they name was not there, or they show nothing. */
export function unprovenAmong(links: readonly Link[]): Link[] {
  return notFailed(links, isFailed).filter((link) => !link.counts);
}

function notFailed(links: readonly Link[], fails: Fails): Link[] {
  const failed = new Set(failedRuns(links, fails).map(commandOf));
  return links.filter((link) => !fails(link) && !failed.has(commandOf(link)));
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

/** Checkpoints whose proof is required and is not there. Placeholders are no proof. */
export function missingProofs({ linked, proof, packet, accepted }: Step, fails = isFailed): ProofCheckpoint[] {
  const missing: ProofCheckpoint[] = [];
  if (packet) {
    if (!accepted) missing.push("tests");
  } else if (proof.tests === "require" && !counts(linked.tests, fails)) missing.push("tests");
  if (proof.security === "require" && !counts(linked.security, fails)) missing.push("security");
  if (proof.perf === "require" && !counts(linked.perf, fails)) missing.push("perf");
  if (proof.docs === "require" && !counts(linked.docs, fails)) missing.push("docs");
  return missing;
}

/** Whether the packet alone proves this checkpoint: no evidence does, and no confirmation (PROOF-36). */
export function isOfPacket(step: Step, checkpoint: Checkpoint): boolean {
  return step.packet && checkpoint === "tests";
}

/** Returns the proof that closing asks for; it ignores the mode that was set where the packet proves. */
export function proofMode(step: Step, checkpoint: ProofCheckpoint): ProofMode {
  return isOfPacket(step, checkpoint) ? "require" : step.proof[checkpoint];
}

export function hasProof(step: Step, checkpoint: Checkpoint): boolean {
  if (isOfPacket(step, checkpoint)) return step.accepted;
  return counts(step.linked[checkpoint], isFailed);
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
export function lacksOf(step: Step, fails = isFailed): string[] {
  return [...missingCheckpoints(step), ...missingProofs(step, fails).map((c) => `proof of ${c}`)];
}

/** Returns the missing parts where a closing in a log is judged. */
export function lacksInLog(step: Step): string[] {
  return lacksOf(step, isSaidToFail);
}

/** Evidence may ask for more of a closed step, which stays closed: only what a change takes away opens it (STEP-15, STEP-25). */
export function lacksMore(now: readonly string[], before: readonly string[]): boolean {
  return now.some((one) => !before.includes(one));
}

export function gateHoldsInLog(step: Step): boolean {
  return missingCheckpoints(step).length === 0 && missingProofs(step, isSaidToFail).length === 0;
}
