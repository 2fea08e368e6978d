import type { GraphAnswer, GraphEdge, GraphNode } from "../../../src/views/viewer/api.ts";
import type { GraphLayout } from "../lazy/graph.ts";

/** Above this many nodes the layout in columns by rank is used: the better one takes seconds, and the page stands still. */
const MAX_LAID_OUT = 350;

/** Above this many ranks that all edges cross together, too: the better layout puts a node of its own at each crossing. */
const MAX_CROSSED = 3000;

/** Whether the layout in columns is taken: for a graph that is large, dense, or has a circle. */
export function isLayered({ nodes, edges, circle }: Pick<GraphAnswer, "nodes" | "edges" | "circle">): boolean {
  if (nodes.length > MAX_LAID_OUT || circle.length > 0) return true;
  const ranks = new Map(nodes.map(({ id, rank }) => [id, rank]));
  const crossed = edges.reduce(
    // An edge counts also where it crosses no rank.
    (sum, { from, to }) => sum + Math.max(1, Math.abs((ranks.get(to) ?? 0) - (ranks.get(from) ?? 0))),
    0,
  );
  return crossed > MAX_CROSSED;
}

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
