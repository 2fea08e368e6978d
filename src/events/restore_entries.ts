/**
 * Undo and redo of notes, lines of the trace and cards. These leave the views and come back; their texts stay in the
 * log.
 */
import type { Entity, Note } from "../state/entity.ts";
import { LIMITS } from "../state/limits.ts";
import type { TraceEntry } from "../state/reasoning.ts";
import { traceOf } from "./card.added.ts";
import type { Writer } from "./writer.ts";

/** A note's value before it was written is `{step, gone: true}`, after it the note. */
export function setNote(entity: Entity, id: string, value: unknown, w: Writer): void {
  const note = value as (Partial<Note> & { gone?: unknown }) | null;
  if (typeof note !== "object" || note === null) return;
  const step = typeof note.step === "string" ? note.step : null;
  if (note.gone === true) {
    if (!setGone(entity, id, true, w)) return;
    countNote(entity, step, -1, w);
    w.writeUntracked(entity, "notes", without(entity.notes, id));
    return;
  }
  const { ts, by, text } = note;
  if (typeof text !== "string" || typeof ts !== "string" || typeof by !== "string") return;
  if (!setGone(entity, id, false, w)) return;
  const notes = withEntry(entity.notes, { id, ts, by, step, text }, entity.note_count, w.kept(LIMITS.recentNotes));
  countNote(entity, step, 1, w);
  w.writeUntracked(entity, "notes", notes);
}

/** A line's value before it was written is `{gone: true}`, after it the line. */
export function setTrace(entity: Entity, id: string, value: unknown, w: Writer): void {
  const line = value as (Partial<TraceEntry> & { gone?: unknown }) | null;
  if (typeof line !== "object" || line === null) return;
  if (line.gone === true) return takeLine(entity, id, w);
  const { ts, by, text } = line;
  if (typeof text !== "string" || typeof ts !== "string" || typeof by !== "string") return;
  bringLine(entity, { id, ts, by, kind: "thought", card: null, text }, w);
}

/** A card is there or it is gone; with it goes its line of the trace. */
export function setCard(entity: Entity, id: string, value: unknown, w: Writer): void {
  const card = entity.cards.get(id);
  const gone = (value as { gone?: unknown } | null)?.gone;
  if (!card || typeof gone !== "boolean" || card.gone === gone) return;
  const counts = { ...entity.card_counts };
  counts[card.stage] += gone ? -1 : 1;
  w.writeUntracked(entity, "card_counts", counts);
  w.put("cards", entity.cards, id, { ...card, gone });
  if (gone) takeLine(entity, id, w);
  else bringLine(entity, traceOf(card), w);
}

function takeLine(entity: Entity, id: string, w: Writer): void {
  if (!setGone(entity, id, true, w)) return;
  w.writeUntracked(entity, "trace_count", Math.max(0, entity.trace_count - 1));
  w.writeUntracked(entity, "trace", without(entity.trace, id));
}

function bringLine(entity: Entity, line: TraceEntry, w: Writer): void {
  if (!setGone(entity, line.id, false, w)) return;
  const trace = withEntry(entity.trace, line, entity.trace_count, w.kept(LIMITS.recentTrace));
  w.writeUntracked(entity, "trace_count", entity.trace_count + 1);
  w.writeUntracked(entity, "trace", trace);
}

/** False where it is so already: two branches may both take one note back, and it counts as one note less. */
function setGone(entity: Entity, id: string, gone: boolean, w: Writer): boolean {
  if ((entity.gone.get(id) ?? false) === gone) return false;
  w.put("gone", entity.gone, id, gone);
  return true;
}

function countNote(entity: Entity, stepId: string | null, by: 1 | -1, w: Writer): void {
  w.writeUntracked(entity, "note_count", Math.max(0, entity.note_count + by));
  const step = stepId === null ? undefined : entity.steps.get(stepId);
  if (step) w.writeUntracked(step, "notes", Math.max(0, step.notes + by));
}

function without<T extends { id: string }>(list: readonly T[], id: string): T[] {
  return list.filter((one) => one.id !== id);
}

/**
 * The last few with one more in the place of its time. An entry that is older than all of them is left out where there
 * are others before them, `count` in all. The few have to follow each other without a gap.
 */
function withEntry<T extends { ts: string }>(list: readonly T[], entry: T, count: number, most: number): T[] {
  const at = list.findLastIndex((one) => one.ts <= entry.ts) + 1;
  if (at === 0 && count > list.length) return [...list];
  return list.toSpliced(at, 0, entry).slice(-most);
}
