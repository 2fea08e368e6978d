/** The five checkpoints of a step and the predicate that gates its closing (STEP rules). */
import type { ReceiptKind } from "./evidence.ts";
import type { Link, Step } from "./step.ts";

export const CHECKPOINTS = ["criteria", "tests", "security", "perf", "docs"] as const;
export type Checkpoint = (typeof CHECKPOINTS)[number];

/** Proof can be asked for on these; `criteria` is a judgement, there is nothing to attach. */
export const PROOF_CHECKPOINTS = ["tests", "security", "perf", "docs"] as const;
export type ProofCheckpoint = (typeof PROOF_CHECKPOINTS)[number];

export const PROOF_MODES = ["off", "warn", "require"] as const;
export type ProofMode = (typeof PROOF_MODES)[number];

/**
 * The checkpoints that must be confirmed before this step closes: criteria and tests on every step,
 * the others once evidence is linked to them or proof of them is required.
 */
export function requiredCheckpoints(step: Step): Checkpoint[] {
  return CHECKPOINTS.filter((c) => isRequired(step, c));
}

function isRequired(step: Step, c: Checkpoint): boolean {
  return c === "criteria" || c === "tests" || isAsked(step.linked[c], step.proof[c]);
}

function isAsked(links: readonly Link[], mode: ProofMode): boolean {
  return links.length > 0 || mode === "require";
}

function counts(links: readonly Link[]): boolean {
  // Hardly a step has a failed run, and every answer about a step asks.
  return links.some((link) => link.counts) && (!links.some(isFailed) || proofsAmong(links).length > 0);
}

/** A run that ended with another exit code than 0. Logs of older releases let it count, and keep doing so. */
function isFailed({ counts: proves, exit_code }: Link): boolean {
  return !proves && exit_code !== null && exit_code !== 0;
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
export function failedRuns(links: readonly Link[]): Link[] {
  const newest = new Map<string, Link>();
  for (const link of links) {
    if (link.exit_code === null) continue;
    const command = commandOf(link);
    // Branches are replayed one after the other: the last run in the list may be an earlier one.
    if (link.time >= (newest.get(command)?.time ?? "")) newest.set(command, link);
  }
  return [...newest.values()].filter(isFailed);
}

/** Links that prove: without those of a command whose newest run failed. */
export function proofsAmong(links: readonly Link[]): Link[] {
  const failed = new Set(failedRuns(links).map(commandOf));
  return links.filter((link) => link.counts && !failed.has(commandOf(link)));
}

/**
 * Required checkpoints that nobody has confirmed, in the fixed order. Written out, here and below: every answer about a step asks,
 * and five names in a variable are read ten times as slowly as the same names in the code.
 */
export function missingCheckpoints({ confirmed, linked, proof }: Step): Checkpoint[] {
  const missing: Checkpoint[] = [];
  if (!confirmed.criteria) missing.push("criteria");
  if (!confirmed.tests) missing.push("tests");
  if (!confirmed.security && isAsked(linked.security, proof.security)) missing.push("security");
  if (!confirmed.perf && isAsked(linked.perf, proof.perf)) missing.push("perf");
  if (!confirmed.docs && isAsked(linked.docs, proof.docs)) missing.push("docs");
  return missing;
}

/** Checkpoints whose proof is required and has not been attached. Placeholders are no proof. */
export function missingProofs({ linked, proof }: Step): ProofCheckpoint[] {
  const missing: ProofCheckpoint[] = [];
  if (proof.tests === "require" && !counts(linked.tests)) missing.push("tests");
  if (proof.security === "require" && !counts(linked.security)) missing.push("security");
  if (proof.perf === "require" && !counts(linked.perf)) missing.push("perf");
  if (proof.docs === "require" && !counts(linked.docs)) missing.push("docs");
  return missing;
}

export function hasProof(step: Step, checkpoint: Checkpoint): boolean {
  return counts(step.linked[checkpoint]);
}

/**
 * Receipts that the proof of a checkpoint lacks to be a strong one: a command that was run, and where its result can be read.
 * None where something backs the claim by itself.
 */
export function missingReceipts(step: Step, checkpoint: Checkpoint): ReceiptKind[] {
  const links = proofsAmong(step.linked[checkpoint]);
  if (links.some((link) => link.backed)) return [];
  return RECEIPTS.filter((kind) => !links.some((link) => link.receipt === kind));
}

const RECEIPTS: readonly ReceiptKind[] = ["CMD", "LINK"];

/** Checkpoints whose proof was asked for, and of which there is none or only half: it never keeps a step from closing. */
export function weakProofs(step: Step): ProofCheckpoint[] {
  return PROOF_CHECKPOINTS.filter((c) => step.proof[c] !== "off" && missingReceipts(step, c).length > 0);
}

/** What the gate of a step lacks, to be held against what it lacked before a change. */
export function lacksOf(step: Step): string[] {
  return [...missingCheckpoints(step), ...missingProofs(step).map((c) => `proof of ${c}`)];
}

/** Evidence may ask for more of a closed step, which stays closed: only what a change takes away opens it (STEP-15, STEP-25). */
export function lacksMore(step: Step, before: readonly string[]): boolean {
  return lacksOf(step).some((one) => !before.includes(one));
}

export function gateHolds(step: Step): boolean {
  return missingCheckpoints(step).length === 0 && missingProofs(step).length === 0;
}
