/** Where a drawing that has no room whole begins. */
import type { GraphAnswer } from "../../../src/views/viewer/api.ts";
import type { GraphLayout } from "../lazy/graph.ts";
import { NODE } from "./layered_layout.ts";

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Nodes that a reader looks for, the first one first: the critical path from its begin, then ready ones, else those that have begun. */
export function wantedFirst(graph: GraphAnswer, { nodes }: GraphLayout): Rectangle[] {
  const begun = graph.nodes.filter(({ status }) => status === "ACTIVE").map(({ id }) => id);
  const ids = [...graph.critical_path, ...(graph.ready.length > 0 ? graph.ready : begun)];
  return [...new Set(ids)].flatMap((id) => {
    const place = nodes.get(id);
    return place ? [frameOf(place)] : [];
  });
}

export function frameOf({ x, y }: { x: number; y: number }): Rectangle {
  return { x: x - NODE.width / 2, y: y - NODE.height / 2, ...NODE };
}

/** Around the first, and each of the others that has room beside those before it. */
export function around(wanted: readonly Rectangle[], room: { width: number; height: number }): Rectangle | undefined {
  let [all] = wanted;
  for (const one of wanted) {
    const both = all && union(all, one);
    if (both && both.width <= room.width && both.height <= room.height) all = both;
  }
  return all;
}

function union(a: Rectangle, b: Rectangle): Rectangle {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}
