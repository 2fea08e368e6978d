/** The changes of one log as the viewer lists them: who, with which tool, what it wrote, and what was taken back. */
import type { PastOp } from "../../events/history.ts";
import { changesOf } from "../../events/history.ts";
import { shorten } from "../../state/code_points.ts";
import type { Entity } from "../../state/entity.ts";
import { fieldLabel } from "../../state/live.ts";
import type { Json } from "../../state/json.ts";
import type { HistoryItem } from "./api.ts";

const MOST_CHANGES = 50;
const MOST_CHARACTERS = 2000;

/** Facts of an op that the log has and the fold does not keep. */
export interface OpFacts {
  agent_instance: string | null;
  turn: string | null;
  merged: boolean;
  /** Which op it took back or brought again. */
  turned: { op: string; how: "undo" | "redo" } | null;
}

export interface HistoryPast {
  entity: Entity;
  ops: readonly PastOp[];
  /** Of the op of that hash. */
  factsOf: (op: string) => OpFacts;
}

/** Those from `from` to `to`, counted from 0. */
export function historyItems({ entity, ops, factsOf }: HistoryPast, from: number, to: number): HistoryItem[] {
  const revisions = new Map(ops.map(({ op, revision }) => [op, revision]));
  const redone = new Set<string>();
  for (const { op } of ops) {
    const { turned } = factsOf(op);
    if (turned?.how === "redo") redone.add(turned.op);
  }
  return ops.slice(from, to).map((past) => {
    const { agent_instance, turn, merged, turned } = factsOf(past.op);
    const changes = changesOf(entity, past);
    return {
      revision: past.revision,
      op: past.op,
      ts: past.ts,
      by: past.by,
      agent_instance,
      turn,
      tool: past.tool,
      message: past.message,
      events: [...past.types],
      undone: past.undone,
      redone: !past.undone && redone.has(past.op),
      undoable: past.undoable && !past.undone,
      turns: turned && { op: turned.op, revision: revisions.get(turned.op) ?? null, how: turned.how },
      merged,
      changes: changes.slice(0, MOST_CHANGES).map(({ field, before, after }) => ({
        field,
        label: fieldLabel(entity, field),
        before: bounded(before),
        after: bounded(after),
      })),
      changes_total: changes.length,
    };
  });
}

function bounded(value: Json | undefined): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || typeof value === "number") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const cut = shorten(text, MOST_CHARACTERS);
  return cut === text ? value : cut;
}
