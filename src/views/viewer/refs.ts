/** How the answers of the viewer name steps and entities. */
import type { Find } from "../../state/depends.ts";
import type { Entity, IdOf, Lease, Ref, Step } from "../../state/entity.ts";
import { isArchived, isArchivedOrDeleted } from "../../state/archive.ts";
import { allClaims } from "../../state/lease.ts";
import { preOrder, pathOf } from "../../state/tree.ts";
import { shownStatus } from "../../state/status.ts";
import type { Claim, EntityRef, StepRef } from "./api.ts";

export function stepRef(step: Step): StepRef {
  return { id: step.id, path: pathOf(step), title: step.title };
}

/** A step by its id, deleted ones too; null where there is none. */
export function stepRefOf(entity: Entity, id: string | null): StepRef | null {
  const step = id === null ? undefined : entity.steps.get(id);
  return step ? stepRef(step) : null;
}

export function entityRef(ref: Ref, find: Find, idOf: IdOf): EntityRef {
  const subject = find(ref);
  const entity = subject?.entity;
  return {
    id: idOf(ref),
    title: entity?.title ?? null,
    kind: entity?.kind ?? null,
    status: subject ? shownStatus(subject) : null,
    archived: entity ? isArchived(entity) : false,
  };
}

/** By its present name, and without a status: no log tells how others stood at a moment of its past. */
export function pastRef(ref: Ref, find: Find, idOf: IdOf): EntityRef {
  return { ...entityRef(ref, find, idOf), status: null, archived: false };
}

/** A claim without the moment of an answer, which alone says whether it is in effect. */
export type OwnClaim = Omit<Claim, "holds">;

/** Of the whole first, then of its live steps in their order; of one place the claim that stands first. An entity that was put away or deleted has none. */
export function claimsOf(entity: Entity): OwnClaim[] {
  if (isArchivedOrDeleted(entity)) return [];
  const of = (lease: Lease, step: StepRef | null): OwnClaim => ({
    by: lease.by,
    claimed_at: lease.claimed_at,
    expires_at: lease.expires_at,
    step,
  });
  const claims = allClaims(entity).map((lease) => of(lease, null));
  for (const step of preOrder(entity.children))
    claims.push(...allClaims(step).map((lease) => of(lease, stepRef(step))));
  return claims;
}

/** As of a moment, one of each place: the first that is not over, else the one that stands. */
export function claimsAt(claims: readonly OwnClaim[], now: string): Claim[] {
  const places = new Map<string | undefined, Claim>();
  for (const claim of claims) {
    const place = claim.step?.id;
    const holds = claim.expires_at > now;
    const known = places.get(place);
    if (!known || (holds && !known.holds)) places.set(place, { ...claim, holds });
  }
  return [...places.values()];
}

/** Live steps of a task, or items of a plan's checklist: the tasks of a plan are counted by those who know them. */
export function progressOf(entity: Entity): { done: number; total: number } {
  const progress = { done: 0, total: 0 };
  for (const step of preOrder(entity.children)) {
    progress.total++;
    if (step.done) progress.done++;
  }
  return progress;
}
