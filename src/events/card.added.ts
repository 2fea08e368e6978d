import { LIMITS } from "../state/limits.ts";
import type { Card, TraceEntry } from "../state/reasoning.ts";
import { CARD_ID_PATTERN, CARD_STAGES } from "../state/reasoning.ts";
import { list, oneOf, openObject, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";

const cardId = text({ pattern: CARD_ID_PATTERN });

export const cardAdded = defineEvent({
  type: "card.added",
  doc: "A card was laid down: a frame, hypothesis, test, piece of evidence or decision, with the cards that it supports.",
  payload: openObject({
    card_id: cardId,
    stage: oneOf(CARD_STAGES),
    title: text(),
    text: text(),
    status: text(),
    tags: list(text()),
    supports: list(cardId),
    message,
  }),
  undoable: true,
  undo: "Takes the card out of the graph and the trace; the file of a decision says that it was taken back.",
  free: true,
  apply: (entity, p, fact, w) => {
    if (entity.cards.has(p.card_id)) return;
    const { card_id: id, stage, title, status, tags, supports } = p;
    const card: Card = {
      id,
      stage,
      title,
      text: p.text,
      status,
      tags,
      supports,
      ts: fact.ts,
      by: fact.by,
      agent: fact.agentInstance ?? null,
      gone: false,
    };
    w.put("cards", entity.cards, id, card);
    w.push(entity, "card_order", entity.card_order, id);
    if (stage === "decision") w.push(entity, "decisions", entity.decisions, id);
    w.writeUntracked(entity, "card_counts", { ...entity.card_counts, [stage]: entity.card_counts[stage] + 1 });
    w.ring(entity, "trace", traceOf(card), LIMITS.recentTrace);
    w.writeUntracked(entity, "trace_count", entity.trace_count + 1);
  },
});

/** Returns the entry of the trace for a card; its id is the card's. */
export function traceOf({ id, ts, by, stage, title }: Card): TraceEntry {
  return { id, ts, by, kind: stage, card: id, text: title };
}
