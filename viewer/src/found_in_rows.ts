/** The search of an export, which has no server: rows of the board by id, title and tag, and actors by name. */
import type { BoardRow, SearchAnswer } from "../../src/views/viewer/api.ts";

export function foundInRows(all: readonly BoardRow[], text: string): SearchAnswer {
  const lower = text.toLowerCase();
  const has = (value: string | null): boolean => value?.toLowerCase().includes(lower) ?? false;
  const live = all.filter(({ archived }) => !archived);
  const rows = live.filter(({ id, title, tags }) => [id, title, ...tags].some(has));
  const actors = all.flatMap(({ updated_by, assignee, claims }) => [
    updated_by,
    assignee,
    ...claims.map(({ by }) => by),
  ]);
  return {
    api: 1,
    text,
    agents: [...new Set(actors.filter((by) => by !== null && has(by)) as string[])].toSorted((a, b) =>
      a < b ? -1 : 1,
    ),
    rows: rows.slice(0, 50).map(({ id, kind, title, status }) => ({ id, kind, title, status, found: [] })),
    total: rows.length,
    searched: live.length,
    archived: all.length - live.length,
  };
}
