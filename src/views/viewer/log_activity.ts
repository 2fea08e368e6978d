/** Activity in one log over time: marks, claims from begin to end, stages, and the growth of the log. */
import { phrased } from "../../sentence.ts";
import type { Sentence } from "../../sentence.ts";
import type { Event, Op } from "../../log/types.ts";
import { messageOf } from "../../events/activity_log.ts";
import { shorten } from "../../state/code_points.ts";
import type { Entity, Step } from "../../state/entity.ts";
import { waitsFor } from "../../state/step_waits.ts";
import { openChildren, preOrder } from "../../state/tree.ts";
import { because, boundedLines, piece, stepName } from "../lines.ts";
import type { MarkKind, StepRef } from "./api.ts";
import type { Marked, Spanned } from "./claim_spans.ts";
import { ClaimSpans } from "./claim_spans.ts";
import { claimsOf } from "./refs.ts";
import { endOf } from "./packet_item.ts";

/** Newest marks of one log that are kept. */
export const MAX_MARKS = 2000;
const MAX_SPANS = 1000;
const MAX_TEXT = 200;
const MAX_WHY = 3;

/** A claim that is in the log still, and what keeps its holder from going on; nothing as a rule. */
export interface Waiting {
  by: string;
  step: StepRef | null;
  expires_at: string;
  why: Sentence[];
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
  /** Changes by hour in UTC (`2026-11-23T08`), and the closings and reopenings in them that were not taken back. */
  hours: Map<string, { closes: number; reopens: number; changes: number }>;
}

/** Closings and reopenings of an op, and whether they stand. */
interface Counted {
  hour: string;
  closes: number;
  reopens: number;
  stands: boolean;
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
  readonly #claims: ClaimSpans;
  /** By the run of an attempt: the other actor who ended it. */
  readonly #interruptedBy = new Map<string, string>();
  /** By the hash of their op: those that an undo may take back. */
  readonly #counted = new Map<string, Counted>();

  constructor(id: string) {
    this.#id = id;
    this.#claims = new ClaimSpans(id, (by) => this.#activity.times.get(by)?.last);
  }

  take(op: Op, entity: Entity, bytes: number): void {
    const { events } = op;
    const last = events[events.length - 1]!;
    const revision = op.index + 1;
    const interrupted = this.#interrupted(events, entity);
    const kind = interrupted.length > 0 ? "take_over" : kindOf(events);
    const mark = {
      ts: last.ts,
      entity: this.#id,
      revision,
      step: stepIn(events),
      text: shorten(messageOf(op), MAX_TEXT),
    };
    const { marks, revoked } = this.#claims.take(op, entity, revision);
    this.#mark({ ...mark, by: last.by, kind, other: interrupted[0] ?? revoked });
    this.#act(last.by, last.ts);
    for (const by of interrupted) this.#mark({ ...mark, by, kind: "kill", other: last.by });
    for (const one of marks) this.#mark(one);
    for (const event of events) this.#turnBack(event);
    this.#grow(op, bytes, kind);
  }

  end(entity: Entity): LogActivity {
    this.#activity.spans = [...this.#claims.spans];
    this.#addStages(entity);
    this.#activity.waits = waitsIn(entity);
    const { marks, spans, spanCounts } = this.#activity;
    for (const { by } of spans) spanCounts.set(by, (spanCounts.get(by) ?? 0) + 1);
    this.#activity.marks = marks.slice(-MAX_MARKS);
    this.#activity.spans = spans.slice(-MAX_SPANS);
    return this.#activity;
  }

  /** Actors whose attempts another one ended: they were killed, and that one goes on. */
  #interrupted(events: readonly Event[], { packet }: Entity): string[] {
    const holders = events.flatMap(({ type, by, payload }) => {
      if (type !== "stage.interrupted") return [];
      const attempt = packet?.attempts.find(({ run }) => run === payload["run"]);
      if (!attempt || attempt.by === by || attempt.ended?.how !== "interrupted") return [];
      this.#interruptedBy.set(attempt.run, by);
      return attempt.by;
    });
    return [...new Set(holders)];
  }

  #mark(mark: Marked): void {
    const { marks, counts } = this.#activity;
    marks.push(mark);
    if (marks.length > 2 * MAX_MARKS) marks.splice(0, MAX_MARKS);
    const of = counts.get(mark.by) ?? new Map<MarkKind, number>();
    of.set(mark.kind, (of.get(mark.kind) ?? 0) + 1);
    counts.set(mark.by, of);
  }

  /** An end by the hands of another is a mark, and no act. */
  #act(by: string, ts: string): void {
    const { times } = this.#activity;
    const time = times.get(by);
    if (!time) times.set(by, { first: ts, last: ts });
    else if (ts < time.first) time.first = ts;
    else if (ts > time.last) time.last = ts;
  }

  #grow({ events, hash }: Op, bytes: number, kind: MarkKind): void {
    const { days, hours } = this.#activity;
    const { ts } = events[events.length - 1]!;
    const day = days.get(ts.slice(0, 10)) ?? { events: 0, bytes: 0 };
    day.events += events.length;
    day.bytes += bytes;
    days.set(ts.slice(0, 10), day);
    const hour = ts.slice(0, 13);
    const sums = hours.get(hour) ?? { closes: 0, reopens: 0, changes: 0 };
    sums.changes++;
    hours.set(hour, sums);
    const closes = events.filter(({ type }) => type === "step.done").length;
    const reopens = kind === "reopen" ? 1 : 0;
    if (closes + reopens === 0) return;
    const counted: Counted = { hour, closes, reopens, stands: false };
    this.#counted.set(hash, counted);
    this.#stand(counted, true);
  }

  /** An undo takes back what an op did in the hour in which it did it, and a redo brings it there again. */
  #turnBack({ type, payload }: Event): void {
    if (type !== "undo.applied" && type !== "redo.applied") return;
    const counted = typeof payload["op"] === "string" ? this.#counted.get(payload["op"]) : undefined;
    if (counted) this.#stand(counted, type === "redo.applied");
  }

  #stand(counted: Counted, stands: boolean): void {
    if (counted.stands === stands) return;
    counted.stands = stands;
    const sums = this.#activity.hours.get(counted.hour)!;
    sums.closes += stands ? counted.closes : -counted.closes;
    sums.reopens += stands ? counted.reopens : -counted.reopens;
  }

  #addStages({ packet }: Entity): void {
    for (const attempt of packet?.attempts ?? []) {
      const { run, stage, by, started_at, ended } = attempt;
      this.#activity.spans.push({
        by,
        kind: "stage",
        entity: this.#id,
        of: stage,
        title: stage,
        from: started_at,
        to: endOf(attempt),
        expires_at: null,
        end: ended?.how ?? "open",
        other: this.#interruptedBy.get(run) ?? null,
      });
    }
  }
}

function kindOf(events: readonly Event[]): MarkKind {
  if (events.some(({ type, payload }) => type === "status.changed" && payload["status"] === "FAILED")) return "failure";
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
function whyNothing(entity: Entity): Sentence[] {
  const open = [...preOrder(entity.children)].filter((step) => !step.done && openChildren(step).length === 0);
  const why = open.map((step) => whyNot(entity, step).map((one) => phrased`${stepName(step)}: ${one}`));
  return why.some((lines) => lines.length === 0) ? [] : boundedLines(why.flat(), MAX_WHY);
}

function whyNot(entity: Entity, step: Step): Sentence[] {
  return boundedLines(
    [
      ...(step.blocked ? [phrased`blocked${because(step.block_reason)}`] : []),
      ...step.blockers.map((blocker) => phrased`waits for: ${piece(blocker)}`),
      ...waitsFor(entity, step).map((one) => phrased`waits for ${stepName(one)}`),
    ],
    MAX_WHY,
  );
}
