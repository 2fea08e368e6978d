/** Closings that are refused for who closes, whichever call makes them (PROOF-48). */
import type { Draft } from "../events/define.ts";
import { stepDone } from "../events/step.done.ts";
import { missingProofs } from "../state/checkpoint.ts";
import type { Subject } from "../state/entity.ts";
import { unproved } from "./unproved.ts";

/** PROOF_REQUIRED where a step wants a repeat by another actor than the one who closes it. */
export function refuseUnprovedBy(subject: Subject, drafts: readonly Draft[], by: string): void {
  for (const { type, payload } of drafts) {
    if (type !== stepDone.type) continue;
    const step = subject.entity.steps.get(payload["step_id"] as string);
    const missing = step ? missingProofs(step, by) : [];
    if (step && missing.length > 0) throw unproved(subject, step, missing, by);
  }
}
