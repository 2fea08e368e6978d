/** Lanes of agents over time, from the activity of each log (`AgentsAnswer`). */
import { isAhead } from "./ahead.ts";
import type { AgentLane, AgentsAnswer, AgentSpan, BoardRow, MarkKind } from "./api.ts";
import { API_VERSION } from "./api.ts";
import type { LogActivity, Marked } from "./log_activity.ts";

const MOST_LANES = 200;
const MOST_MARKS = 20_000;
const MOST_AHEAD = 1000;
const MOST_SPANS = 5000;
/** Buckets are hours as long as there are at most so many days. */
const HOURS_UP_TO_DAYS = 14;
const DAY_MS = 86_400_000;

export interface ActivityOf {
  row: Pick<BoardRow, "id" | "title" | "waits_for" | "packet" | "updated_at">;
  activity: LogActivity;
}

export function agentLanes(all: readonly ActivityOf[], stamp: string, now: string): AgentsAnswer {
  const { marks, ahead } = marksOf(all, now);
  const lanes = lanesOf(all);
  const counts = [...lanes.values()].flatMap((lane) => Object.values(lane.counts));
  const cut = counts.reduce((sum, count) => sum + count, 0) > marks.length + ahead.length;
  for (const { by, ...mark } of [...marks, ...ahead.slice(0, MOST_AHEAD)]) lanes.get(by)?.marks.push(mark);
  const sorted = [...lanes.values()].sort((a, b) =>
    a.last < b.last ? 1 : a.last > b.last ? -1 : a.by < b.by ? -1 : 1,
  );
  const from = marks[0]?.ts ?? (ahead.length > 0 ? now : null);
  addSpans(all, lanes, { from, now, cut });
  addWaits(all, lanes, now);
  return {
    api: API_VERSION,
    stamp,
    now,
    from,
    to: from === null ? null : endOf(marks.at(-1)?.ts ?? from, sorted, now),
    ahead: ahead.length,
    lanes: sorted.slice(0, MOST_LANES),
    lanes_total: sorted.length,
    cut,
    throughput: throughputOf(all, now),
  };
}

/** The newest in order of time, and apart from them those that a wrong clock wrote: the lanes would reach to them. */
function marksOf(all: readonly ActivityOf[], now: string): { marks: Marked[]; ahead: Marked[] } {
  const [marks, ahead]: [Marked[], Marked[]] = [[], []];
  for (const { activity } of all) for (const mark of activity.marks) (isAhead(mark.ts, now) ? ahead : marks).push(mark);
  for (const list of [marks, ahead]) list.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
  return { marks: marks.slice(-MOST_MARKS), ahead };
}

function lanesOf(all: readonly ActivityOf[]): Map<string, AgentLane> {
  const lanes = new Map<string, AgentLane>();
  for (const { activity } of all) {
    for (const [by, { first, last }] of activity.times) {
      const lane = lanes.get(by) ?? { by, first, last, counts: {}, marks: [], spans: [], spans_total: 0, waits: [] };
      if (first < lane.first) lane.first = first;
      if (last > lane.last) lane.last = last;
      for (const [kind, count] of activity.counts.get(by) ?? new Map<MarkKind, number>())
        lane.counts[kind] = (lane.counts[kind] ?? 0) + count;
      lane.spans_total += activity.spanCounts.get(by) ?? 0;
      lanes.set(by, lane);
    }
  }
  return lanes;
}

/** Leaves out claims that ended before the first mark, as older marks are left out. */
function addSpans(
  all: readonly ActivityOf[],
  lanes: ReadonlyMap<string, AgentLane>,
  { from, now, cut }: { from: string | null; now: string; cut: boolean },
): void {
  for (const { row, activity } of all) {
    for (const { by, ...span } of activity.spans) {
      const lane = lanes.get(by);
      if (!lane || (cut && span.to !== null && from !== null && span.to < from)) continue;
      lane.spans.push(spanAt(span, row, now));
    }
  }
  for (const lane of lanes.values()) {
    lane.spans.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
    lane.spans = lane.spans.slice(-MOST_SPANS);
  }
}

/** The end of the lanes: the present while a span lasts. A packet of another program may end at a text that is no time, or long after now. */
function endOf(last: string, lanes: readonly AgentLane[], now: string): string {
  const ends = lanes.flatMap(({ spans }) => spans.map(({ to }) => to ?? now));
  const isPast = (end: string): boolean => Date.parse(end) <= Date.parse(now);
  return ends.filter(isPast).reduce((most, one) => (Date.parse(one) > Date.parse(most) ? one : most), last);
}

/** A claim ends by the clock alone, and an attempt whose process is gone has no later sign of life than its log. */
function spanAt(span: AgentSpan, { packet, updated_at }: ActivityOf["row"], now: string): AgentSpan {
  if (span.end !== "open") return span;
  if (span.expires_at !== null && span.expires_at <= now) return { ...span, end: "expired", to: span.expires_at };
  if (span.kind === "stage" && packet?.state !== "running")
    return { ...span, end: "interrupted", to: updated_at > span.from ? updated_at : span.from };
  return span;
}

function addWaits(all: readonly ActivityOf[], lanes: ReadonlyMap<string, AgentLane>, now: string): void {
  for (const { row, activity } of all) {
    for (const { by, step, expires_at, why } of activity.waits) {
      if (expires_at <= now) continue;
      const others = row.waits_for.slice(0, 3).map((id) => `waits for ${id}`);
      if (why.length + others.length > 0)
        lanes.get(by)?.waits.push({ entity: row.id, title: row.title, step, why: [...why, ...others] });
    }
  }
}

function throughputOf(all: readonly ActivityOf[], now: string): AgentsAnswer["throughput"] {
  const hours = all.flatMap(({ activity }) => [...activity.hours].filter(([hour]) => !isAhead(`${hour}:00:00Z`, now)));
  const times = hours.map(([hour]) => hour);
  const first = times.reduce((least, one) => (one < least ? one : least), times[0] ?? "");
  const last = times.reduce((most, one) => (one > most ? one : most), times[0] ?? "");
  const bucket = daysBetween(first, last) <= HOURS_UP_TO_DAYS ? "hour" : "day";
  const buckets = new Map<string, AgentsAnswer["throughput"]["buckets"][number]>();
  for (const [hour, { closes, reopens, changes }] of hours) {
    const start = bucket === "hour" ? `${hour}:00:00Z` : `${hour.slice(0, 10)}T00:00:00Z`;
    const known = buckets.get(start) ?? { start, closes: 0, reopens: 0, changes: 0 };
    known.closes += closes;
    known.reopens += reopens;
    known.changes += changes;
    buckets.set(start, known);
  }
  return { bucket, buckets: [...buckets.values()].sort((a, b) => (a.start < b.start ? -1 : 1)) };
}

function daysBetween(first: string, last: string): number {
  if (first === "") return 0;
  return (Date.parse(`${last}:00:00Z`) - Date.parse(`${first}:00:00Z`)) / DAY_MS;
}
