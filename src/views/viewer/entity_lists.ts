/** The lists of an entity that grow without an end: a page of the interface holds a part of each. */
import type { Entity, Note } from "../../state/entity.ts";
import type { Card, TraceEntry } from "../../state/reasoning.ts";
import type { CardItem, NoteItem, TraceItem } from "./api.ts";
import { stepRefOf } from "./refs.ts";

/** Cards that were not taken back, in the order in which they came. */
export function cardsOf(entity: Entity): Card[] {
  return entity.card_order.flatMap((id) => entity.cards.get(id) ?? []).filter(({ gone }) => !gone);
}

export function noteItem(entity: Entity, { id, ts, by, step, text }: Note): NoteItem {
  return { id, ts, by, step: stepRefOf(entity, step), text };
}

export function traceItem({ id, ts, by, kind, card, text }: TraceEntry): TraceItem {
  return { id, ts, by, kind, card, text };
}

export function cardItem({ id, stage, title, text, status, tags, supports, ts, by, agent }: Card): CardItem {
  return { id, stage, title, text, status, tags: [...tags], supports: [...supports], ts, by, agent };
}
