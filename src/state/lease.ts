/** A lease: who has taken a step, or a whole plan or task, to work on, and until when (LEASE rules). */
import type { Entity, Lease, Step } from "./entity.ts";

/** Where a lease stands: on a step, or (null) on the whole. */
export interface Held {
  on: Step | null;
  lease: Lease;
}

/** Times are compared as text, which is their order. */
export function inEffect(lease: Lease | null, now: string): lease is Lease {
  return lease !== null && lease.expires_at > now;
}

/** Leases that cover a place: its own, those of the steps above it, and that of the whole; the nearest first. */
export function covering(entity: Entity, place: Step | null): Held[] {
  const held: Held[] = [];
  for (let step = place; step; step = step.parent) if (step.lease) held.push({ on: step, lease: step.lease });
  if (entity.lease) held.push({ on: null, lease: entity.lease });
  return held;
}

/** Leases of live steps below a place. */
export function heldBelow(entity: Entity, place: Step | null): Held[] {
  const held: Held[] = [];
  const look = (steps: readonly Step[]): void => {
    for (const step of steps) {
      if (step.deleted) continue;
      if (step.lease) held.push({ on: step, lease: step.lease });
      look(step.children);
    }
  };
  look(place ? place.children : entity.children);
  return held;
}
