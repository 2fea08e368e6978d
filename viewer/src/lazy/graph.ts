/** A chunk of its own: the layout of the dependency graph. */
import { Graph, layout as layOut } from "@dagrejs/dagre";

export interface GraphLayout {
  width: number;
  height: number;
  nodes: Map<string, { x: number; y: number }>;
  /** Points of each edge, in the order that the edges were given. */
  edges: { x: number; y: number }[][];
}

export function layout(
  ids: readonly string[],
  edges: readonly { from: string; to: string }[],
  size: { width: number; height: number },
): GraphLayout {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 56, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...size });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layOut(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: new Map(ids.map((id) => [id, { x: graph.node(id).x ?? 0, y: graph.node(id).y ?? 0 }])),
    edges: edges.map(({ from, to }) => graph.edge(from, to)?.points ?? []),
  };
}
