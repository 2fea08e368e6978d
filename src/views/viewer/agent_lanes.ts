/** Lanes of agents over time, from the activity of each log (`AgentsAnswer`). */
import { phrased } from "../../sentence.ts";
import { isAhead } from "./ahead.ts";
import type { AgentLane, AgentStanding, AgentsAnswer, AgentSpan, BoardRow, MarkKind, StandingsAnswer } from "./api.ts";
import { API_VERSION, LANES_PAGE } from "./api.ts";
import type { Marked, Spanned } from "./claim_spans.ts";
import { withKills } from "./kills.ts";
import type { LogActivity } from "./log_activity.ts";
import { mainStart, MAX_DAYS } from "./main_time.ts";

const MAX_ACTORS = 10_000;
const MAX_MARKS = 20_000;
const MAX_AHEAD = 1000;
const MAX_SPANS = 5000;
/** Of a row of the table, which names two. */
const MAX_PLACES = 100;
/** Buckets are hours as long as there are at most so many days. */
const HOURS_UP_TO_DAYS = 14;
const DAY_MS = 86_400_000;

export interface ActivityOf {
  row: Pick<BoardRow, "id" | "title" | "waits_for" | "packet" | "updated_at">;
  activity: LogActivity;
}

/** One page of them: none behind the last one. */
export function agentLanes(
  given: readonly ActivityOf[],
  { stamp, now, page }: Pick<AgentsAnswer, "stamp" | "now" | "page">,
): AgentsAnswer {
  const all = withKills(given);
  const sorted = sortedLanes(all, now);
  const lanes = new Map(sorted.slice(page * LANES_PAGE, (page + 1) * LANES_PAGE).map((lane) => [lane.by, lane]));
  const { marks, ahead } = marksOf(all, lanes, now);
  const counts = [...lanes.values()].flatMap((lane) => Object.values(lane.counts));
  const cut = counts.reduce((sum, count) => sum + count, 0) > marks.length + ahead.length;
  for (const { by, ...mark } of [...marks, ...ahead.slice(0, MAX_AHEAD)]) lanes.get(by)?.marks.push(mark);
  const early = mainStart(marks.map(({ ts }) => ({ at: Date.parse(ts), count: 1 })));
  const none = ahead.length > 0 ? now : null;
  const from = marks[0]?.ts ?? none;
  addSpans(all, lanes, { from, now, cut });
  addWaits(all, lanes, now);
  return {
    api: API_VERSION,
    stamp,
    now,
    page,
    pages: Math.max(1, Math.ceil(sorted.length / LANES_PAGE)),
    from,
    main_from: marks[early]?.ts ?? none,
    to: from === null ? null : endOf(marks.at(-1)?.ts ?? from, [...lanes.values()], now),
    early,
    ahead: ahead.length,
    lanes: [...lanes.values()],
    lanes_total: sorted.length,
    cut,
    throughput: throughputOf(all, now),
  };
}

/** The table of agents sorts all of them, and has none of their marks. */
export function agentStandings(
  given: readonly ActivityOf[],
  { stamp, now }: Pick<StandingsAnswer, "stamp" | "now">,
): StandingsAnswer {
  const all = withKills(given);
  const sorted = sortedLanes(all, now);
  const standings = standingsOf(all, sorted.slice(0, MAX_ACTORS), now);
  return { api: API_VERSION, stamp, now, standings, total: sorted.length };
}

function sortedLanes(all: readonly ActivityOf[], now: string): AgentLane[] {
  return [...lanesOf(all, now).values()].sort((a, b) => byLastAct(a, b, now));
}

/** One look at the logs serves every actor. */
function standingsOf(all: readonly ActivityOf[], lanes: readonly AgentLane[], now: string): AgentStanding[] {
  const standings = new Map(
    lanes.map(({ by, last, counts }): [string, AgentStanding] => {
      const done = (counts.close ?? 0) + (counts.complete ?? 0) + (counts.stage_end ?? 0);
      return [by, { by, done, failed: counts.failure ?? 0, last_failure: null, last, holds: [], waits: [] }];
    }),
  );
  const add = (by: string, list: "holds" | "waits", id: string): void => {
    const ids = standings.get(by)?.[list];
    if (ids && ids.length < MAX_PLACES && !ids.includes(id)) ids.push(id);
  };
  for (const { row, activity } of all) {
    for (const { kind, by, ts } of activity.marks) {
      const one = kind === "failure" ? standings.get(by) : undefined;
      if (one && ts > (one.last_failure ?? "")) one.last_failure = ts;
    }
    for (const span of activity.spans)
      if (span.end === "open" && spanAt(span, row, now).end === "open") add(span.by, "holds", span.entity);
    for (const { by } of waitsAt({ row, activity }, now)) add(by, "waits", row.id);
  }
  return [...standings.values()];
}

/** The one that acted last first. An act of a wrong clock says nothing of when it was. */
function byLastAct(a: AgentLane, b: AgentLane, now: string): number {
  const [one, other] = [a.last, b.last].map((last) => (isAhead(last, now) ? "" : last)) as [string, string];
  if (one !== other) return one < other ? 1 : -1;
  return a.by < b.by ? -1 : 1;
}

/** The newest in order of time, and apart from them those that a wrong clock wrote: the lanes would reach to them. */
function marksOf(
  all: readonly ActivityOf[],
  lanes: ReadonlyMap<string, AgentLane>,
  now: string,
): { marks: Marked[]; ahead: Marked[] } {
  const [marks, ahead]: [Marked[], Marked[]] = [[], []];
  for (const { activity } of all)
    for (const mark of activity.marks) if (lanes.has(mark.by)) (isAhead(mark.ts, now) ? ahead : marks).push(mark);
  for (const list of [marks, ahead]) list.sort((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
  return { marks: marks.slice(-MAX_MARKS), ahead };
}

function lanesOf(all: readonly ActivityOf[], now: string): Map<string, AgentLane> {
  const lanes = new Map<string, AgentLane>();
  for (const { activity } of all) {
    for (const [by, { first, last: latest }] of activity.times) {
      const last = isAhead(latest, now) ? lastBefore(activity, { by, first, now }) : latest;
      const lane = lanes.get(by) ?? { by, first, last, counts: {}, marks: [], spans: [], spans_total: 0, waits: [] };
      if (first < lane.first) lane.first = first;
      if (isLater(last, lane.last, now)) lane.last = last;
      for (const [kind, count] of activity.counts.get(by) ?? new Map<MarkKind, number>())
        lane.counts[kind] = (lane.counts[kind] ?? 0) + count;
      lane.spans_total += activity.spanCounts.get(by) ?? 0;
      lanes.set(by, lane);
    }
  }
  return lanes;
}

/** Later, and not ahead of `now`; any time is rather the last one than a time ahead. */
function isLater(one: string, other: string, now: string): boolean {
  if (isAhead(one, now)) return false;
  return one > other || isAhead(other, now);
}

/** Last act of an actor whose clock ran ahead. Of marks that this log does not keep any more, the first one alone is known. */
function lastBefore({ marks }: LogActivity, { by, first, now }: { by: string; first: string; now: string }): string {
  const times = marks.flatMap((mark) =>
    mark.by === by && mark.kind !== "kill" && !isAhead(mark.ts, now) ? mark.ts : [],
  );
  return times.reduce((last, one) => (one > last ? one : last), times[0] ?? first);
}

/** Leaves out claims that ended before the first mark, as older marks are left out. */
function addSpans(
  all: readonly ActivityOf[],
  lanes: ReadonlyMap<string, AgentLane>,
  { from, now, cut }: { from: string | null; now: string; cut: boolean },
): void {
  for (const { row, activity } of all) {
    for (const span of activity.spans) {
      const lane = lanes.get(span.by);
      if (!lane || (cut && span.to !== null && from !== null && span.to < from)) continue;
      lane.spans.push(spanAt(span, row, now));
    }
  }
  for (const lane of lanes.values()) {
    lane.spans.sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
    lane.spans = lane.spans.slice(-MAX_SPANS);
  }
}

/** The end of the lanes: the present while a span lasts. A packet of another program may end at a text that is no time, or long after now. */
function endOf(last: string, lanes: readonly AgentLane[], now: string): string {
  const ends = lanes.flatMap(({ spans }) => spans.map(({ to }) => to ?? now));
  const isPast = (end: string): boolean => Date.parse(end) <= Date.parse(now);
  return ends.filter(isPast).reduce((most, one) => (Date.parse(one) > Date.parse(most) ? one : most), last);
}

/** A claim ends by the clock alone, and an attempt whose process is gone has no later sign of life than its log. */
function spanAt(
  { by: _by, takenOver: _at, ...span }: Spanned,
  { packet, updated_at }: ActivityOf["row"],
  now: string,
): AgentSpan {
  if (span.end !== "open") return span;
  if (span.expires_at !== null && span.expires_at <= now) return { ...span, end: "expired", to: span.expires_at };
  if (span.kind === "stage" && packet?.state !== "running")
    return { ...span, end: "interrupted", to: updated_at > span.from ? updated_at : span.from };
  return span;
}

function addWaits(all: readonly ActivityOf[], lanes: ReadonlyMap<string, AgentLane>, now: string): void {
  for (const one of all)
    for (const { by, step, why } of waitsAt(one, now))
      lanes.get(by)?.waits.push({ entity: one.row.id, title: one.row.title, step, why });
}

/** Claims of one plan or task that cannot go on, and why. */
function waitsAt({ row, activity }: ActivityOf, now: string): LogActivity["waits"] {
  const others = row.waits_for.slice(0, 3).map((id) => phrased`waits for ${id}`);
  return activity.waits
    .filter(({ expires_at }) => expires_at > now)
    .map((wait) => ({ ...wait, why: [...wait.why, ...others] }))
    .filter(({ why }) => why.length > 0);
}

/** Without hours that only a wrong clock can have written, and without the few that are far before the others. */
function throughputOf(all: readonly ActivityOf[], now: string): AgentsAnswer["throughput"] {
  const hours = new Map<string, Bucket>();
  for (const { activity } of all)
    for (const [hour, counts] of activity.hours)
      if (!isAhead(`${hour}:00:00Z`, now)) addTo(hours, `${hour}:00:00Z`, counts);
  const sorted = inOrder(hours);
  const start = mainStart(sorted.map((one) => ({ at: Date.parse(one.start), count: one.changes })));
  const shown = sorted.slice(start);
  const early = changesIn(sorted.slice(0, start));
  const days = (Date.parse(shown.at(-1)?.start ?? now) - Date.parse(shown[0]?.start ?? now)) / DAY_MS;
  if (days <= HOURS_UP_TO_DAYS) return { bucket: "hour", buckets: shown, early };
  const byDay = new Map<string, Bucket>();
  for (const one of shown) addTo(byDay, `${one.start.slice(0, 10)}T00:00:00Z`, one);
  const buckets = inOrder(byDay);
  return { bucket: "day", buckets: buckets.slice(-MAX_DAYS), early: early + changesIn(buckets.slice(0, -MAX_DAYS)) };
}

function changesIn(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { changes }) => sum + changes, 0);
}

type Bucket = AgentsAnswer["throughput"]["buckets"][number];

function addTo(buckets: Map<string, Bucket>, start: string, counts: Omit<Bucket, "start">): void {
  const known = buckets.get(start) ?? { start, closes: 0, reopens: 0, changes: 0 };
  known.closes += counts.closes;
  known.reopens += counts.reopens;
  known.changes += counts.changes;
  buckets.set(start, known);
}

function inOrder(buckets: ReadonlyMap<string, Bucket>): Bucket[] {
  return [...buckets.values()].sort((a, b) => (a.start < b.start ? -1 : 1));
}
