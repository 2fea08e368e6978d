/**
 * The claims of one log from begin to end. Which claims stand is what the state after each op says, so that no way in which a
 * claim ends is missed. Events only tell who ended one, and how.
 */
import type { Event, Op } from "../../log/types.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { shorten } from "../../state/code_points.ts";
import type { Entity, Lease } from "../../state/entity.ts";
import { inEffect } from "../../state/lease.ts";
import { isLive } from "../../state/live.ts";
import { preOrder } from "../../state/tree.ts";
import type { AgentMark, AgentSpan } from "./api.ts";
import { claimsOf } from "./refs.ts";

const MAX_TITLE = 200;
/** Place of a claim of the whole; else it is the id of a step. */
const WHOLE = "";

export interface Spanned extends AgentSpan {
  by: string;
  /** It ran out, and this change took it over. Whether its holder was alive meanwhile, all logs together tell. */
  takenOver?: { ts: string; revision: number };
}

export interface Marked extends AgentMark {
  by: string;
}

interface Running {
  span: Spanned;
  lease: Lease;
}

/** A claim that ended before its work did: another actor may go on with it. */
interface Left {
  span: Spanned;
  ts: string;
  revision: number;
}

export interface ClaimChanges {
  marks: Marked[];
  /** Holder whose claim the op ended by force. */
  revoked: string | null;
}

export class ClaimSpans {
  readonly spans: Spanned[] = [];
  readonly #id: string;
  readonly #lastActOf: (by: string) => string | undefined;
  readonly #running = new Map<string, Running>();
  readonly #left = new Map<string, Left>();
  #away = false;

  /** `lastActOf`: time of the last act in this log of an actor. */
  constructor(id: string, lastActOf: (by: string) => string | undefined) {
    this.#id = id;
    this.#lastActOf = lastActOf;
  }

  /** `entity` as it is after the op. */
  take(op: Op, entity: Entity, revision: number): ClaimChanges {
    const changes: ClaimChanges = { marks: [], revoked: null };
    for (const place of this.#placesWritten(op, entity)) {
      const running = this.#running.get(place);
      const lease = leaseAt(entity, place);
      if (running && lease !== running.lease && !goesOn(running, lease)) this.#end(place, op, lease, changes, revision);
    }
    const last = op.events.at(-1)!;
    for (const place of this.#placesToLook(op, entity)) {
      const lease = leaseAt(entity, place);
      if (!lease || this.#running.has(place)) continue;
      const claimed = eventAt(op, "lease.claimed", place);
      const from = claimed?.ts ?? last.ts;
      // A restore may bring back a claim that ran out meanwhile.
      if (!inEffect(lease, from)) continue;
      if (claimed) changes.marks.push(...this.#takeOver(place, entity, { by: lease.by, ts: from, revision }));
      this.#begin(place, entity, lease, from);
    }
    return changes;
  }

  /** An event of a step changes what is held at it and below it: a log may have thousands of claims, and as many events. */
  #placesWritten({ events }: Op, entity: Entity): Iterable<string> {
    if (events.some((event) => placeOf(event) === WHOLE && event.type !== "lease.claimed"))
      return [...this.#running.keys()];
    return new Set(events.flatMap((event) => [...this.#placesFrom(placeOf(event), entity)]));
  }

  #placesFrom(place: string, entity: Entity): string[] {
    const below = [...preOrder(entity.steps.get(place)?.children ?? [])].map(({ id }) => id);
    return [place, ...below];
  }

  /** Claims begin where an event says so, or again where one that displaced them ends. A restore may bring back those that stood before. */
  #placesToLook({ events }: Op, entity: Entity): string[] {
    const wasAway = this.#away;
    this.#away = isArchivedOrDeleted(entity);
    if (wasAway && !this.#away) return claimsOf(entity).map(({ step }) => step?.id ?? WHOLE);
    return events.filter(({ type }) => type.startsWith("lease.")).map(placeOf);
  }

  #begin(place: string, entity: Entity, lease: Lease, from: string): void {
    const step = entity.steps.get(place);
    const span: Spanned = {
      by: lease.by,
      kind: "claim",
      entity: this.#id,
      of: place === WHOLE ? null : place,
      title: shorten(step?.title ?? entity.title, MAX_TITLE),
      from,
      to: null,
      expires_at: lease.expires_at,
      end: "open",
      other: null,
    };
    this.#running.set(place, { span, lease });
    this.spans.push(span);
  }

  #end(place: string, op: Op, next: Lease | null, changes: ClaimChanges, revision: number): void {
    const { span } = this.#running.get(place)!;
    this.#running.delete(place);
    // It was taken over before, from above or from below.
    if (span.end !== "open") return;
    const released = eventAt(op, "lease.released", place);
    const { ts, by } = released ?? op.events.at(-1)!;
    const isOver = ts >= span.expires_at!;
    span.to = isOver ? span.expires_at : ts;
    if (!released && !next) {
      span.end = isOver && by !== span.by ? "expired" : "closed";
      return;
    }
    this.#left.set(place, { span, ts, revision });
    if (isOver) span.end = "expired";
    else if (!released) span.end = "taken";
    else if (by === span.by) span.end = "released";
    else {
      Object.assign(span, { end: "revoked", other: by });
      changes.revoked = span.by;
    }
  }

  /** One goes on where claims of others at this place, around it or in it ended before the work was done. */
  #takeOver(place: string, entity: Entity, taker: { by: string; ts: string; revision: number }): Marked[] {
    const marks: Marked[] = [];
    const from = new Set<string>();
    for (const { span, ts, revision } of this.#leftAround(place, entity, taker)) {
      if (span.by === taker.by) continue;
      span.other ??= taker.by;
      if (span.end === "released") {
        marks.push(this.#mark({ ts, by: span.by, revision, kind: "hand_over" }, span, taker.by));
        continue;
      }
      if (span.end === "expired" && !this.#isHeardOf(span)) span.takenOver = { ts: taker.ts, revision: taker.revision };
      if (!from.has(span.by)) marks.push(this.#mark({ ...taker, kind: "take_over" }, span, span.by));
      from.add(span.by);
    }
    return marks;
  }

  #isHeardOf({ by, to }: Spanned): boolean {
    const last = this.#lastActOf(by);
    return last !== undefined && to !== null && last > to;
  }

  /** Taken out of what is left: each is gone on with once. A claim that was given back is handed over at its own place alone. */
  #leftAround(place: string, entity: Entity, at: { ts: string; revision: number }): Left[] {
    const found: Left[] = [];
    for (const one of this.#placesAround(place, entity)) {
      const left = this.#left.get(one);
      if (left && (one === place || left.span.end !== "released")) {
        this.#left.delete(one);
        found.push(left);
      }
      const span = this.#running.get(one)?.span;
      if (span?.end !== "open" || at.ts < span.expires_at!) continue;
      Object.assign(span, { end: "expired", to: span.expires_at });
      found.push({ span, ...at });
    }
    return found;
  }

  /** It, what is above it, and what is below it. */
  #placesAround(place: string, entity: Entity): Iterable<string> {
    if (place === WHOLE) return new Set([WHOLE, ...this.#running.keys(), ...this.#left.keys()]);
    const around = [WHOLE];
    const step = entity.steps.get(place) ?? null;
    for (let above = step; above; above = above.parent) around.push(above.id);
    for (const below of preOrder(step?.children ?? [])) around.push(below.id);
    return around;
  }

  #mark(mark: Pick<Marked, "ts" | "by" | "revision" | "kind">, { of, title }: Spanned, other: string): Marked {
    return { ...mark, entity: this.#id, step: of, text: title, other };
  }
}

function placeOf({ payload }: Event): string {
  return typeof payload["step_id"] === "string" ? payload["step_id"] : WHOLE;
}

function eventAt({ events }: Op, type: string, place: string): Event | undefined {
  return events.findLast((one) => one.type === type && placeOf(one) === place);
}

/** Nothing is held in what was put away or deleted. */
function leaseAt(entity: Entity, place: string): Lease | null {
  if (isArchivedOrDeleted(entity)) return null;
  if (place === WHOLE) return entity.lease;
  const step = entity.steps.get(place);
  return step && isLive(step) ? step.lease : null;
}

/** The holder renewed it in time. */
function goesOn(running: Running, lease: Lease | null): boolean {
  const { span } = running;
  if (!lease || lease.by !== span.by || span.end !== "open" || lease.claimed_at >= span.expires_at!) return false;
  running.lease = lease;
  span.expires_at = lease.expires_at;
  return true;
}
