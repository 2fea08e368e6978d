/** The days of the reader's zone on which a log changed, made of the quarters of an hour that its history tells. */
import type { HistoryAnswer } from "../../../src/views/viewer/api.ts";
import { localDay } from "../text/format.ts";

export interface Day {
  /** As `2026-11-24`. */
  day: string;
  changes: number;
  /**
   * The state that it began with: the last revision before any change of this day or of a later one. Null of the oldest day of a history that
   * leaves out older changes: some may be of that day.
   */
  begin: number | null;
}

const QUARTER_MS = 15 * 60_000;

/** Oldest first. */
export function daysOf({ quarters, total }: Pick<HistoryAnswer, "quarters" | "total">): Day[] {
  const days: Day[] = [];
  let begin = Number.POSITIVE_INFINITY;
  let counted = 0;
  // A merge may put a change behind those of later days: the day of such a one is over before them.
  for (const [start, first, changes] of quarters.toReversed()) {
    const day = localDay(new Date(start * QUARTER_MS).toISOString());
    begin = Math.min(begin, first - 1);
    counted += changes;
    const last = days.at(-1);
    if (last?.day === day) Object.assign(last, { changes: last.changes + changes, begin });
    else days.push({ day, changes, begin });
  }
  const oldest = days.at(-1);
  if (oldest && counted < total) oldest.begin = null;
  return days.toReversed();
}

/** The state that a day began with. Undefined if nothing changed from that day on, and null if it is not known. */
export function beginOf(days: readonly Day[], day: string): number | null | undefined {
  return days.find((one) => one.day >= day)?.begin;
}

/** The revision whose page shows the begin of a day, of those from `first` to `last`. Null if none of them does, or if it is not known. */
export function pageOfBegin(days: readonly Day[], day: string, first: number, last: number): number | null {
  const begin = beginOf(days, day);
  if (begin === null) return null;
  // No page is of the time before the first change.
  const revision = Math.max(1, begin ?? last);
  return revision < first ? null : revision;
}

/** The state at the end of that day. Undefined if nothing changed after it, and null if it is not known. */
export function endOf(days: readonly Day[], day: string): number | null | undefined {
  return days.find((one) => one.day > day)?.begin;
}
