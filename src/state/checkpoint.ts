/** The five checkpoints of a step and the predicate that gates its closing (STEP rules). */
import type { ReceiptKind } from "./evidence.ts";
import type { Step } from "./step.ts";

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
  return c === "criteria" || c === "tests" || step.linked[c].length > 0 || step.proof[c] === "require";
}

/** Required checkpoints that nobody has confirmed, in the fixed order. */
export function missingCheckpoints(step: Step): Checkpoint[] {
  return CHECKPOINTS.filter((c) => !step.confirmed[c] && isRequired(step, c));
}

/** Checkpoints whose proof is required and has not been attached. Placeholders are no proof. */
export function missingProofs(step: Step): ProofCheckpoint[] {
  return PROOF_CHECKPOINTS.filter((c) => step.proof[c] === "require" && !hasProof(step, c));
}

export function hasProof(step: Step, checkpoint: Checkpoint): boolean {
  return step.linked[checkpoint].some((link) => link.counts);
}

/** Receipts that the proof of a checkpoint lacks to be a strong one: a command that was run, and where its result can be read. */
export function missingReceipts(step: Step, checkpoint: Checkpoint): ReceiptKind[] {
  const links = step.linked[checkpoint].filter((link) => link.counts);
  return RECEIPTS.filter((kind) => !links.some((link) => link.receipt === kind));
}

const RECEIPTS: readonly ReceiptKind[] = ["CMD", "LINK"];

/** Checkpoints whose proof was asked for, and of which there is none or only half: it never keeps a step from closing. */
export function weakProofs(step: Step): ProofCheckpoint[] {
  return PROOF_CHECKPOINTS.filter((c) => step.proof[c] !== "off" && missingReceipts(step, c).length > 0);
}

export function gateHolds(step: Step): boolean {
  return missingCheckpoints(step).length === 0 && missingProofs(step).length === 0;
}
