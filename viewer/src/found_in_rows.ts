/** The search of an export, which has no server: rows of the board by id, title and tag, and actors by name. */
import { actorsIn } from "../../src/views/viewer/actors_in.ts";
import { API_VERSION, SEARCH_ROWS } from "../../src/views/viewer/api.ts";
import type { BoardRow, SearchAnswer } from "../../src/views/viewer/api.ts";

export function foundInRows(all: readonly BoardRow[], text: string): SearchAnswer {
  const lower = text.toLowerCase();
  const live = all.filter(({ archived }) => !archived);
  const rows = live.filter(({ id, title, tags }) =>
    [id, title, ...tags].some((one) => one.toLowerCase().includes(lower)),
  );
  return {
    api: API_VERSION,
    text,
    agents: actorsIn(all, text).slice(0, SEARCH_ROWS),
    rows: rows.slice(0, SEARCH_ROWS).map(({ id, kind, title, status }) => ({ id, kind, title, status, found: [] })),
    total: rows.length,
    searched: live.length,
    archived: all.length - live.length,
  };
}
