/** Which claims that ran out were those of actors that were gone: all logs together tell it. */
import type { AgentMark } from "./api.ts";
import type { Marked, Spanned } from "./claim_spans.ts";
import type { LogActivity } from "./log_activity.ts";
import { MAX_MARKS } from "./log_activity.ts";

/** A holder that acted before its claim was taken over, here or elsewhere, was alive: its claim only ran out. */
export function withKills<T extends { activity: LogActivity }>(all: readonly T[]): T[] {
  const holders = new Set(
    all.flatMap(({ activity }) => activity.spans.flatMap((span) => (span.takenOver ? span.by : []))),
  );
  if (holders.size === 0) return [...all];
  const acts = actsOf(all, holders);
  const isKilled = ({ by, to, takenOver }: Spanned): boolean =>
    takenOver !== undefined &&
    !hasBetween(acts.get(by) ?? [], to!, takenOver.ts) &&
    !all.some(({ activity }) => mayHaveActed(activity, by, to!, takenOver.ts));
  return all.map((one) => {
    const killed = new Set(one.activity.spans.filter(isKilled));
    return killed.size === 0 ? one : { ...one, activity: killedIn(one.activity, killed) };
  });
}

/** Times in order. */
function actsOf(all: readonly { activity: LogActivity }[], holders: ReadonlySet<string>): Map<string, string[]> {
  const acts = new Map<string, string[]>([...holders].map((by) => [by, []]));
  for (const { activity } of all)
    for (const { by, kind, ts } of activity.marks) if (kind !== "kill") acts.get(by)?.push(ts);
  for (const times of acts.values()) times.sort();
  return acts;
}

/** A log keeps its newest marks: of an actor whose older ones are gone it has the first and the last time. */
function mayHaveActed({ marks, times }: LogActivity, by: string, after: string, before: string): boolean {
  const span = times.get(by);
  if (marks.length < MAX_MARKS || !span) return false;
  return span.first < before && span.last > after && (marks[0]?.ts ?? "") > after;
}

function hasBetween(times: readonly string[], after: string, before: string): boolean {
  let low = 0;
  for (let high = times.length; low < high;) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= after) low = middle + 1;
    else high = middle;
  }
  return low < times.length && times[low]! < before;
}

/** A change that took over several claims of one holder is one kill. */
function killedIn(activity: LogActivity, killed: ReadonlySet<Spanned>): LogActivity {
  const marks = new Map<string, Marked>();
  for (const span of killed) {
    const key = `${span.by} ${span.takenOver!.revision}`;
    if (!marks.has(key)) marks.set(key, killOf(span));
  }
  const counts = new Map(activity.counts);
  for (const { by, kind } of marks.values())
    counts.set(by, new Map(counts.get(by)).set(kind, (counts.get(by)?.get(kind) ?? 0) + 1));
  return {
    ...activity,
    marks: [...activity.marks, ...marks.values()],
    spans: activity.spans.map((span) => (killed.has(span) ? { ...span, end: "killed" } : span)),
    counts,
  };
}

function killOf({ by, to, entity, of, title, other, takenOver }: Spanned): AgentMark & { by: string } {
  return { ts: to!, by, kind: "kill", entity, revision: takenOver!.revision, step: of, text: title, other };
}
