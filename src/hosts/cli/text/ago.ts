/** A time as people say it, beside the exact one in `--json`. */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Both are times of RFC 3339. */
export function ago(then: string, now: string): string {
  const ms = Date.parse(now) - Date.parse(then);
  // A minute that has begun counts, so the words keep their length.
  if (ms < HOUR) return `${Math.max(1, Math.ceil(ms / MINUTE))} min ago`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ago`;
  const days = Math.floor(ms / DAY);
  return days === 1 ? "1 day ago" : `${days} days ago`;
}
