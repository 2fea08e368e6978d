/** The ops of one entity, newest first, with what each changed (VIEW rules). */
import { changesOf, isTurn } from "../events/history.ts";
import type { FieldChange, PastOp } from "../events/history.ts";
import { shorten } from "../state/code_points.ts";
import type { Entity } from "../state/entity.ts";
import type { Json, JsonObject } from "../state/schema.ts";

/** Longest value that a list of ops shows; the whole stands in the log. */
const MOST_CHARACTERS = 200;

export function historyRow(entity: Entity, past: PastOp, redo: readonly string[]): JsonObject {
  return {
    revision: past.revision,
    op: past.op,
    ts: past.ts,
    by: past.by,
    tool: past.tool,
    message: past.message,
    events: past.types.map((t) => t.replaceAll(".", "_")),
    undoable: past.undoable && !past.undone,
    undone: past.undone,
    ...(past.undone ? { redoable: redo.at(-1) === past.op } : {}),
    ...(isTurn(past) ? {} : { changes: changesOf(entity, past).map(change) }),
  };
}

function change({ field, before, after }: FieldChange): JsonObject {
  return { field, before: short(before), after: short(after) };
}

function short(value: Json): Json {
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const cut = shorten(text, MOST_CHARACTERS);
  return cut === text ? value : cut;
}
