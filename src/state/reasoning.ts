/** Reasoning about a plan or task: cards that support each other, and the trace of how it went. */

/** In the order in which a thought goes. */
export const CARD_STAGES = ["frame", "hypothesis", "test", "evidence", "decision"] as const;
export type CardStage = (typeof CARD_STAGES)[number];

export const CARD_ID_PATTERN = "^CARD-[0-9A-F]{8}$";

/** A log has one branch and these documents, by the names that callers know them by. */
export const reasoningRef = () =>
  ({ branch: "main", docs: { notes: "notes", graph: "graph", trace: "trace" } }) as const;

export const DEFAULT_CARD_STATUS = "open";

/** A node of the reasoning graph. Replaced and never changed, so code that holds one may keep what it made of it. */
export interface Card {
  readonly id: string;
  readonly stage: CardStage;
  readonly title: string;
  readonly text: string;
  /** In the author's words: open, confirmed, rejected, ... */
  readonly status: string;
  readonly tags: readonly string[];
  /** Ids of the cards that this one supports: the edges of the graph. */
  readonly supports: readonly string[];
  readonly ts: string;
  readonly by: string;
  /** Which agent instance wrote it, where the host said so. */
  readonly agent: string | null;
  /** Taken back by undo. */
  readonly gone: boolean;
}

/** A line of the trace: a thought of its own, or that a card was laid down. */
export interface TraceEntry {
  /** Hash of the event that brought it; of a card's line, the id of the card. */
  id: string;
  ts: string;
  by: string;
  kind: CardStage | "thought";
  card: string | null;
  text: string;
}

/** Whether a card supports another one that is there. */
export function edgesOf(card: Card, cards: ReadonlyMap<string, Card>): string[] {
  return card.supports.filter((id) => cards.get(id)?.gone === false);
}
