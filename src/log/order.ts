import type { Node } from "./assemble.ts";
import { byTime } from "./graph.ts";

/**
 * Replay order of one entity, depth first in runs (LOG-11): emit an op, then those of its children whose parents are all
 * emitted, the earliest begun first. A branch is so replayed in one piece, nearly always on the state its author
 * saw, and of two branches the one that began later has the last word. Sets each op's `index`.
 */
export function inRuns(root: Node): Node[] {
  const order: Node[] = [];
  const open = new Map<Node, number>();
  const stack = [root];
  for (let op = stack.pop(); op !== undefined; op = stack.pop()) {
    op.index = order.length;
    order.push(op);
    const ready = op.children.filter((child) => {
      const left = (open.get(child) ?? child.parents.length) - 1;
      open.set(child, left);
      return left === 0;
    });
    ready.sort((a, b) => byTime(b, a));
    for (const child of ready) stack.push(child);
  }
  return order;
}
