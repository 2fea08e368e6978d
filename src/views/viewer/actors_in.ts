import type { BoardRow } from "./api.ts";

/** Actors of rows whose name has the text, in the order of their names. */
export function actorsIn(rows: readonly BoardRow[], text: string): string[] {
  const lower = text.toLowerCase();
  const all = rows.flatMap(({ updated_by, assignee, claims }) => [updated_by, assignee, ...claims.map(({ by }) => by)]);
  const found = all.flatMap((by) => (by?.toLowerCase().includes(lower) ? [by] : []));
  return [...new Set(found)].toSorted((a, b) => (a < b ? -1 : 1));
}
