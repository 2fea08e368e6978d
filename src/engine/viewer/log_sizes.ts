/** Size, age and growth of logs, for the page of health. */
import { isAhead } from "../../views/viewer/ahead.ts";
import type { HealthAnswer, LogItem, LogsAnswer } from "../../views/viewer/api.ts";
import { LIST_PAGE } from "../../views/viewer/api.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { mainStart, MAX_DAYS } from "../../views/viewer/main_time.ts";
import type { FolderOverTime } from "./over_time.ts";

const WEEK_MS = 7 * 86_400_000;

export function logsOf(all: readonly FolderOverTime[], now: string): HealthAnswer["logs"] {
  const items = itemsOf(all, now);
  return {
    count: items.length,
    bytes: items.reduce((sum, { bytes }) => sum + bytes, 0),
    events: items.reduce((sum, { events }) => sum + events, 0),
    largest: items.slice(0, LIST_PAGE),
    ...growthOf(all, now),
  };
}

export function logsPage(
  all: readonly FolderOverTime[],
  page: number,
  now: string,
): Pick<LogsAnswer, "page" | "pages" | "total" | "logs"> {
  const items = itemsOf(all, now);
  const logs = items.slice(page * LIST_PAGE, (page + 1) * LIST_PAGE);
  return { page, pages: Math.max(1, Math.ceil(items.length / LIST_PAGE)), total: items.length, logs };
}

/** The largest first, and of one size by id: a log stands on one page. */
function itemsOf(all: readonly FolderOverTime[], now: string): LogItem[] {
  const weekAgo = new Date(Date.parse(now) - WEEK_MS).toISOString().slice(0, 10);
  const items = all.map((one) => itemOf(one, weekAgo, now));
  return items.sort((a, b) => b.bytes - a.bytes || compareIds(a.id, b.id));
}

function itemOf({ folder, activity, events, revisions }: FolderOverTime, weekAgo: string, now: string): LogItem {
  const { created_at, updated_at } = folder.own!.row;
  let bytes_last_week = 0;
  for (const [day, { bytes }] of activity.days) if (day > weekAgo && !isAhead(day, now)) bytes_last_week += bytes;
  return { id: folder.place.id, bytes: folder.bytes, events, revisions, created_at, updated_at, bytes_last_week };
}

/** Without days that only a wrong clock can have written, and without the few that are far before the others. */
function growthOf(all: readonly FolderOverTime[], now: string): Pick<HealthAnswer["logs"], "growth" | "early"> {
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
  const sorted = [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
  const main = mainStart(sorted.map(({ day, events }) => ({ at: Date.parse(day), count: events })));
  const start = Math.max(main, sorted.length - MAX_DAYS);
  const early = sorted.slice(0, start).reduce((sum, { events }) => sum + events, 0);
  return { growth: sorted.slice(start), early };
}
