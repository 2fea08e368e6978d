/** The days of the reader's zone on which a log changed, made of the quarters of an hour that its history tells. */
import type { HistoryAnswer } from "../../../src/views/viewer/api.ts";
import { localDay } from "../text/format.ts";

export interface Day {
  /** As `2026-11-24`. */
  day: string;
  changes: number;
  /** The state that it began with: the last revision before any change of this day or of a later one. */
  begin: number;
}

/** Oldest first. */
export function daysOf(quarters: HistoryAnswer["quarters"]): Day[] {
  const days: Day[] = [];
  let begin = Number.POSITIVE_INFINITY;
  // A merge may put a change behind those of later days: the day of such a one is over before them.
  for (const { ts, first, changes } of quarters.toReversed()) {
    const day = localDay(ts);
    begin = Math.min(begin, first - 1);
    const last = days.at(-1);
    if (last?.day === day) Object.assign(last, { changes: last.changes + changes, begin });
    else days.push({ day, changes, begin });
  }
  return days.toReversed();
}

/** Undefined if nothing changed from that day on. */
export function beginOf(days: readonly Day[], day: string): number | undefined {
  return days.find((one) => one.day >= day)?.begin;
}

/** The state at the end of that day. Undefined if nothing changed after it. */
export function endOf(days: readonly Day[], day: string): number | undefined {
  return days.find((one) => one.day > day)?.begin;
}
