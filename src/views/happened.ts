/** Groups changes since a moment by day, actor and task, newest first (STATUS-11). */

/** One change, of a log or of a page of events. */
export interface HappenedChange {
  ts: string;
  by: string;
  task: string;
  title: string;
  message: string;
}

export interface HappenedRow extends Pick<HappenedChange, "by" | "task" | "title"> {
  /** Of UTC, or of the zone of a reader. */
  day: string;
  /** The first and the last of them. */
  since: string;
  until: string;
  count: number;
  /** The newest ones. */
  changes: Pick<HappenedChange, "ts" | "message">[];
}

/** Changes of one row that are told; `count` counts all. */
const CHANGES_PER_ROW = 5;

/** `changes`: newest first. A row stands where its newest change stands. `dayOf`: the day in which a time lies. */
export function happenedRows(changes: Iterable<HappenedChange>, dayOf: (ts: string) => string = utcDay): HappenedRow[] {
  const rows = new Map<string, HappenedRow>();
  for (const { ts, by, task, title, message } of changes) {
    const day = dayOf(ts);
    const key = `${day} ${task} ${by}`;
    const row = rows.get(key) ?? { day, by, task, title, since: ts, until: ts, count: 0, changes: [] };
    rows.set(key, row);
    row.count++;
    if (ts < row.since) row.since = ts;
    if (ts > row.until) row.until = ts;
    if (row.changes.length < CHANGES_PER_ROW) row.changes.push({ ts, message });
  }
  return [...rows.values()];
}

function utcDay(ts: string): string {
  return ts.slice(0, "2026-01-01".length);
}
