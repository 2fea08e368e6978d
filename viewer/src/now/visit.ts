/** When a reader looked at a workspace: a visit is a row of looks. */

/** Milliseconds without a look after which the next one begins another visit. */
export const BREAK_MS = 30 * 60_000;

export interface Visit {
  /** The last look. */
  seen: number;
  /** The last look of the visit before; null on the first one. */
  before: number | null;
}

/** A look at that time, after the one that is kept. */
export function visitAt(kept: Visit | undefined, now: number): Visit {
  if (!kept) return { seen: now, before: null };
  return { seen: now, before: now - kept.seen > BREAK_MS ? kept.seen : kept.before };
}

export function visitText({ seen, before }: Visit): string {
  return `${seen}.${before ?? ""}`;
}

/** Undefined for a text that no page of ours wrote. */
export function readVisit(text = ""): Visit | undefined {
  const [, seen, before] = /^(\d{1,15})\.(\d{0,15})$/.exec(text) ?? [];
  return seen === undefined ? undefined : { seen: Number(seen), before: before ? Number(before) : null };
}
