/**
 * The claims of a place as events change them. The door refuses a claim on what is held. So if one comes while another one runs, the two
 * were made on different branches. The later one stands, and the other one behind it, until that ends (LEASE-9).
 */
import type { Entity, Lease, Step } from "../state/entity.ts";
import { allClaims, inEffect, isSameClaim } from "../state/lease.ts";
import type { Writer } from "./writer.ts";

/** Claims that still run then stay behind the new one, which replaces itself where it was renewed. */
export function addClaim(at: Step | Entity, lease: Lease, w: Writer): void {
  const behind = allClaims(at).filter((one) => inEffect(one, lease.claimed_at) && !isSameClaim(one, lease));
  w.write(at as Entity, "lease", lease);
  setDisplaced(at, behind, w);
}

/** Ends the claim of this holder and number, and those that are over at that time. Any other one stays, and the first of them stands (LEASE-9). */
export function endClaim(at: Step | Entity, named: Pick<Lease, "by" | "fence">, ts: string, w: Writer): void {
  const claims = allClaims(at);
  const isThere = claims.some((one) => isSameClaim(one, named));
  const left = isThere ? claims.filter((one) => inEffect(one, ts) && !isSameClaim(one, named)) : claims;
  const [next, ...behind] = left;
  if (!next) return endAllClaims(at, w);
  // No caller wrote that this one stands: for conflicts the release wrote that none does.
  w.say(`${at.$}lease`, null);
  if (next !== at.lease) w.writeUntracked(at as Entity, "lease", next);
  setDisplaced(at, behind, w);
}

export function endAllClaims(at: Step | Entity, w: Writer): void {
  w.write(at as Entity, "lease", null);
  setDisplaced(at, [], w);
}

function setDisplaced(at: Step | Entity, claims: readonly Lease[], w: Writer): void {
  const { displaced = [] } = at;
  if (claims.length === displaced.length && claims.every((one, i) => one === displaced[i])) return;
  w.writeUntracked(at as Entity, "displaced", claims.length === 0 ? undefined : claims);
}
