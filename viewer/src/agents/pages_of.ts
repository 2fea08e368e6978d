/** Pages of lanes that hold an actor whose name has the searched text. */
import { LANES_PAGE } from "../../../src/views/viewer/api.ts";

export function hasName(by: string, search: string): boolean {
  return by.toLowerCase().includes(search.trim().toLowerCase());
}

/** How many of these actors each page has, in order of pages. `total` counts lanes, also those whose actor the answer does not name. */
export function pagesOf(actors: readonly string[], total: number, search: string): ReadonlyMap<number, number> {
  const pages = new Map<number, number>();
  const isFound = (index: number): boolean => hasName(actors[index] ?? "", search);
  for (let index = 0; index < total; index++) {
    const page = Math.floor(index / LANES_PAGE);
    if (isFound(index)) pages.set(page, (pages.get(page) ?? 0) + 1);
  }
  return pages;
}
