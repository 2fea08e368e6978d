/** Closings that are refused for who closes, or for files that changed since the proof, whichever call makes them (PROOF-48, PROOF-51). */
import type { Draft } from "../events/define.ts";
import { redoApplied } from "../events/redo.applied.ts";
import { stepDone } from "../events/step.done.ts";
import { undoApplied } from "../events/undo.applied.ts";
import { isOfPacket, missingProofs, proofMode } from "../state/checkpoint.ts";
import { takesNoClaim } from "../state/degree.ts";
import type { Step, Subject } from "../state/entity.ts";
import type { StalenessOf } from "../state/staleness.ts";
import { refuseStale } from "./stale_proof.ts";
import { unproved } from "./unproved.ts";

/** PROOF_REQUIRED where a step wants a repeat by another actor than the one who closes it; PROOF_STALE where files changed since. */
export function refuseUnprovedBy(
  subject: Subject,
  drafts: readonly Draft[],
  { by, staleness }: { by: string; staleness: StalenessOf },
): void {
  for (const { type, payload } of drafts) {
    if (type !== stepDone.type) continue;
    const step = subject.entity.steps.get(payload["step_id"] as string);
    if (!step) continue;
    const missing = missingProofs(step, by);
    if (missing.length > 0) throw unproved(subject, step, missing, by);
    refuseStale(subject, step, by, staleness);
  }
}

/** Events that give fields back, and so may close a step again. */
const REVERSALS: ReadonlySet<string> = new Set([undoApplied.type, redoApplied.type]);

/** Open steps, if the drafts are an undo or redo that may close one. */
export function openBeforeReversal({ entity }: Subject, drafts: readonly Draft[]): Step[] {
  if (!drafts.some(({ type }) => REVERSALS.has(type))) return [];
  return [...entity.steps.values()].filter((step) => !step.done);
}

/** The same refusals for a step that an undo or redo closed: its proof may have gone since, or may be of other files. */
export function refuseUnprovedReversal(subject: Subject, open: readonly Step[], staleness: StalenessOf): void {
  for (const step of open) {
    if (!step.done || step.deleted) continue;
    const closer = step.done_by ?? undefined;
    const missing = missingProofs(step, closer).filter(
      (c) => c !== "criteria" && !isOfPacket(step, c) && takesNoClaim(proofMode(step, c)),
    );
    if (missing.length > 0) throw unproved(subject, step, missing, closer);
    refuseStale(subject, step, closer, staleness);
  }
}
