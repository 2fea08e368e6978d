import type { GraphEdge, GraphNode } from "../../../src/views/viewer/api.ts";
import type { GraphLayout } from "../lazy/graph.ts";

/** Above this many nodes the layout in columns by rank is used: the better one takes seconds, and the page stands still. */
export const MOST_LAID_OUT = 350;

export const NODE = { width: 208, height: 80 };

/** A column for each rank, and straight edges: what a graph of thousands can be read as. */
export function layeredLayout(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): GraphLayout {
  const places = new Map<string, { x: number; y: number }>();
  const heights: number[] = [];
  for (const { id, rank } of nodes) {
    const row = heights[rank] ?? 0;
    heights[rank] = row + 1;
    places.set(id, {
      x: 16 + rank * (NODE.width + 72) + NODE.width / 2,
      y: 16 + row * (NODE.height + 18) + NODE.height / 2,
    });
  }
  const side = (id: string, way: number): { x: number; y: number }[] => {
    const place = places.get(id);
    return place ? [{ x: place.x + (way * NODE.width) / 2, y: place.y }] : [];
  };
  return {
    width: 32 + heights.length * (NODE.width + 72),
    height: 32 + Math.max(0, ...heights.map((height) => height || 0)) * (NODE.height + 18),
    nodes: places,
    edges: edges.map(({ from, to }) => [...side(from, 1), ...side(to, -1)]),
  };
}
