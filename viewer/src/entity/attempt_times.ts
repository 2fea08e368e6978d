import type { AttemptItem } from "../../../src/views/viewer/api.ts";
import type { Range } from "../agents/lane_marks.ts";

type Timed = Pick<AttemptItem, "started_at" | "ended_at" | "lost">;
type Ran = Pick<AttemptItem, "duration_sec" | "started_at" | "ended_at">;

/** When each attempt ran. A packet of another program may hold a text that is no time: such an attempt is left out. */
export function attemptTimes<T extends Timed>(attempts: readonly T[], now: number, last: number): Map<T, Range> {
  const found = new Map<T, Range>();
  for (const attempt of attempts) {
    const from = Date.parse(attempt.started_at);
    if (Number.isNaN(from)) continue;
    const end = attempt.ended_at ? Date.parse(attempt.ended_at) : attempt.lost ? last : now;
    // Its end was measured by another clock than its start, if another program ran it.
    found.set(attempt, { from, to: Number.isNaN(end) ? from : Math.max(from, end) });
  }
  return found;
}

/**
 * How long it ran; null where that is not known. Whole seconds are written down, so of less than one its begin and its
 * end tell more.
 */
export function secondsOf({ duration_sec, started_at, ended_at }: Ran): number | null {
  if (duration_sec !== 0 || ended_at === null) return duration_sec;
  const ms = Date.parse(ended_at) - Date.parse(started_at);
  return ms > 0 && ms < 1000 ? ms / 1000 : 0;
}
