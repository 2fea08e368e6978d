/** The changes of one log as the viewer lists them: who, with which tool, what it wrote, and what was taken back. */
import type { PastOp } from "../../events/history.ts";
import type { HistoryItem, Quarter } from "./api.ts";
import { shorten } from "../../state/code_points.ts";
import type { Written } from "./written.ts";
import { MAX_CHARACTERS } from "./written.ts";

/** Facts of an op that the log has and the fold does not keep. */
export interface OpFacts {
  agent_instance: string | null;
  turn: string | null;
  merged: boolean;
  /** Which op it took back or brought again. */
  reversal: { op: string; how: "undo" | "redo" } | null;
  written: Written;
}

export interface HistoryPast {
  ops: readonly PastOp[];
  /** Of the op of that hash. */
  factsOf: (op: string) => OpFacts;
}

/** Every zone is so many quarters of an hour from UTC: a reader makes days of them. */
const QUARTER_MS = 15 * 60_000;
/** A year of work that never rests is whole, with a day that a zone cuts at its begin. */
const MAX_QUARTERS = 367 * 96;

/** The latest quarters with a change. A merge may put a change behind later ones: the first revision is the least of the quarter. */
export function quartersOf(ops: readonly PastOp[]): Quarter[] {
  const quarters = new Map<number, Quarter>();
  for (const { ts, revision } of ops) {
    const start = Math.floor(Date.parse(ts) / QUARTER_MS);
    const [, first, changes] = quarters.get(start) ?? [start, revision, 0];
    quarters.set(start, [start, first, changes + 1]);
  }
  return [...quarters.values()].toSorted(([a], [b]) => a - b).slice(-MAX_QUARTERS);
}

/** Those from `from` to `to`, counted from 0. */
export function historyItems({ ops, factsOf }: HistoryPast, from: number, to: number): HistoryItem[] {
  const revisions = new Map(ops.map(({ op, revision }) => [op, revision]));
  const redone = new Set<string>();
  for (const { op } of ops) {
    const { reversal } = factsOf(op);
    if (reversal?.how === "redo") redone.add(reversal.op);
  }
  return ops.slice(from, to).map((past) => {
    const { agent_instance, turn, merged, reversal, written } = factsOf(past.op);
    return {
      revision: past.revision,
      op: past.op,
      ts: past.ts,
      by: past.by,
      agent_instance,
      turn,
      tool: past.tool,
      message: shorten(past.message, MAX_CHARACTERS),
      events: [...past.types],
      undone: past.undone,
      redone: !past.undone && redone.has(past.op),
      undoable: past.undoable && !past.undone,
      turns: reversal && { op: reversal.op, revision: revisions.get(reversal.op) ?? null, how: reversal.how },
      merged,
      ...written,
    };
  });
}
