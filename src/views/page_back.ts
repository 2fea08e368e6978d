/**
 * Pages that go back from the newest entry: the newest page first, oldest first within a page. A cursor is the id of the
 * oldest entry that was given and no number, so that what git brings later moves no page (REASON-8).
 */
import { TaskfoldError } from "../errors.ts";

/** The cursor of the newest page, on a page that gave nothing of it. */
export const NEWEST = "newest";

export type PageBack = {
  /** The cursor of this page; null for the newest. */
  cursor: string | null;
  /** For the page before this one; null where there is none. */
  next_cursor: string | null;
  has_more: boolean;
  limit: number;
  count: number;
  total: number;
};

export interface PageAsked {
  cursor: string | undefined;
  limit: number;
}

/** All entries, or the last few, oldest first. */
export interface Entries<T> {
  last: readonly T[];
  total: number;
  idOf: (entry: T) => string;
  /** Every entry, where `last` is not enough. */
  all: () => readonly T[];
  /** How many `last` has while none was taken back. */
  kept: number;
  /** How a caller names the list: `notes`. */
  name: string;
}

export function pageBack<T>(entries: Entries<T>, { cursor, limit }: PageAsked): { page: T[]; pagination: PageBack } {
  const { last, total, kept, idOf } = entries;
  const end = endOf(last, cursor, idOf);
  // The newest page may be short of a few that undo took out of the last ones: the next one has them.
  const newest = cursor === undefined && last.length > 0 && limit <= kept;
  if (limit === 0 || last.length === total || newest || end >= limit) {
    if (end >= 0) return pageOf(last, end, last.length < total);
  }
  const all = entries.all();
  const place = endOf(all, cursor, idOf);
  if (place < 0) throw expired(entries.name, cursor!);
  return pageOf(all, place, false);

  function pageOf(list: readonly T[], to: number, older: boolean): { page: T[]; pagination: PageBack } {
    const from = Math.max(0, to - limit);
    const page = list.slice(from, to);
    const has_more = from > 0 || older;
    const next = page.length > 0 ? idOf(page[0]!) : (cursor ?? NEWEST);
    const next_cursor = has_more ? next : null;
    return {
      page,
      pagination: { cursor: cursor ?? null, next_cursor, has_more, limit, count: page.length, total },
    };
  }
}

/** Where the page ends that comes before `cursor`; -1 when that entry is not in the list. */
function endOf<T>(list: readonly T[], cursor: string | undefined, idOf: (entry: T) => string): number {
  return cursor === undefined ? list.length : list.findLastIndex((entry) => idOf(entry) === cursor);
}

function expired(name: string, cursor: string): TaskfoldError {
  return new TaskfoldError(
    "CURSOR_EXPIRED",
    `Expected ${name}_cursor to name an entry that is there, found ${JSON.stringify(cursor.slice(0, 60))}.`,
    { recovery: `Read from the newest, without ${name}_cursor.` },
  );
}
