/** Closings that are refused for who closes, or for files that changed since the proof, whichever call makes them (PROOF-48, PROOF-51). */
import type { Draft } from "../events/define.ts";
import { redoApplied } from "../events/redo.applied.ts";
import { stepDone } from "../events/step.done.ts";
import { undoApplied } from "../events/undo.applied.ts";
import { failedRuns, isOfPacket, lacksPacket, missingProofs, proofMode } from "../state/checkpoint.ts";
import { takesNoClaim } from "../state/degree.ts";
import type { Step, Subject } from "../state/entity.ts";
import { isLive } from "../state/live.ts";
import type { StalenessOf } from "../state/staleness.ts";
import type { Asking } from "./lease.ts";
import { refuseStale } from "./stale_proof.ts";
import { preOrder } from "../state/tree.ts";
import { failedElsewhere, failedOnWhole } from "../state/whole_runs.ts";
import { unproved, wholeFailed } from "./unproved.ts";

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

/** Steps and the whole that are open before an undo or redo. */
interface OpenBefore {
  steps: Step[];
  whole: boolean;
}

/** Undefined if the drafts are no undo or redo, which may close a step or the task. */
export function openBeforeReversal({ entity }: Subject, drafts: readonly Draft[]): OpenBefore | undefined {
  if (!drafts.some(({ type }) => REVERSALS.has(type))) return undefined;
  return { steps: [...entity.steps.values()].filter(({ done }) => !done), whole: entity.status !== "DONE" };
}

/** The same refusals for a step that an undo or redo closed: its proof may have gone since, or may be of other files. */
export function refuseUnprovedReversal(
  subject: Subject,
  open: OpenBefore,
  { staleness, ...asking }: Asking & { staleness: StalenessOf },
): void {
  const closed = open.steps.filter((step) => step.done && isLive(step));
  refuseFailed(subject, closed, open.whole && subject.entity.status === "DONE", asking);
  for (const step of closed) {
    const closer = step.done_by ?? undefined;
    const missing = missingProofs(step, closer).filter(
      (c) => c !== "criteria" && !isOfPacket(step, c) && takesNoClaim(proofMode(step, c)),
    );
    if (missing.length > 0) throw unproved(subject, step, missing, closer);
    refuseStale(subject, step, closer, staleness);
  }
}

/** Evidence stands in the way of no undo or redo (UNDO-33) but of one that closes what a run failed of since (PROOF-39). */
function refuseFailed(subject: Subject, closed: readonly Step[], whole: boolean, asking: Asking): void {
  const { entity } = subject;
  for (const step of whole ? preOrder(entity.children) : closed) {
    const failed = missingProofs(step).filter((c) => !lacksPacket(step, c) && failedRuns(step.linked[c]).length > 0);
    if (failed.length > 0) throw unproved(subject, step, failed);
  }
  for (const step of closed) {
    const elsewhere = failedElsewhere(entity, step);
    if (elsewhere.length > 0) throw wholeFailed(subject, elsewhere, asking);
  }
  const runs = whole ? failedOnWhole(entity) : [];
  if (runs.length > 0) throw wholeFailed(subject, runs, asking);
}
