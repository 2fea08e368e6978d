/** Which ops of a log the shared log has: those that its heads lead back to. */
import type { Op } from "../../log/types.ts";

type Links = Pick<Op, "events">;

/**
 * The heads after these ops, in their order. Ops may come that the heads lead back to already, under other messages: they change nothing.
 * `here`: the ops of the log, with these. They are asked for where an op goes behind something else than all heads, and then read once.
 */
export function headsAfter(heads: readonly string[], ops: readonly Links[], here: () => readonly Links[]): string[] {
  let left = [...heads];
  for (const [i, { events }] of ops.entries()) {
    if (!areSameHeads(events[0]!.prev, left))
      return endsOf([...left, ...ops.slice(i).map(lastOf)], [...here(), ...ops]);
    left = [lastOf({ events })];
  }
  return left;
}

/** Ops that these heads do not lead back to, in their order. */
export function opsBeyond<T extends Links>(ops: readonly T[], heads: readonly string[]): T[] {
  const known = ledTo(homesOf(ops), heads);
  return ops.filter((op) => !known.has(op));
}

/** Those of the heads that no other one leads back to. */
function endsOf(heads: readonly string[], ops: readonly Links[]): string[] {
  const home = homesOf(ops);
  const before = ledTo(
    home,
    heads.flatMap((hash) => home.get(hash)?.events[0]!.prev ?? []),
  );
  const ends = heads.filter((hash) => !before.has(home.get(hash)!));
  return [...new Set(ends)].toSorted();
}

/** Every op that these hashes lead back to, with their own. */
function ledTo<T extends Links>(home: ReadonlyMap<string, T>, hashes: readonly string[]): Set<T> {
  const known = new Set<T>();
  const due = [...hashes];
  for (let hash = due.pop(); hash !== undefined; hash = due.pop()) {
    const op = home.get(hash);
    if (!op || known.has(op)) continue;
    known.add(op);
    due.push(...op.events[0]!.prev);
  }
  return known;
}

/** The op of each hash. */
function homesOf<T extends Links>(ops: readonly T[]): Map<string, T> {
  return new Map(ops.flatMap((op) => op.events.map(({ hash }) => [hash, op] as const)));
}

function lastOf({ events }: Links): string {
  return events.at(-1)!.hash;
}

export function areSameHeads(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  return a.length === 1 ? a[0] === b[0] : a.toSorted().join(" ") === b.toSorted().join(" ");
}
