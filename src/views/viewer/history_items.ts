/** The changes of one log as the viewer lists them: who, with which tool, what it wrote, and what was taken back. */
import type { PastOp } from "../../events/history.ts";
import type { HistoryAnswer, HistoryItem } from "./api.ts";
import { shorten } from "../../state/code_points.ts";
import { MAX_DAYS } from "./main_time.ts";
import type { Written } from "./written.ts";
import { MAX_CHARACTERS } from "./written.ts";

/** Facts of an op that the log has and the fold does not keep. */
export interface OpFacts {
  agent_instance: string | null;
  turn: string | null;
  merged: boolean;
  /** Which op it took back or brought again. */
  turned: { op: string; how: "undo" | "redo" } | null;
  written: Written;
}

export interface HistoryPast {
  ops: readonly PastOp[];
  /** Of the op of that hash. */
  factsOf: (op: string) => OpFacts;
}

/** A later change of an earlier day, by another clock or of another branch, counts for its own day. */
export function daysOf(ops: readonly PastOp[]): HistoryAnswer["days"] {
  const days = new Map<string, HistoryAnswer["days"][number]>();
  for (const { ts, revision } of ops) {
    const day = ts.slice(0, "2026-11-28".length);
    days.set(day, { day, revision, changes: (days.get(day)?.changes ?? 0) + 1 });
  }
  return [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)).slice(-MAX_DAYS);
}

/** Those from `from` to `to`, counted from 0. */
export function historyItems({ ops, factsOf }: HistoryPast, from: number, to: number): HistoryItem[] {
  const revisions = new Map(ops.map(({ op, revision }) => [op, revision]));
  const redone = new Set<string>();
  for (const { op } of ops) {
    const { turned } = factsOf(op);
    if (turned?.how === "redo") redone.add(turned.op);
  }
  return ops.slice(from, to).map((past) => {
    const { agent_instance, turn, merged, turned, written } = factsOf(past.op);
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
      turns: turned && { op: turned.op, revision: revisions.get(turned.op) ?? null, how: turned.how },
      merged,
      ...written,
    };
  });
}
