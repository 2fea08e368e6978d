/** The one rule of when a task is called blocked or ready. The board, the graph, the page of a task and the counts go by it. */
import type { BoardRow } from "./api.ts";

type BlockedOf = Pick<BoardRow, "blocked" | "workable">;

/** Something stands in the way, and the engine finds no step to take up. A claim is work and blocks none: without claims it finds none either. */
export function isBlocked({ blocked, workable }: BlockedOf): boolean {
  return blocked.length > 0 && !workable;
}

/** Something stands in the way of a part of it. */
export function isPartlyBlocked({ blocked, workable }: BlockedOf): boolean {
  return blocked.length > 0 && workable;
}

/** It is in the engine's list of what is ready: with a step to take up, or to be given steps. */
export function isReady({ ready, needs_steps }: Pick<BoardRow, "ready" | "needs_steps">): boolean {
  return ready !== null || needs_steps;
}
