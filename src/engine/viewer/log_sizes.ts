/** Size, age and growth of logs, for the page of health. */
import { isAhead } from "../../views/viewer/ahead.ts";
import type { HealthAnswer, LogItem } from "../../views/viewer/api.ts";
import type { FolderOverTime } from "./over_time.ts";

const MOST_LOGS = 200;
const MOST_DAYS = 366;
const WEEK_MS = 7 * 86_400_000;

export function logsOf(all: readonly FolderOverTime[], now: string): HealthAnswer["logs"] {
  const weekAgo = new Date(Date.parse(now) - WEEK_MS).toISOString().slice(0, 10);
  const items = all.map((one) => itemOf(one, weekAgo, now));
  return {
    count: items.length,
    bytes: items.reduce((sum, { bytes }) => sum + bytes, 0),
    events: items.reduce((sum, { events }) => sum + events, 0),
    largest: items.sort((a, b) => b.bytes - a.bytes).slice(0, MOST_LOGS),
    growth: growthOf(all, now),
  };
}

function itemOf({ folder, activity, events, revisions }: FolderOverTime, weekAgo: string, now: string): LogItem {
  const { created_at, updated_at } = folder.own!.row;
  let bytes_last_week = 0;
  for (const [day, { bytes }] of activity.days) if (day > weekAgo && !isAhead(day, now)) bytes_last_week += bytes;
  return { id: folder.place.id, bytes: folder.bytes, events, revisions, created_at, updated_at, bytes_last_week };
}

/** Without days that only a wrong clock can have written. */
function growthOf(all: readonly FolderOverTime[], now: string): HealthAnswer["logs"]["growth"] {
  const days = new Map<string, { day: string; events: number; bytes: number }>();
  for (const { activity } of all) {
    for (const [day, { events, bytes }] of activity.days) {
      if (isAhead(day, now)) continue;
      const known = days.get(day) ?? { day, events: 0, bytes: 0 };
      known.events += events;
      known.bytes += bytes;
      days.set(day, known);
    }
  }
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)).slice(-MOST_DAYS);
}
