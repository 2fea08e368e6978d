/** Which ops of a log the shared log has: those that its heads lead back to. */
import type { Op } from "../../log/types.ts";
import type { SharedOp } from "./message.ts";

type Links = Pick<Op, "events">;

/** The heads after these ops, in their order. */
export function headsAfter(heads: readonly string[], ops: readonly Pick<SharedOp, "events">[]): string[] {
  const left = new Set(heads);
  for (const { events } of ops) {
    for (const hash of events[0]!.prev) left.delete(hash);
    left.add(events.at(-1)!.hash);
  }
  return [...left].toSorted();
}

/** Ops that these heads do not lead back to, in their order. */
export function opsBeyond<T extends Links>(ops: readonly T[], heads: readonly string[]): T[] {
  const home = new Map<string, T>();
  for (const op of ops) for (const { hash } of op.events) home.set(hash, op);
  const known = new Set<T>();
  const due = [...heads];
  for (let hash = due.pop(); hash !== undefined; hash = due.pop()) {
    const op = home.get(hash);
    if (!op || known.has(op)) continue;
    known.add(op);
    due.push(...op.events[0]!.prev);
  }
  return ops.filter((op) => !known.has(op));
}

export function areSameHeads(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  return a.length === 1 ? a[0] === b[0] : a.toSorted().join(" ") === b.toSorted().join(" ");
}
