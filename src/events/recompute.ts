/**
 * A closed step whose gate no longer holds is open again, and so is everything above it (STEP rules). The rules
 * say so with events of their own; this holds the same after a merge, where one branch closed what the other changed.
 */
import type { Event } from "../log/types.ts";
import { lacksInLog, lacksMore } from "../state/checkpoint.ts";
import { hasEnded } from "../state/ended.ts";
import type { Entity, Status, Step } from "../state/entity.ts";
import { isLive } from "../state/live.ts";
import { acceptedDegree } from "../state/packet_proof.ts";
import { preOrder } from "../state/tree.ts";
import { noteClaimsAbove } from "./claimants.ts";
import { endAllClaims } from "./claims_met.ts";
import type { Writer } from "./writer.ts";

/** Why a step is not closed where it was to be. */
export const NOT_ALL_THERE = "not all of its checkpoints and proofs were there";

/** The claim on a step or on the whole is over. That is said also where none stands: one of another branch may (EVENT-63). */
export function endLease(of: Step | Entity, w: Writer): void {
  if (of.lease) endAllClaims(of, w);
  else w.say(`${of.$}lease`, null);
}

/** A closed step that opens is free: claims from before it was closed are over. */
export function openStep(entity: Entity, step: Step, reason: string, w: Writer): void {
  if (step.done) noteClaimsAbove(entity, step, w);
  if (step.done) endLease(step, w);
  w.write(step, "done", false);
  w.writeUntracked(step, "done_at", null);
  w.writeUntracked(step, "done_by", null);
  w.writeUntracked(step, "forced", null);
  w.writeUntracked(step, "reopened", reason);
}

/** The event that gave a status, by its time and actor. */
type StatusEvent = Pick<Event, "ts" | "by">;

/** Sets the status. The whole is free when it ends, and when it opens again; `end` is its end while it is ended. */
export function setStatus(entity: Entity, status: Status, reason: string | null, end: StatusEvent, w: Writer): void {
  writeStatus(entity, status, reason, hasEnded({ status }) ? end : null, w);
}

function writeStatus(entity: Entity, status: Status, reason: string | null, end: StatusEvent | null, w: Writer): void {
  const ends = hasEnded({ status }) || hasEnded(entity);
  w.write(entity, "status", status);
  if (ends) endLease(entity, w);
  w.writeUntracked(entity, "status_reason", reason);
  w.writeUntracked(entity, "ended_at", end?.ts ?? null);
  w.writeUntracked(entity, "ended_by", end?.by ?? null);
}

/** Opens a closed step again, its closed ancestors, and a DONE entity. */
export function reopenStep(entity: Entity, step: Step, reason: string, w: Writer): void {
  if (step.done) openStep(entity, step, reason, w);
  reopenAbove(entity, step.parent, `a step below it is open again: ${reason}`, w);
}

/** There is open work under `parent` (null: at the top): whatever above it was closed is open again. */
export function reopenAbove(entity: Entity, parent: Step | null, reason: string, w: Writer): void {
  for (let s = parent; s; s = s.parent) if (s.done) openStep(entity, s, reason, w);
  if (entity.status === "DONE") writeStatus(entity, "ACTIVE", reason, null, w);
}

/** After a change to what the gate of `step` judges, of which it lacked `before` until then. */
export function recomputeGate(entity: Entity, step: Step, before: readonly string[], reason: string, w: Writer): void {
  if (step.done && lacksMore(lacksInLog(step), before)) reopenStep(entity, step, reason, w);
}

/** After a change to the step's `packet`. */
export function recomputeAccepted(entity: Entity, step: Step, w: Writer): void {
  const accepted = step.packet ? acceptedDegree(entity.packet) : null;
  if (step.accepted !== accepted) w.writeUntracked(step, "accepted", accepted);
}

/** After a change to what the packet proves: a closed step that it no longer proves is open again (PACKET-222). */
export function recomputePacket(entity: Entity, w: Writer): void {
  for (const step of entity.steps.values()) {
    if (!step.packet) continue;
    const before = step.done ? lacksInLog(step) : [];
    recomputeAccepted(entity, step, w);
    if (isLive(step)) recomputeGate(entity, step, before, "the packet no longer proves its tests", w);
    // It may return, and then it has to be proved.
    else if (step.done && !step.accepted) {
      w.write(step, "done", false);
      endLease(step, w);
    }
  }
}

export function hasOpenSteps(entity: Entity): boolean {
  for (const step of preOrder(entity.children)) if (!step.done) return true;
  return false;
}
