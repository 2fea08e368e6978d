/** How an agent stands: the numbers of a row of the table of agents. */
import type { AgentLane } from "../../../src/views/viewer/api.ts";

export interface AgentStanding {
  lane: AgentLane;
  /** Steps, stages and tasks that it finished. */
  done: number;
  /** Runs and stages of it that failed. */
  failed: number;
  /** Of what it finished and what failed; null before both. */
  rate: number | null;
  /** Null where nothing failed, or only what is left out of the lane. */
  lastFailure: string | null;
  /** Claims and stages that last. */
  holds: AgentLane["spans"];
}

export const ORDERS = ["failed", "rate", "lastFailure", "done", "last"] as const;
export type Order = (typeof ORDERS)[number];

export function standingOf(lane: AgentLane): AgentStanding {
  const { counts, marks, spans } = lane;
  const done = (counts.close ?? 0) + (counts.complete ?? 0) + (counts.stage_end ?? 0);
  const failed = counts.failure ?? 0;
  return {
    lane,
    done,
    failed,
    rate: done + failed === 0 ? null : failed / (done + failed),
    lastFailure: marks.findLast(({ kind }) => kind === "failure")?.ts ?? null,
    holds: spans.filter(({ end }) => end === "open"),
  };
}

const KEYS: Record<Order, (one: AgentStanding) => number | string> = {
  failed: ({ failed }) => failed,
  rate: ({ rate }) => rate ?? -1,
  lastFailure: ({ lastFailure }) => lastFailure ?? "",
  done: ({ done }) => done,
  last: ({ lane }) => lane.last,
};

/** The most first. Where two are the same, the one that acted last comes first, as in the answer. */
export function inOrder(list: readonly AgentStanding[], order: Order): AgentStanding[] {
  const key = KEYS[order];
  return list.toSorted((a, b) => (key(a) < key(b) ? 1 : key(a) > key(b) ? -1 : 0));
}
