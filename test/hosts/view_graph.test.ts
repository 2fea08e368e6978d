/** The graph of a plan beside a slow and simple reading of the same dependencies. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BoardRow, GraphAnswer } from "../../src/views/viewer/api.ts";
import { planGraph } from "../../src/views/viewer/plan_graph.ts";

const PLAN = "PLAN-001";

function row(
  id: string,
  plan: string,
  depends_on: string[],
  status: BoardRow["status"] = "TODO",
  progress = { done: 0, total: 0 },
): BoardRow {
  const parts = { id, title: id, status, plan, depends_on, waits_for: [], blocked: [], claims: [], ready: null };
  return { ...({} as BoardRow), ...parts, kind: "task", needs_steps: false, progress };
}

function graphOf(rows: readonly BoardRow[]): GraphAnswer {
  return planGraph(PLAN, new Map(rows.map((one) => [one.id, one])), "", "");
}

const isOpen = ({ status }: BoardRow): boolean => status === "TODO" || status === "ACTIVE";

const weightOf = ({ progress: { done, total } }: BoardRow): number => Math.max(1, total - done);

function openBefore(one: BoardRow, rows: ReadonlyMap<string, BoardRow>): BoardRow[] {
  return one.depends_on.flatMap((id) => rows.get(id) ?? []).filter(isOpen);
}

/** Open steps on the heaviest way of open tasks that ends here. */
function heaviestTo(one: BoardRow, rows: ReadonlyMap<string, BoardRow>): number {
  return weightOf(one) + Math.max(0, ...openBefore(one, rows).map((other) => heaviestTo(other, rows)));
}

function rankOf(id: string, { edges }: GraphAnswer): number {
  return Math.max(
    0,
    ...edges.filter(({ to }) => to === id).map(({ from }) => 1 + rankOf(from, { edges } as GraphAnswer)),
  );
}

const task = fc.record({
  isInside: fc.boolean(),
  isDeleted: fc.nat(9).map((n) => n === 0),
  status: fc.constantFrom<BoardRow["status"]>("TODO", "TODO", "ACTIVE", "DONE", "CANCELED"),
  back: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  progress: fc.record({ done: fc.nat(3), more: fc.nat(5) }).map(({ done, more }) => ({ done, total: done + more })),
});

/** Each depends on earlier ones alone. A deleted one has no row. */
const anyRows = fc.array(task, { minLength: 1, maxLength: 9 }).map((tasks) =>
  tasks.flatMap(({ isInside, isDeleted, status, back, progress }, n) => {
    const depends_on = back.filter((by) => by <= n).map((by) => `T${n - by}`);
    return isDeleted ? [] : [row(`T${n}`, isInside ? PLAN : "PLAN-002", depends_on, status, progress)];
  }),
);

describe("the graph of a plan", () => {
  it("[VIEWER-11] has the chain of open tasks with most open steps that ends in it, and the longest way to each", () => {
    fc.assert(
      fc.property(anyRows, fc.infiniteStream(fc.nat()), (given, keys) => {
        const rows = given.map((one) => ({ one, key: keys.next().value as number })).toSorted((a, b) => a.key - b.key);
        const graph = graphOf(rows.map(({ one }) => one));
        const byId = new Map(given.map((one) => [one.id, one]));
        const inside = given.filter((one) => one.plan === PLAN && isOpen(one));
        const ends = inside.filter((one) => openBefore(one, byId).length > 0);
        const chain = graph.critical_path.map((id) => byId.get(id)!);
        const weight = chain.reduce((sum, one) => sum + weightOf(one), 0);
        expect(weight).toBe(Math.max(0, ...ends.map((one) => heaviestTo(one, byId))));
        expect(chain).not.toHaveLength(1);
        expect(chain.filter((one) => !isOpen(one))).toEqual([]);
        for (const [n, one] of chain.slice(1).entries()) expect(one.depends_on).toContain(chain[n]!.id);
        for (const { id, rank, critical } of graph.nodes) {
          expect(rank, id).toBe(rankOf(id, graph));
          expect(critical).toBe(graph.critical_path.includes(id));
        }
        expect(graph.edges.filter(({ critical }) => critical)).toHaveLength(Math.max(0, chain.length - 1));
        expect([graph.circle, graph.cut]).toEqual([[], false]);
      }),
      { numRuns: 500 },
    );
  });

  it("[VIEWER-11] leads through other plans, and shows nothing behind their tasks that have ended", () => {
    const other = "PLAN-002";
    const graph = graphOf([
      row("first", PLAN, []),
      row("O1", other, ["first"]),
      row("O2", other, ["O1"]),
      row("last", PLAN, ["O2", "O3"]),
      row("O3", other, ["O4"], "DONE"),
      row("O4", other, [], "DONE"),
      row("far", other, ["last"]),
    ]);
    expect(graph.critical_path).toEqual(["first", "O1", "O2", "last"]);
    expect(graph.nodes.map(({ id, rank, inside }) => [id, rank, inside])).toEqual([
      ["first", 0, true],
      ["last", 3, true],
      ["O2", 2, false],
      ["O3", 0, false],
      ["O1", 1, false],
    ]);
  });

  it("[VIEWER-11] names a circle through another plan, and leaves the chains beside it", () => {
    const graph = graphOf([
      row("A", PLAN, ["O2"]),
      row("O1", "PLAN-002", ["A"]),
      row("O2", "PLAN-002", ["O1"]),
      row("B", PLAN, ["A"]),
      row("C", PLAN, []),
      row("D", PLAN, ["C"]),
    ]);
    expect(new Set(graph.circle)).toEqual(new Set(["A", "O1", "O2"]));
    expect(graph.critical_path).toEqual(["C", "D"]);
  });

  it("[VIEWER-11] leaves out tasks of other plans above 2000 nodes, and says so", () => {
    const inside = Array.from({ length: 1999 }, (_, n) => row(`T${n}`, PLAN, n === 0 ? ["O0"] : []));
    const outside = Array.from({ length: 3 }, (_, n) => row(`O${n}`, "PLAN-002", n < 2 ? [`O${n + 1}`] : []));
    const { nodes, cut } = graphOf([...inside, ...outside]);
    expect([nodes.length, nodes.at(-1)!.id, cut]).toEqual([2000, "O0", true]);
    expect(graphOf([...inside, outside[2]!]).cut).toBe(false);
  });
});
