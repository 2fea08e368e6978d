/** The tasks of a plan and what they wait for, as a graph with its critical path (`GraphAnswer`). A function of rows of the board. */
import type { BoardRow, GraphAnswer, GraphEdge, GraphNode } from "./api.ts";
import { API_VERSION } from "./api.ts";
import { isBlocked, isPartlyBlocked, isReady } from "./blocked.ts";
import { hasEnded } from "../../state/ended.ts";

const MAX_NODES = 2000;
const MAX_EDGES = 10_000;

interface Work {
  row: BoardRow;
  /** Ids that it waits for or waited for, of those that are in the graph. */
  before: string[];
}

export function planGraph(id: string, rows: ReadonlyMap<string, BoardRow>, stamp: string, now: string): GraphAnswer {
  const { works, cut } = worksOf(id, rows);
  const { order, rank } = walk(works);
  const circle = inCircle(works, without(works, order));
  const critical_path = criticalPath(works, order, id);
  const onPath = new Set(critical_path);
  const nodes = [...works.values()].map(({ row }) =>
    nodeOf(row, { inside: row.plan === id, rank: rank.get(row.id) ?? 0, critical: onPath.has(row.id) }),
  );
  const edges: GraphEdge[] = [];
  for (const { row, before } of works.values()) {
    for (const from of before) {
      if (edges.length === MAX_EDGES) break;
      const critical = critical_path[critical_path.indexOf(row.id) - 1] === from && onPath.has(row.id);
      edges.push({ from, to: row.id, done: works.get(from)!.row.status === "DONE", critical });
    }
  }
  return {
    api: API_VERSION,
    id,
    stamp,
    now,
    nodes,
    edges,
    critical_path,
    ready: nodes.filter((node) => node.inside && node.ready).map((node) => node.id),
    circle: [...circle],
    cut: cut || edges.length === MAX_EDGES,
  };
}

/** The plan's tasks, what they depend on, and what open tasks of others among these wait for: a chain may lead through other plans. */
function worksOf(id: string, rows: ReadonlyMap<string, BoardRow>): { works: Map<string, Work>; cut: boolean } {
  const inside = [...rows.values()].filter(({ plan }) => plan === id);
  let cut = inside.length > MAX_NODES;
  const works = new Map(inside.slice(0, MAX_NODES).map((row): [string, Work] => [row.id, { row, before: [] }]));
  // Grows while it is walked.
  for (const { row } of works.values()) {
    if (row.plan !== id && hasEnded(row)) continue;
    for (const before of row.depends_on) {
      const other = rows.get(before);
      if (!other || works.has(before)) continue;
      if (works.size < MAX_NODES) works.set(before, { row: other, before: [] });
      else cut = true;
    }
  }
  for (const work of works.values()) work.before = work.row.depends_on.filter((before) => works.has(before));
  return { works, cut };
}

function nodeOf(
  row: BoardRow,
  { inside, rank, critical }: { inside: boolean; rank: number; critical: boolean },
): GraphNode {
  return {
    id: row.id,
    title: row.title,
    kind: row.kind,
    status: row.status,
    inside,
    ready: isReady(row),
    blocked: isBlocked(row),
    partly_blocked: isPartlyBlocked(row),
    waits: row.waits_for.length > 0,
    claimed_by: row.claims.find(({ holds }) => holds)?.by ?? null,
    conflicts: row.conflicts,
    failed_proof: row.failed_proof,
    progress: row.progress,
    rank,
    critical,
  };
}

interface Walk {
  /** Each stands behind everything that it waits for. Ids in a circle, or behind one, are left out. */
  order: string[];
  /** Longest way to each from one that waits for nothing. */
  rank: Map<string, number>;
}

function walk(works: ReadonlyMap<string, Work>): Walk {
  const left = new Map<string, number>();
  const after = new Map<string, string[]>();
  for (const [id, { before }] of works) {
    left.set(id, before.length);
    for (const one of before) {
      const known = after.get(one);
      if (known) known.push(id);
      else after.set(one, [id]);
    }
  }
  // Grows while it is walked.
  const order = [...left].filter(([, n]) => n === 0).map(([id]) => id);
  const rank = new Map(order.map((id) => [id, 0]));
  for (const id of order) {
    for (const next of after.get(id) ?? []) {
      rank.set(next, Math.max(rank.get(next) ?? 0, rank.get(id)! + 1));
      const n = left.get(next)! - 1;
      left.set(next, n);
      if (n === 0) order.push(next);
    }
  }
  return { order, rank };
}

/** Of those that are stuck, the ones that wait for themselves in the end; the others only stand behind them. */
function inCircle(works: ReadonlyMap<string, Work>, stuck: ReadonlySet<string>): Set<string> {
  const awaited = new Map([...stuck].map((id) => [id, 0]));
  for (const id of stuck)
    for (const one of works.get(id)!.before) if (awaited.has(one)) awaited.set(one, awaited.get(one)! + 1);
  const outer = [...awaited].filter(([, n]) => n === 0).map(([id]) => id);
  for (const id of outer) {
    for (const one of works.get(id)!.before) {
      const n = (awaited.get(one) ?? 0) - 1;
      if (!awaited.has(one)) continue;
      awaited.set(one, n);
      if (n === 0) outer.push(one);
    }
  }
  const gone = new Set(outer);
  return new Set([...stuck].filter((id) => !gone.has(id)));
}

function without(works: ReadonlyMap<string, Work>, order: readonly string[]): Set<string> {
  const ordered = new Set(order);
  return new Set([...works.keys()].filter((id) => !ordered.has(id)));
}

/** Of chains of open tasks that end in the plan, the one with most open steps, what comes first first. A task without steps weighs one. */
function criticalPath(works: ReadonlyMap<string, Work>, order: readonly string[], plan: string): string[] {
  const best = new Map<string, { weight: number; from: string | null }>();
  for (const id of order) {
    const { row, before } = works.get(id)!;
    if (hasEnded(row)) continue;
    const open = before.filter((one) => best.has(one));
    const from = open.reduce<string | null>(
      (known, one) => (known === null || best.get(one)!.weight > best.get(known)!.weight ? one : known),
      null,
    );
    const own = Math.max(1, row.progress.total - row.progress.done);
    best.set(id, { weight: own + (from === null ? 0 : best.get(from)!.weight), from });
  }
  let end: string | null = null;
  for (const [id, { weight, from }] of best)
    if (from !== null && works.get(id)!.row.plan === plan && weight > (end === null ? 0 : best.get(end)!.weight))
      end = id;
  const chain: string[] = [];
  for (let at = end; at !== null; at = best.get(at)!.from) chain.unshift(at);
  return chain;
}
