/** The reasoning graph against the one in the base branch of git: which cards and edges are here and not there (GRAPH rules). */
import { TaskfoldError } from "../errors.ts";
import type { Entity } from "../state/entity.ts";
import type { Card } from "../state/reasoning.ts";
import { edgesOf, reasoningRef } from "../state/reasoning.ts";
import { NEWEST } from "./page_back.ts";
import type { PageBack } from "./page_back.ts";

type Unavailable = { available: false; reason: string };

/** The two sides of the comparison. */
type Compared = {
  available: true;
  /** The branch that is checked out; null where none is. */
  branch: string | null;
  base: string;
  /** Why that one is the base. */
  base_source: string;
};

/** The cards of the same entity that the engine found in git; null where it is not in the base at all. */
export type GitBase = Unavailable | (Compared & { cards: ReadonlyMap<string, Card> | null });

export type GraphChange = {
  /** The place of the change in the list: what a cursor names. */
  id: string;
  kind: "node" | "edge";
  change: "added" | "missing" | "changed";
  card_id: string;
  /** Of an edge: the card that is supported. */
  supports?: string;
  stage?: string;
  title?: string;
  status?: string;
};

export type GraphDiff =
  | Unavailable
  | (Compared & {
      doc: string;
      summary: { nodes_changed: number; edges_changed: number; total: number; partial: boolean };
      changes: GraphChange[];
      pagination: PageBack;
    });

/** Newest cards first, then what only the base has. */
export function graphDiff(entity: Entity, base: GitBase, cursor: string | undefined, limit: number): GraphDiff {
  if (!base.available) return { available: false, reason: base.reason };
  const { branch, base: name, base_source } = base;
  const all = changesOf(entity.cards, base.cards ?? new Map());
  const from = cursor === undefined ? 0 : all.findIndex((change) => change.id === cursor) + 1;
  if (cursor !== undefined && from === 0) throw expired(cursor);
  const changes = all.slice(from, from + limit);
  const nodes = all.filter((change) => change.kind === "node").length;
  const has_more = from + changes.length < all.length;
  const next = changes.at(-1)?.id ?? cursor ?? NEWEST;
  return {
    available: true,
    branch,
    base: name,
    base_source,
    doc: reasoningRef().docs.graph,
    summary: {
      nodes_changed: nodes,
      edges_changed: all.length - nodes,
      total: all.length,
      partial: changes.length < all.length,
    },
    changes,
    pagination: {
      cursor: cursor ?? null,
      next_cursor: has_more ? next : null,
      has_more,
      limit,
      count: changes.length,
      total: all.length,
    },
  };
}

type Cards = ReadonlyMap<string, Card>;

function changesOf(here: Cards, there: Cards): GraphChange[] {
  const changes: GraphChange[] = [];
  for (const card of [...here.values()].toReversed()) {
    const other = there.get(card.id);
    if (!other && card.gone) continue;
    if (!other || other.gone !== card.gone) changes.push(node(card, card.gone ? "missing" : "added"));
    else if (!card.gone && !isSame(card, other)) changes.push(node(card, "changed"));
    const [mine, theirs] = [edges(card, here), edges(other, there)];
    for (const id of mine) if (!theirs.includes(id)) changes.push(edge(card, id, "added"));
    for (const id of theirs) if (!mine.includes(id)) changes.push(edge(card, id, "missing"));
  }
  for (const card of [...there.values()].toReversed()) {
    if (here.has(card.id) || card.gone) continue;
    changes.push(node(card, "missing"));
    for (const id of edges(card, there)) changes.push(edge(card, id, "missing"));
  }
  return changes;
}

function edges(card: Card | undefined, cards: Cards): string[] {
  return card === undefined || card.gone ? [] : edgesOf(card, cards);
}

function isSame(a: Card, b: Card): boolean {
  return a.title === b.title && a.text === b.text && a.status === b.status && a.tags.join("\n") === b.tags.join("\n");
}

function node({ id, stage, title, status }: Card, change: GraphChange["change"]): GraphChange {
  return { id, kind: "node", change, card_id: id, stage, title, status };
}

function edge({ id }: Card, supports: string, change: GraphChange["change"]): GraphChange {
  return { id: `${id}>${supports}`, kind: "edge", change, card_id: id, supports };
}

function expired(cursor: string): TaskfoldError {
  return new TaskfoldError(
    "CURSOR_EXPIRED",
    `Expected graph_diff_cursor to name a change that is in the difference, found ${JSON.stringify(cursor.slice(0, 60))}.`,
    { recovery: "Read from the start, without graph_diff_cursor." },
  );
}
