/** The one rule of when a task is called blocked. The board, the graph, the page of a task and the counts go by it. */
import type { BoardRow } from "./api.ts";

type Standing = Pick<BoardRow, "blocked" | "ready">;

/** Something stands in the way, and the engine finds no step to take up. */
export function isBlocked({ blocked, ready }: Standing): boolean {
  return blocked.length > 0 && ready === null;
}

/** Something stands in the way of a part of it. */
export function isPartlyBlocked({ blocked, ready }: Standing): boolean {
  return blocked.length > 0 && ready !== null;
}
