/** Orders of the table of agents. */
import type { AgentStanding } from "../../../src/views/viewer/api.ts";

export const ORDERS = ["failed", "rate", "lastFailure", "done", "last"] as const;
export type Order = (typeof ORDERS)[number];

/** Share of what failed among what it finished and what failed; null before both. */
export function rateOf({ done, failed }: Pick<AgentStanding, "done" | "failed">): number | null {
  return done + failed === 0 ? null : failed / (done + failed);
}

const KEYS: Record<Order, (one: AgentStanding) => number | string> = {
  failed: ({ failed }) => failed,
  rate: (one) => rateOf(one) ?? -1,
  lastFailure: ({ last_failure }) => last_failure ?? "",
  done: ({ done }) => done,
  last: ({ last }) => last,
};

/** The most first. Where two are the same, the one that acted last comes first, as in the answer. */
export function inOrder(list: readonly AgentStanding[], order: Order): AgentStanding[] {
  const key = KEYS[order];
  return list.toSorted((a, b) => (key(a) < key(b) ? 1 : key(a) > key(b) ? -1 : 0));
}
