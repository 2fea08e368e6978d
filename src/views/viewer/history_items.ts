/** The changes of one log as the viewer lists them: who, with which tool, what it wrote, and what was taken back. */
import type { PastOp } from "../../events/history.ts";
import type { HistoryAnswer, HistoryItem } from "./api.ts";
import { shorten } from "../../state/code_points.ts";
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

/** Quarters of an hour that a history tells: some weeks of work that never rests, years of other work. */
const MAX_QUARTERS = 2000;
/** Every zone is so many quarters from UTC: a reader makes days of them. */
const QUARTER_MINUTES = 15;

/** The latest quarters with a change. A merge may put a change behind later ones: `first` is the least revision of the quarter. */
export function quartersOf(ops: readonly PastOp[]): HistoryAnswer["quarters"] {
  const quarters = new Map<string, HistoryAnswer["quarters"][number]>();
  for (const { ts, revision } of ops) {
    const start = quarterOf(ts);
    const { first, changes } = quarters.get(start) ?? { first: revision, changes: 0 };
    quarters.set(start, { ts: start, first, changes: changes + 1 });
  }
  return [...quarters.values()].toSorted((a, b) => (a.ts < b.ts ? -1 : 1)).slice(-MAX_QUARTERS);
}

function quarterOf(ts: string): string {
  const hour = ts.slice(0, "2026-11-28T13:".length);
  const minutes = Number(ts.slice(hour.length, hour.length + 2));
  return `${hour}${String(minutes - (minutes % QUARTER_MINUTES)).padStart(2, "0")}:00Z`;
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
