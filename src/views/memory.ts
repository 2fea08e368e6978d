/** Notes and thoughts: pages of notes, trace and cards, each back from its newest entry (REASON rules). */
import type { Entity, Note } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";
import { isLive } from "../state/live.ts";
import type { Card, CardStage, TraceEntry } from "../state/reasoning.ts";
import { edgesOf } from "../state/reasoning.ts";
import { pathOf } from "../state/tree.ts";
import type { PageAsked, PageBack } from "./page_back.ts";
import { pageBack } from "./page_back.ts";

export type NoteRow = { event_id: string; ts: string; by: string; path: string | null; text: string };
export type TraceRow = {
  /** Id of the event, or of the card that the line is about. */
  id: string;
  ts: string;
  by: string;
  kind: TraceEntry["kind"];
  text: string;
};
export type CardRow = {
  card_id: string;
  stage: CardStage;
  title: string;
  text: string;
  status: string;
  tags: string[];
  supports: string[];
  ts: string;
  by: string;
};

export type Memory = {
  notes: { entries: NoteRow[]; pagination: PageBack };
  trace: { entries: TraceRow[]; pagination: PageBack };
  cards: { entries: CardRow[]; pagination: PageBack };
  stats: { notes: number; trace: number; cards: number; by_stage: Record<CardStage, number> };
};

export interface MemoryAsked {
  notes: PageAsked;
  trace: PageAsked;
  cards: PageAsked;
}

/** `everything`: the entity with all notes and all of its trace; asked for only where a page reaches beyond the last few. */
export function memoryOf(entity: Entity, everything: () => Entity, asked: MemoryAsked): Memory {
  let whole: Entity | undefined;
  const all = (): Entity => (whole ??= everything());
  const notes = pageBack<Note>(
    {
      last: entity.notes,
      total: entity.note_count,
      idOf: (note) => note.id,
      all: () => all().notes,
      kept: LIMITS.recentNotes,
      name: "notes",
    },
    asked.notes,
  );
  const trace = pageBack<TraceEntry>(
    {
      last: entity.trace,
      total: entity.trace_count,
      idOf: (line) => line.id,
      all: () => all().trace,
      kept: LIMITS.recentTrace,
      name: "trace",
    },
    asked.trace,
  );
  const total = cardCount(entity);
  const last = lastCards(entity, asked.cards);
  const cards = pageBack<Card>(
    { last, total, idOf: (card) => card.id, all: () => liveCards(entity), kept: Infinity, name: "cards" },
    asked.cards,
  );
  return {
    notes: { entries: notes.page.map((note) => noteRow(entity, note)), pagination: notes.pagination },
    trace: { entries: trace.page.map(traceRow), pagination: trace.pagination },
    cards: { entries: cards.page.map((card) => cardRow(entity, card)), pagination: cards.pagination },
    stats: {
      notes: entity.note_count,
      trace: entity.trace_count,
      cards: total,
      by_stage: { ...entity.card_counts },
    },
  };
}

export function cardCount({ card_counts: counts }: Entity): number {
  return counts.frame + counts.hypothesis + counts.test + counts.evidence + counts.decision;
}

/** Returns cards that were not taken back, oldest first. */
export function liveCards(entity: Entity): Card[] {
  return [...entity.cards.values()].filter((card) => !card.gone);
}

/** The last few decisions that hold, oldest first; looks at no more than it has to. */
export function lastDecisions(entity: Entity, most: number): Card[] {
  return lastLive(entity, entity.decisions, most);
}

/** Enough of the newest cards for the newest page; none where a cursor asks for another one. */
function lastCards(entity: Entity, { cursor, limit }: PageAsked): Card[] {
  return cursor === undefined ? lastLive(entity, entity.card_order, Math.max(1, limit)) : [];
}

function lastLive(entity: Entity, ids: readonly string[], most: number): Card[] {
  const found: Card[] = [];
  for (let i = ids.length - 1; i >= 0 && found.length < most; i--) {
    const card = entity.cards.get(ids[i]!)!;
    if (!card.gone) found.push(card);
  }
  return found.reverse();
}

function noteRow(entity: Entity, { id, ts, by, step, text }: Note): NoteRow {
  const on = step === null ? undefined : entity.steps.get(step);
  return { event_id: id, ts, by, path: on && isLive(on) ? pathOf(on) : null, text };
}

function traceRow({ id, ts, by, kind, text }: TraceEntry): TraceRow {
  return { id, ts, by, kind, text };
}

function cardRow({ cards }: Entity, card: Card): CardRow {
  const { id, stage, title, text, status, tags, ts, by } = card;
  return { card_id: id, stage, title, text, status, tags: [...tags], supports: edgesOf(card, cards), ts, by };
}
