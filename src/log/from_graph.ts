/** What a replay takes from the graph of a log that is no straight line. */
import type { Located, Node } from "./assemble.ts";
import type { Entity } from "./graph.ts";
import type { LogReport } from "./report.ts";
import type { TipStart } from "./tip.ts";
import type { Op } from "./types.ts";

export function opOf({ hash, last, index, located }: Node): Op {
  return { hash, last, events: located.map((l) => l.event), index, offset: (located[0] as Located).offset };
}

export function rootOf({ root, ops }: Entity): LogReport["roots"][number] {
  return { hash: root.hash, ts: root.first.ts, ops: ops.length };
}

export function tipOf({ root, ops, heads, seq }: Entity): Partial<TipStart> {
  const located = ops.flatMap((op) => op.located);
  const bytes = located.reduce((sum, line) => sum + line.bytes, 0);
  return { heads, seq, ops: ops.length, events: located.length, bytes, root: { hash: root.hash, ts: root.first.ts } };
}
