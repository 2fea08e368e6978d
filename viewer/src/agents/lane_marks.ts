/** Marks that would stand on each other become one: pure, for a lane of thousands. */
import type { AgentLane, AgentMark, AgentSpan, MarkKind } from "../../../src/views/viewer/api.ts";

export interface Range {
  from: number;
  to: number;
}

export interface Cluster {
  /** Share of the lane from its left side, 0 to 1. */
  at: number;
  marks: AgentMark[];
  /** The kind among them that matters most. */
  kind: MarkKind;
}

const WEIGHTS: readonly MarkKind[] = [
  "kill",
  "failure",
  "take_over",
  "hand_over",
  "block",
  "undo",
  "reopen",
  "close",
  "complete",
  "stage_end",
  "claim",
  "release",
  "unblock",
  "redo",
  "evidence",
  "stage_start",
  "create",
  "report",
  "note",
  "change",
];

function weightiest(marks: readonly AgentMark[]): MarkKind {
  return WEIGHTS.find((kind) => marks.some((mark) => mark.kind === kind)) ?? "change";
}

/** `gap`: the share of the lane that two marks need between them. */
export function clustersOf(lane: AgentLane, range: Range, shown: ReadonlySet<MarkKind>, gap: number): Cluster[] {
  const groups: { at: number; marks: AgentMark[] }[] = [];
  const span = Math.max(1, range.to - range.from);
  for (const mark of lane.marks) {
    const at = (Date.parse(mark.ts) - range.from) / span;
    if (at < 0 || at > 1 || !shown.has(mark.kind)) continue;
    const last = groups.at(-1);
    if (last && at - last.at < gap) last.marks.push(mark);
    else groups.push({ at, marks: [mark] });
  }
  return groups.map((group) => ({ ...group, kind: weightiest(group.marks) }));
}

/** Where a span lies in the range, as shares; undefined where it is out of sight. */
export function placeOf(span: AgentSpan, range: Range, now: number): { left: number; width: number } | undefined {
  const whole = Math.max(1, range.to - range.from);
  const from = (Date.parse(span.from) - range.from) / whole;
  const to = ((span.to ? Date.parse(span.to) : now) - range.from) / whole;
  // A packet of another program may hold texts that are no times: what began at none has no place.
  if (!(from <= 1) || to < 0) return undefined;
  const left = Math.max(0, from);
  return { left, width: Math.max(0, Math.min(1, Number.isNaN(to) ? from : to) - left) };
}
