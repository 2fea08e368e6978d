/** Activity in one log over time: marks, claims from begin to end, stages, and the growth of the log. */
import type { Event, Op } from "../../log/types.ts";
import { messageOf } from "../../events/activity_log.ts";
import { shorten } from "../../state/code_points.ts";
import type { Entity, Step } from "../../state/entity.ts";
import { waitsFor } from "../../state/step_waits.ts";
import { openChildren, preOrder } from "../../state/tree.ts";
import { bounded, piece, stepName } from "../lines.ts";
import type { AgentMark, AgentSpan, MarkKind, StepRef } from "./api.ts";
import { claimsOf } from "./refs.ts";

/** Newest marks of one log that are kept. */
const MOST_MARKS = 2000;
const MOST_SPANS = 1000;
const MOST_TEXT = 200;
const MOST_WHY = 3;

export interface Marked extends AgentMark {
  by: string;
}

export interface Spanned extends AgentSpan {
  by: string;
}

/** A claim that is in the log still, and what keeps its holder from going on; nothing as a rule. */
export interface Waiting {
  by: string;
  step: StepRef | null;
  expires_at: string;
  why: string[];
}

export interface DayOfLog {
  events: number;
  bytes: number;
}

export interface LogActivity {
  marks: Marked[];
  spans: Spanned[];
  /** By actor, those that were left out too. */
  spanCounts: Map<string, number>;
  waits: Waiting[];
  /** By actor and kind, those of marks that were left out too. */
  counts: Map<string, Map<MarkKind, number>>;
  /** First and last time of each actor. */
  times: Map<string, { first: string; last: string }>;
  /** By day in UTC. */
  days: Map<string, DayOfLog>;
  /** Closings, reopenings and changes by hour in UTC: `2026-11-23T08`. */
  hours: Map<string, { closes: number; reopens: number; changes: number }>;
}

/** The most telling event of an op gives its mark. */
const KINDS: [type: string, kind: MarkKind][] = [
  ["stage.failed", "failure"],
  ["stage.interrupted", "kill"],
  ["task.completed", "complete"],
  ["step.done", "close"],
  ["step.reopened", "reopen"],
  ["task.reopened", "reopen"],
  ["undo.applied", "undo"],
  ["redo.applied", "redo"],
  ["step.blocked", "block"],
  ["step.unblocked", "unblock"],
  ["report.generated", "report"],
  ["stage.started", "stage_start"],
  ["stage.passed", "stage_end"],
  ["stage.finished", "stage_end"],
  ["lease.claimed", "claim"],
  ["lease.released", "release"],
  ["evidence.captured", "evidence"],
  ["task.created", "create"],
  ["task.adopted", "create"],
  ["step.noted", "note"],
];

/** Takes the ops of one log in replay order, each with the state after it. */
export class ActivityReader {
  readonly #id: string;
  readonly #activity: LogActivity = {
    marks: [],
    spans: [],
    spanCounts: new Map(),
    waits: [],
    counts: new Map(),
    times: new Map(),
    days: new Map(),
    hours: new Map(),
  };
  /** By place: a step's id, or "" for the whole. */
  readonly #claims = new Map<string, Spanned>();
  /** Releases of places that have no new claim yet. */
  readonly #released = new Map<string, { by: string; ts: string; revision: number }>();

  constructor(id: string) {
    this.#id = id;
  }

  take(op: Op, entity: Entity, bytes: number): void {
    const { events } = op;
    const last = events[events.length - 1]!;
    const revision = op.index + 1;
    const kind = kindOf(events);
    const step = stepIn(events);
    const text = shorten(messageOf(op), MOST_TEXT);
    this.#mark({
      ts: last.ts,
      by: last.by,
      kind,
      entity: this.#id,
      revision,
      step,
      text,
      other: null,
    });
    for (const event of events) this.#follow(event, entity, revision);
    this.#grow(last.ts, events.length, bytes, kind);
  }

  end(entity: Entity): LogActivity {
    this.#endStages(entity);
    this.#activity.waits = waitsIn(entity);
    const { marks, spans, spanCounts } = this.#activity;
    for (const { by } of spans) spanCounts.set(by, (spanCounts.get(by) ?? 0) + 1);
    this.#activity.marks = marks.slice(-MOST_MARKS);
    this.#activity.spans = spans.slice(-MOST_SPANS);
    return this.#activity;
  }

  #follow(event: Event, entity: Entity, revision: number): void {
    const { type, payload } = event;
    const place = typeof payload["step_id"] === "string" ? payload["step_id"] : "";
    if (type === "lease.claimed") this.#claimed(event, place, entity, revision);
    else if (type === "lease.released") this.#letGo(event, place, revision);
    else if (type === "step.done" || type === "step.deleted") this.#end(place, event.ts, "closed");
    else if (type === "task.completed" || type === "task.deleted" || type === "task.archived") {
      for (const open of this.#claims.keys()) this.#end(open, event.ts, "closed");
    }
  }

  #claimed({ ts, by, payload }: Event, place: string, entity: Entity, revision: number): void {
    const { expires_at } = payload;
    if (typeof expires_at !== "string") return;
    const before = this.#claims.get(place);
    if (before?.by === by && ts < before.expires_at!) {
      before.expires_at = expires_at;
      return;
    }
    if (before) this.#takenOver(before, { ts, by, revision }, place);
    this.#handedOver(place, by);
    const step = place === "" ? undefined : entity.steps.get(place);
    const span: Spanned = {
      by,
      kind: "claim",
      entity: this.#id,
      of: place === "" ? null : place,
      title: shorten(step?.title ?? entity.title, MOST_TEXT),
      from: ts,
      to: null,
      expires_at,
      end: "open",
      other: null,
    };
    this.#claims.set(place, span);
    this.#activity.spans.push(span);
  }

  /** Another claim stands there: the holder was not heard of until its end, or another branch claimed it as well. */
  #takenOver(before: Spanned, taker: { ts: string; by: string; revision: number }, place: string): void {
    this.#claims.delete(place);
    const isOver = taker.ts >= before.expires_at!;
    before.to = isOver ? before.expires_at : taker.ts;
    if (before.by === taker.by) {
      before.end = "expired";
      return;
    }
    before.end = isOver ? "killed" : "taken";
    before.other = taker.by;
    this.#turn({ ...taker, kind: "take_over" }, before, before.by);
    if (isOver) this.#turn({ ts: before.to!, by: before.by, revision: taker.revision, kind: "kill" }, before, taker.by);
  }

  #letGo({ ts, by }: Event, place: string, revision: number): void {
    const span = this.#claims.get(place);
    if (!span) return;
    const isOwn = span.by === by;
    this.#end(place, ts, isOwn ? "released" : "taken");
    if (isOwn) this.#released.set(place, { by, ts, revision });
    else {
      span.other = by;
      this.#turn({ ts, by, revision, kind: "take_over" }, span, span.by);
      this.#turn({ ts, by: span.by, revision, kind: "kill" }, span, by);
    }
  }

  /** Given back by one and claimed by another. */
  #handedOver(place: string, to: string): void {
    const from = this.#released.get(place);
    this.#released.delete(place);
    if (!from || from.by === to) return;
    const span = this.#activity.spans.findLast((one) => one.of === (place === "" ? null : place) && one.by === from.by);
    if (!span) return;
    span.other = to;
    this.#turn({ ...from, kind: "hand_over" }, span, to);
  }

  #end(place: string, ts: string, how: Spanned["end"]): void {
    const span = this.#claims.get(place);
    if (!span) return;
    this.#claims.delete(place);
    const isOver = ts > span.expires_at!;
    span.to = isOver ? span.expires_at : ts;
    span.end = isOver && how !== "closed" ? "expired" : how;
  }

  #turn(
    { ts, by, revision, kind }: { ts: string; by: string; revision: number; kind: MarkKind },
    span: Spanned,
    other: string,
  ): void {
    this.#mark({ ts, by, kind, entity: this.#id, revision, step: span.of, text: span.title, other });
  }

  #mark(mark: Marked): void {
    const { marks, counts, times } = this.#activity;
    marks.push(mark);
    if (marks.length > 2 * MOST_MARKS) marks.splice(0, MOST_MARKS);
    const of = counts.get(mark.by) ?? new Map<MarkKind, number>();
    of.set(mark.kind, (of.get(mark.kind) ?? 0) + 1);
    counts.set(mark.by, of);
    const time = times.get(mark.by);
    if (!time) times.set(mark.by, { first: mark.ts, last: mark.ts });
    else if (mark.ts < time.first) time.first = mark.ts;
    else if (mark.ts > time.last) time.last = mark.ts;
  }

  #grow(ts: string, events: number, bytes: number, kind: MarkKind): void {
    const { days, hours } = this.#activity;
    const day = days.get(ts.slice(0, 10)) ?? { events: 0, bytes: 0 };
    day.events += events;
    day.bytes += bytes;
    days.set(ts.slice(0, 10), day);
    const hour = hours.get(ts.slice(0, 13)) ?? { closes: 0, reopens: 0, changes: 0 };
    hour.changes++;
    if (kind === "close") hour.closes++;
    if (kind === "reopen") hour.reopens++;
    hours.set(ts.slice(0, 13), hour);
  }

  #endStages({ packet }: Entity): void {
    for (const { stage, by, started_at, ended } of packet?.attempts ?? []) {
      this.#activity.spans.push({
        by,
        kind: "stage",
        entity: this.#id,
        of: stage,
        title: stage,
        from: started_at,
        to: ended ? (ended.end ?? ended.ts) : null,
        expires_at: null,
        end: ended?.how ?? "open",
        other: null,
      });
    }
  }
}

function kindOf(events: readonly Event[]): MarkKind {
  for (const [type, kind] of KINDS) {
    const event = events.find((one) => one.type === type);
    if (event) return kind === "evidence" && hasFailedRun(events) ? "failure" : kind;
  }
  return "change";
}

function hasFailedRun(events: readonly Event[]): boolean {
  return events.some(({ type, payload }) => {
    const items = type === "evidence.captured" ? payload["items"] : undefined;
    return Array.isArray(items) && items.some((item) => isFailed(item));
  });
}

function isFailed(item: unknown): boolean {
  const code = (item as { exit_code?: unknown } | null)?.exit_code;
  return typeof code === "number" && code !== 0;
}

function stepIn(events: readonly Event[]): string | null {
  for (const { payload } of events) if (typeof payload["step_id"] === "string") return payload["step_id"];
  return null;
}

/** Claims with what stands in the way inside of the task; the rows know of work elsewhere. */
function waitsIn(entity: Entity): Waiting[] {
  return claimsOf(entity).map(({ by, step: ref, expires_at }) => {
    const step = ref && entity.steps.get(ref.id);
    return { by, step: ref, expires_at, why: step ? whyNot(entity, step) : whyNothing(entity) };
  });
}

/** The holder of the whole goes on as long as nothing stands in the way of one open step. */
function whyNothing(entity: Entity): string[] {
  const open = [...preOrder(entity.children)].filter((step) => !step.done && openChildren(step).length === 0);
  const why = open.map((step) => whyNot(entity, step).map((one) => `${stepName(step)}: ${one}`));
  return why.some((lines) => lines.length === 0) ? [] : bounded(why.flat(), MOST_WHY);
}

function whyNot(entity: Entity, step: Step): string[] {
  return bounded(
    [
      ...(step.blocked ? [`blocked${step.block_reason === null ? "" : `: ${piece(step.block_reason)}`}`] : []),
      ...step.blockers.map((blocker) => `waits for: ${piece(blocker)}`),
      ...waitsFor(entity, step).map((one) => `waits for ${stepName(one)}`),
    ],
    MOST_WHY,
  );
}
