/** Groups changes since a moment by day, actor and task, newest first (STATUS-11 to STATUS-14). */

/** One change, of a log or of a page of events. */
export interface HappenedChange {
  ts: string;
  by: string;
  task: string;
  message: string;
}

export interface HappenedRow {
  /** Of UTC. */
  day: string;
  by: string;
  task: string;
  title: string;
  /** The first and the last of them. */
  since: string;
  until: string;
  count: number;
  /** The newest ones. */
  changes: { ts: string; message: string }[];
}

/** Changes of one row that are told; `count` counts all. */
const TOLD = 5;

/** `changes`: newest first. A row stands where its newest change stands. */
export function happenedRows(
  changes: Iterable<HappenedChange>,
  titleOf: (task: string) => string | undefined,
): HappenedRow[] {
  const rows = new Map<string, HappenedRow>();
  for (const { ts, by, task, message } of changes) {
    const day = ts.slice(0, "2026-01-01".length);
    const key = `${day} ${task} ${by}`;
    const row = rows.get(key) ?? {
      day,
      by,
      task,
      title: titleOf(task) ?? "",
      since: ts,
      until: ts,
      count: 0,
      changes: [],
    };
    rows.set(key, row);
    row.count++;
    if (ts < row.since) row.since = ts;
    if (ts > row.until) row.until = ts;
    if (row.changes.length < TOLD) row.changes.push({ ts, message });
  }
  return [...rows.values()];
}
