import { describe, expect, it } from "vitest";
import { TaskfoldError } from "../../src/errors.ts";
import type { Card } from "../../src/state/reasoning.ts";
import type { GitBase, GraphDiff } from "../../src/views/graph_diff.ts";
import { graphDiff } from "../../src/views/graph_diff.ts";
import * as t from "../support/story.ts";
import { cardId, Story } from "../support/story.ts";

const base = (cards: ReadonlyMap<string, Card> | null): GitBase => ({
  available: true,
  branch: "work",
  base: "origin/main",
  base_source: "the default branch of origin",
  cards,
});

type Shown = Extract<GraphDiff, { available: true }>;

function diff(here: Story, there: Story | null, cursor?: string, limit = 50): Shown {
  return graphDiff(here.entity, base(there && there.entity.cards), cursor, limit) as Shown;
}

const lines = ({ changes }: Shown): string[] => changes.map((c) => `${c.change} ${c.kind} ${c.id}`);

/** One card that supports another. */
const pair = (): Story => new Story().do(t.card(1, "frame", "f"), t.card(2, "test", "t", [1]));

describe("graph diff", () => {
  it("[GRAPH-1] nodes and edges that are here and not there, newest first", () => {
    const here = pair().do(t.card(3, "evidence", "e", [2, 1]));
    const shown = diff(here, pair());
    expect(lines(shown)).toEqual([
      `added node ${cardId(3)}`,
      `added edge ${cardId(3)}>${cardId(2)}`,
      `added edge ${cardId(3)}>${cardId(1)}`,
    ]);
    expect(shown).toMatchObject({
      branch: "work",
      base: "origin/main",
      doc: "graph",
      summary: { nodes_changed: 1, edges_changed: 2, total: 3, partial: false },
      pagination: { cursor: null, next_cursor: null, has_more: false, count: 3, total: 3 },
    });
    expect(diff(pair(), pair()).changes).toEqual([]);
  });

  it("[GRAPH-1] what only the base has is missing, what differs is changed", () => {
    const there = pair().do(t.card(3, "evidence", "e", [2]));
    expect(lines(diff(pair(), there))).toEqual([`missing node ${cardId(3)}`, `missing edge ${cardId(3)}>${cardId(2)}`]);
    const other = new Story().do(t.card(1, "frame", "another"), t.card(2, "test", "t", [1]));
    expect(lines(diff(other, pair()))).toEqual([`changed node ${cardId(1)}`]);
  });

  it("[GRAPH-1] a card that was taken back here is missing with its edges, one that was taken back there too is no change", () => {
    const gone = (story: Story): Story => story.do(t.undo(story.last, "card", cardId(2)));
    expect(lines(diff(gone(pair()), pair()))).toEqual([
      `missing node ${cardId(2)}`,
      `missing edge ${cardId(2)}>${cardId(1)}`,
    ]);
    expect(diff(gone(pair()), gone(pair())).changes).toEqual([]);
    expect(lines(diff(pair(), gone(pair())))).toEqual([
      `added node ${cardId(2)}`,
      `added edge ${cardId(2)}>${cardId(1)}`,
    ]);
  });

  it("[GRAPH-1] following the cursor gives every change once", () => {
    const here = new Story();
    for (let i = 1; i <= 9; i++) here.do(t.card(i, "frame", `f${i}`, i > 1 ? [i - 1] : []));
    const whole = lines(diff(here, null));
    for (const limit of [1, 2, 5, 17]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const shown = diff(here, null, cursor, limit);
        expect(shown.summary).toMatchObject({ total: 17, partial: limit < 17 });
        found.push(...lines(shown));
        cursor = shown.pagination.next_cursor ?? undefined;
      } while (cursor !== undefined);
      expect(found).toEqual(whole);
    }
    expect(() => diff(here, null, "CARD-FFFFFFFF")).toThrow(TaskfoldError);
  });

  it("[GRAPH-1] an entity that is not in the base is all added", () => {
    expect(lines(diff(pair(), null))).toEqual([
      `added node ${cardId(2)}`,
      `added edge ${cardId(2)}>${cardId(1)}`,
      `added node ${cardId(1)}`,
    ]);
  });
});
