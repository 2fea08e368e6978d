import { reasoningRef } from "../state/reasoning.ts";
import type { JsonObject } from "../state/schema.ts";

/**
 * Returns the outcome of a `think` payload, from the printed events of the call: its cards, and the note of the
 * decision.
 */
export function thinkPipeline(events: readonly JsonObject[]): JsonObject {
  const cards = events.filter((event) => event["type"] === "card_added");
  const at = events.findIndex((event) => event["stage"] === "decision");
  const note = events[at + 1];
  const noted = at >= 0 && note?.["type"] === "step_noted" ? (note["event_id"] ?? null) : null;
  return {
    ...reasoningRef(),
    cards: cards.map(({ stage, card_id, title, supports }) => ({ stage, card_id, title, supports }) as JsonObject),
    decision_note: noted,
  };
}
