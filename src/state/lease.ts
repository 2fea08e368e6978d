/** A lease: who has taken a step, or a whole plan or task, to work on, and until when (LEASE rules). */
import type { Claimable, Entity, Lease, Step } from "./entity.ts";

/** Where a lease stands: on a step, or (null) on the whole. */
export interface Held {
  on: Step | null;
  lease: Lease;
}

/** Times are compared as text, which is their order. */
export function inEffect(lease: Lease | null, now: string): lease is Lease {
  return lease !== null && lease.expires_at > now;
}

/** The claim that holds at a time: of those that met in a merge the last in order that is not over (LEASE-9). */
export function holding({ lease, displaced }: Claimable, now: string): Lease | null {
  return inEffect(lease, now) ? lease : (displaced?.find((one) => inEffect(one, now)) ?? null);
}

/** The claim that stands, and those that hold after it. */
export function allClaims({ lease, displaced = [] }: Claimable): readonly Lease[] {
  return lease ? [lease, ...displaced] : [];
}

/** A renewed claim is the same one. */
export function isSameClaim(one: Pick<Lease, "by" | "fence">, other: Pick<Lease, "by" | "fence">): boolean {
  return one.by === other.by && one.fence === other.fence;
}

/** Leases that cover a place at a time: its own, those of the steps above it, and that of the whole; the nearest first. */
export function covering(entity: Entity, place: Step | null, now: string): Held[] {
  const held: Held[] = [];
  for (let step = place; step; step = step.parent) hold(held, step, step, now);
  hold(held, entity, null, now);
  return held;
}

/** Leases of live steps below a place, at a time. */
export function heldBelow(entity: Entity, place: Step | null, now: string): Held[] {
  const held: Held[] = [];
  const look = (steps: readonly Step[]): void => {
    for (const step of steps) {
      if (step.deleted) continue;
      hold(held, step, step, now);
      look(step.children);
    }
  };
  look(place ? place.children : entity.children);
  return held;
}

/** Leases of a whole and of what is in it, at a time. */
export function heldIn(entity: Entity, now: string): Held[] {
  const held: Held[] = [];
  hold(held, entity, null, now);
  return [...held, ...heldBelow(entity, null, now)];
}

/** Returns the claim of another actor that ends last: until then `by` cannot change the places. A reader without a name holds none of them. */
export function lastOfOthers(held: readonly Held[], by: string | undefined): Held | undefined {
  const theirs = held.filter(({ lease }) => lease.by !== by);
  return theirs.toSorted((a, b) => (a.lease.expires_at < b.lease.expires_at ? 1 : -1))[0];
}

function hold(held: Held[], of: Claimable, on: Step | null, now: string): void {
  const lease = holding(of, now);
  if (lease) held.push({ on, lease });
}
