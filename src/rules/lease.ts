/** Leases (LEASE rules): who works on what. The engine's time decides what has expired; the fold knows no clock. */
import { lengthText } from "../state/length_text.ts";
import type { Suggestion } from "../errors.ts";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { namedTime, worded } from "../message.ts";
import { remedy } from "../remedy.ts";
import type { NamedCall } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { EVENTS } from "../events/index.ts";
import { leaseClaimed } from "../events/lease.claimed.ts";
import { leaseReleased } from "../events/lease.released.ts";
import { hasEnded } from "../state/ended.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { Claimable, Entity, Lease, Link, Step, Subject } from "../state/entity.ts";
import type { Held } from "../state/lease.ts";
import { covering, heldBelow, holding, inEffect, lastOfOthers } from "../state/lease.ts";
import { firstReady } from "../state/first_ready.ts";
import { pathOf } from "../state/tree.ts";
import { nameOf, sentence } from "./phrase.ts";
import { callOn } from "./suggest.ts";
import { givenText } from "./text.ts";

export const DEFAULT_TTL_S = 900;
export const LONGEST_TTL_S = 7 * 24 * 3600;

/** The caller, the time, and the claim that the caller names. */
export interface Asking {
  by: string;
  now: string;
  fence?: number | undefined;
}

/** For how long, and when that is. */
export interface Term {
  ttl_s: number;
  expires_at: string;
}

/** Takes a step, or with null the whole. With the number of one's own claim it is renewed. */
export function claim(subject: Subject, step: Step | null, term: Term, asking: Asking): Draft[] {
  const { entity } = subject;
  refuseClosed(subject, step);
  const own = holding(step ?? entity, asking.now);
  const renews = own !== null && own.by === asking.by && own.fence === asking.fence;
  if (asking.fence !== undefined && !renews) throw lost(subject, step, asking);
  for (const held of [...covering(entity, step, asking.now), ...heldBelow(entity, step, asking.now)]) {
    const mine = held.lease.by === asking.by && (held.on !== step || renews);
    if (!mine) throw isHeld(subject, held, asking, held.lease.by === asking.by);
  }
  const message = sentence(
    `${renews ? "Renewed the claim on" : "Claimed"} ${placeName(subject, step)} for ${lengthText(term.ttl_s)}`,
  );
  const fence = renews ? own.fence : entity.revision + 1;
  return [leaseClaimed.draft({ step_id: step?.id ?? null, ...term, fence, message })];
}

export interface Release {
  force?: boolean;
  reason?: string;
}

/** Gives a claim back; another caller's that has not expired only by force and with a reason. */
export function release(subject: Subject, step: Step | null, how: Release, asking: Asking): Draft[] {
  const { entity } = subject;
  const reason = givenText(how.reason, "reason");
  const lease = lastAt(step ?? entity, asking.now);
  // Where branches disagree, giving back also resolves that.
  const disputed = entity.conflicts.has(`${(step ?? entity).$}lease`);
  if ((!lease && !disputed) || (asking.fence !== undefined && lease?.fence !== asking.fence)) {
    throw lost(subject, step, asking);
  }
  if (how.force === true && reason === undefined) {
    throw new TaskfoldError("INVALID_INPUT", "Expected a reason with force, found none.", {
      recovery: "Say in reason why another caller's claim ends.",
      suggestions: [releaseCall(subject, step)],
    });
  }
  if (inEffect(lease, asking.now) && lease.by !== asking.by && how.force !== true) {
    throw isHeld(subject, { on: step, lease }, asking);
  }
  const whose = lease && lease.by !== asking.by ? ` of ${lease.by}` : "";
  const message = sentence(`Released the claim${whose} on ${placeName(subject, step)}`, reason);
  const ended = lease && { by: lease.by, fence: lease.fence };
  const why = reason === undefined ? {} : { reason };
  return [leaseReleased.draft({ step_id: step?.id ?? null, claim: ended, ...why, message })];
}

/**
 * Refuses events about places that another caller has claimed (LEASE-4), and any event of a caller whose own claim,
 * named by its number, is over (LEASE-4).
 */
export function refuseLeased(subject: Subject, drafts: readonly Draft[], asking: Asking): void {
  if (asking.by === "system") return;
  // A run that is over is a fact: a claim of the step whose tests it proves does not keep it out of the log
  // (PACKET-220).
  const ran = drafts.some(({ type }) => type === "stage.finished");
  const closes = drafts.some(({ type }) => type === "step.done");
  for (const draft of drafts) {
    // A task that is completed with its last step asks for no claim beside that on the step.
    if (closes && draft.type === "task.completed") continue;
    const free = EVENTS[draft.type]?.free === true;
    // Most changes are notes of people without a claim: they cost no look at the tree.
    if ((free && asking.fence === undefined) || draft.type.startsWith("lease.")) continue;
    const gone = ["step.deleted", "task.deleted", "task.archived"].includes(draft.type);
    for (const place of ran ? [null] : placesIn(subject, draft.payload))
      refuseAt(subject, place, asking, { free, gone });
  }
}

/** The same for a call that changes a place, before any rule says what is missing there: first of all it has to be free (LEASE-4). */
export function refuseHeld(subject: Subject, place: Step | null, asking: Asking): void {
  if (asking.by !== "system") refuseAt(subject, place, asking, { free: false, gone: false });
}

/** Whether no other actor has claimed the place. */
export function isFree({ entity }: Subject, place: Step | null, { by, now }: Asking): boolean {
  return by === "system" || covering(entity, place, now).every(({ lease }) => lease.by === by);
}

/** Whether no other actor has claimed a place that the evidence is linked to. */
export function maySupersede(subject: Subject, evidence: string, asking: Asking): boolean {
  const steps = linkedTo(subject.entity, new Set([evidence]));
  return (steps.length === 0 ? [null] : steps).every((place) => isFree(subject, place, asking));
}

/** Returns the claim of another actor that refuses a call with this input, of those that end last. `below`: the call takes what is below the place, too. */
export function heldFrom(
  subject: Subject,
  args: Readonly<Record<string, unknown>>,
  { by, now }: Asking,
  below = false,
): Held | undefined {
  if (by === "system") return undefined;
  const { entity } = subject;
  const held = placesIn(subject, args).flatMap((place) => [
    ...covering(entity, place, now),
    ...(below ? heldBelow(entity, place, now) : []),
  ]);
  return lastOfOthers(held, by);
}

function refuseAt(subject: Subject, place: Step | null, asking: Asking, how: { free: boolean; gone: boolean }): void {
  const { entity } = subject;
  const over = covering(entity, place, asking.now);
  const held = [...over, ...(how.gone ? heldBelow(entity, place, asking.now) : [])].find(
    ({ lease }) => lease.by !== asking.by,
  );
  if (held && !how.free) throw isHeld(subject, held, asking);
  if (asking.fence !== undefined && !over.some(({ lease }) => lease.fence === asking.fence)) {
    throw lost(subject, place, asking);
  }
}

/** Returns the places that an event is about: steps, or null for the whole. */
function placesIn({ entity }: Subject, payload: Readonly<Record<string, unknown>>): (Step | null)[] {
  const { step_id, parent, gateId, fields, supersedes } = payload;
  const ids = [step_id, parent, typeof gateId === "string" ? gateId.replace(/^gate-/, "") : undefined];
  if (Array.isArray(fields)) {
    for (const { field } of fields as { field: string }[]) {
      const [, kind, id] = /^(step|node|gate)\.(?:gate-)?([^.]+)/.exec(field) ?? [];
      ids.push(kind === "node" ? entity.nodes.get(id ?? "")?.step : id);
    }
  }
  const steps = ids.flatMap((id) => (typeof id === "string" ? (entity.steps.get(id) ?? []) : []));
  if (Array.isArray(supersedes)) steps.push(...linkedTo(entity, new Set(supersedes as string[])));
  return steps.length === 0 ? [null] : [...new Set(steps)];
}

/** Steps of which evidence is put aside, whichever step the call names. */
function linkedTo({ steps, facts }: Entity, refs: ReadonlySet<string>): Step[] {
  const isOf = ({ evidence: id }: Link): boolean => refs.has(facts.get(id)?.derived ?? id);
  return [...steps.values()].filter(({ linked }) => CHECKPOINTS.some((c) => linked[c].some(isOf)));
}

function refuseClosed(subject: Subject, step: Step | null): void {
  const { status, kind } = subject.entity;
  const ended = hasEnded({ status });
  if (!ended && step?.done !== true) return;
  const found = ended ? `${subject.id} is ${status}` : `${nameOf(step!)} is closed`;
  throw new TaskfoldError("ALREADY_DONE", `Expected an open ${step ? "step" : kind} to claim; ${found}.`, {
    recovery: "Take up another one.",
    suggestions: [callOn(subject, "tasks_radar", {}, "See what is open.")],
  });
}

/** Names the call that ends a claim of another. The place is that of the claim, which may stand above the place of the refused call. */
function forcedRelease({ id, entity }: Subject, on: Step | null): NamedCall {
  const place = on ? { path: pathOf(on) } : {};
  const input = { [entity.kind]: id, ...place, force: true, reason: "WHY" };
  return { tool: "tasks_release", input, text: "tasks_release, force and a reason" };
}

/** `own`: the claim has the caller's name and was not shown by its number, so it may be another one's of that name. */
function isHeld(subject: Subject, { on, lease }: Held, { now }: Asking, own = false): TaskfoldError {
  const { by, expires_at, fence } = lease;
  const place = on ? { step_id: on.id } : {};
  return new TaskfoldError(
    "LEASE_HELD",
    worded`Expected ${placeName(subject, on)} to be free; ${by} has claimed it until ${namedTime(expires_at)} (claim ${fence}).`,
    {
      ...(own
        ? { recovery: `If this claim is yours, call with fence ${fence}; another one of your name may have it.` }
        : remedy`Take up something else, wait until it expires, or end the claim with ${forcedRelease(subject, on)}.`),
      suggestions: [
        own
          ? callOn(subject, "tasks_claim", { ...place, fence }, "Renew it, if it is yours.")
          : otherCall(subject, now),
      ],
      details: { by, expires_at, fence, ...place },
    },
  );
}

/** Returns another call that is possible here, as far as this log alone tells. */
function otherCall(subject: Subject, now: string): Suggestion {
  const { entity } = subject;
  const mayGoOn = entity.kind === "task" && !hasEnded(entity) && entity.depends_on.length === 0;
  if (mayGoOn && firstReady(entity, now)) return callOn(subject, "tasks_claim_next", {}, "Take up what is free.");
  return callOn(subject, "tasks_radar", {}, "See who has claimed what.");
}

function lost(subject: Subject, step: Step | null, asking: Asking): TaskfoldError {
  const { fence, now } = asking;
  const lease = lastAt(step ?? subject.entity, now);
  const until = inEffect(lease, now) ? "until" : "which expired at";
  const found = lease ? worded`claim ${lease.fence} of ${lease.by} ${until} ${namedTime(lease.expires_at)}` : "none";
  const meant = fence === undefined ? "a claim" : `claim ${fence} to be in effect`;
  return new TaskfoldError("LEASE_LOST", worded`Expected ${meant} on ${placeName(subject, step)}, found ${found}.`, {
    recovery: "Look at what was done meanwhile, then claim it again or take up something else.",
    suggestions: claimCalls(subject, step, asking),
    details: { lease, expired: lease !== null && !inEffect(lease, now), ...(step ? { step_id: step.id } : {}) },
  });
}

/** Claiming it now, or what is offered where that would be refused. */
function claimCalls(subject: Subject, step: Step | null, { by, now }: Asking): Suggestion[] {
  try {
    claim(subject, step, { ttl_s: DEFAULT_TTL_S, expires_at: now }, { by, now });
  } catch (e) {
    if (isTaskfoldError(e)) return e.suggestions;
    throw e;
  }
  return [callOn(subject, "tasks_claim", step ? { step_id: step.id } : {}, "Claim it again.")];
}

function releaseCall(subject: Subject, step: Step | null) {
  const args = { ...(step ? { step_id: step.id } : {}), force: true, reason: "<fill: why the claim ends>" };
  return callOn(subject, "tasks_release", args, "End the claim.");
}

/** The claim that holds, else the last one, which is over. */
function lastAt(of: Claimable, now: string): Lease | null {
  return holding(of, now) ?? of.lease;
}

function placeName({ entity }: Subject, step: Step | null): string {
  return step ? nameOf(step) : `${entity.kind} "${entity.title}"`;
}
