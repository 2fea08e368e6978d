/** Times that only a wrong clock can have written. */

/** Clocks of two machines may be so far from each other. */
const LEAD_MS = 5 * 60_000;

/** Whether a time is later than clocks that differ a little can be at `now`; a text that is no time is not. */
export function isAhead(ts: string, now: string): boolean {
  // Most times are past, and texts of one form are compared sooner than they are read.
  return ts > now && Date.parse(ts) > Date.parse(now) + LEAD_MS;
}
