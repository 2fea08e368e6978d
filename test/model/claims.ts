/** The model's claims (LEASE rules). */
import type { Change, Entity, Lease } from "./entity.ts";
import { dueSteps, refuse, steps, upFrom } from "./entity.ts";
import { openChildren } from "./steps.ts";

/** Who asks, when, and with which claim in hand. */
export interface Asking {
  by: string;
  now: number;
  fence?: number | undefined;
}

type Held = { place: string; lease: Lease };

const heldAt = (entity: Entity, places: readonly string[], now: number): Held[] =>
  places.flatMap((place) => {
    const lease = entity.leases[place];
    return lease && lease.expires > now ? [{ place, lease }] : [];
  });

const covering = (entity: Entity, place: string, now: number): Held[] => heldAt(entity, upFrom(place), now);
const within = (entity: Entity, place: string, now: number): Held[] => heldAt(entity, steps(entity, place), now);

export function claim(change: Change, place: string, ttl: number, { by, now, fence }: Asking): void {
  const { entity } = change;
  const ended = ["DONE", "FAILED", "CANCELED"].includes(change.whole["status"] as string);
  if (ended || change.at(place)["done"] === true) refuse("ALREADY_DONE");
  const own = entity.leases[place];
  const renews = own !== undefined && own.expires > now && own.by === by && own.fence === fence;
  if (fence !== undefined && !renews) refuse("LEASE_LOST");
  for (const held of [...covering(entity, place, now), ...within(entity, place, now)])
    if (held.lease.by !== by || (held.place === place && !renews)) refuse("LEASE_HELD");
  entity.leases[place] = { by, expires: now + ttl * 1000, fence: renews ? own.fence : entity.ops.length + 1 };
  change.undoable = false;
  change.touch(place);
}

export function release(
  change: Change,
  place: string,
  how: { force?: boolean; reason?: string },
  asking: Asking,
): void {
  const lease = change.entity.leases[place];
  if (!lease || (asking.fence !== undefined && lease.fence !== asking.fence)) return refuse("LEASE_LOST");
  if (how.force === true && how.reason === undefined) refuse("INVALID_INPUT");
  if (how.force !== true && lease.by !== asking.by && lease.expires > asking.now) refuse("LEASE_HELD");
  delete change.entity.leases[place];
  change.undoable = false;
  change.touch(place);
}

/**
 * What others have claimed is not changed, and nothing by an actor whose own claim is over (LEASE-4). `leases` are
 * those from before the change, which may end some.
 */
export function refuseClaimed(change: Change, leases: Entity["leases"], { by, now, fence }: Asking): void {
  const { abouts } = change;
  const entity = { ...change.entity, leases };
  for (const { place, free, gone } of abouts) {
    const over = covering(entity, place, now);
    const held = [...over, ...(gone ? within(entity, place, now) : [])];
    if (!free && held.some(({ lease }) => lease.by !== by)) refuse("LEASE_HELD");
    if (fence !== undefined && !over.some(({ lease }) => lease.fence === fence)) refuse("LEASE_LOST");
  }
}

const MODES = ["off", "warn", "require"];
const modesOf = ({ places }: Entity, step: string): [string, number][] =>
  Object.entries(places[step]!).flatMap(([key, mode]) =>
    key.startsWith("proof.") ? [[key, MODES.indexOf((mode ?? "off") as string)]] : [],
  );

/** Proof modes of steps that the asker holds: the one who works on a step asks no less of it (PROOF-111). Gives the check for after the change. */
export function boundModes({ entity }: Change, { by, now }: Asking): () => void {
  const bound = steps(entity)
    .filter((step) => covering(entity, step, now).some(({ lease }) => lease.by === by))
    .map((step) => ({ step, before: modesOf(entity, step) }));
  return () => {
    for (const { step, before } of bound) {
      const after = new Map(modesOf(entity, step));
      const isMilder = before.some(([key, mode]) => (after.get(key) ?? 0) < mode);
      if (entity.places[step]!["deleted"] === false && isMilder) refuse("TERMS_HELD");
    }
  };
}

/** What a call changes has to be free before anything else is asked of it (LEASE-4). */
export function refuseHeld(change: Change, place: string, asking: Asking): void {
  const about = { place, free: false, gone: false };
  refuseClaimed({ entity: change.entity, abouts: [about] } as unknown as Change, change.entity.leases, asking);
}

/** Whether any step of it is claimed. */
export const hasClaims = (entity: Entity, now: number): boolean => within(entity, "", now).length > 0;

/** The first step that can be taken up (LEASE-7). */
export function firstReady(entity: Entity, now: number): string | undefined {
  return dueSteps(entity).find((step) => {
    const { done, blocked, blockers } = entity.places[step]!;
    const isBlocked = blocked === true || (Array.isArray(blockers) && blockers.length > 0);
    if (done === true || isBlocked || openChildren(entity, step).length > 0) return false;
    return covering(entity, step, now).length === 0 && within(entity, step, now).length === 0;
  });
}
