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

/** Rem from the middle of a mark to that of the next: a mark, and a number that stands out at its side. */
const MARK = 2.4;
/** Rem that a bar takes, and a bar with a number in it. */
const BAR = { one: 1.5, several: 2 };
/** Rem of a character on the axis, and between two texts. The first and the last one stand half a text further in. */
const TICK = { character: 0.75, room: 1 };
const MAX_TICKS = 12;

/** The shares of a lane of so many rem that marks and bars need for themselves. */
export function gapsOf(width: number): { mark: number; bar: { one: number; several: number } } {
  const share = (rem: number): number => Math.min(1, rem / Math.max(1, width));
  return { mark: share(MARK), bar: { one: share(BAR.one), several: share(BAR.several) } };
}

/** Shares of a lane at which the axis has a text of so many characters. Both ends have one. */
export function ticksOf(width: number, characters: number): number[] {
  const room = characters * TICK.character + TICK.room;
  const count = Math.min(MAX_TICKS, Math.max(2, Math.floor(width / room) + 1));
  return Array.from({ length: count }, (_, index) => index / (count - 1));
}

/** How many marks of each kind a cluster has. */
export function kindsOf(marks: readonly AgentMark[]): [MarkKind, number][] {
  const counts = WEIGHTS.map((kind): [MarkKind, number] => [kind, marks.filter((mark) => mark.kind === kind).length]);
  return counts.filter(([, count]) => count > 0);
}

/** Marks in the range whose kind the reader does not want to see. */
export function hiddenOf(lanes: readonly AgentLane[], range: Range, shown: ReadonlySet<MarkKind>): number {
  const isHidden = ({ kind, ts }: AgentMark): boolean =>
    !shown.has(kind) && Date.parse(ts) >= range.from && Date.parse(ts) <= range.to;
  return lanes.reduce((sum, { marks }) => sum + marks.filter(isHidden).length, 0);
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

export interface SpanCluster {
  /** Shares of the lane: from the first begin to the last end. */
  left: number;
  width: number;
  spans: AgentSpan[];
  /** The end among theirs that matters most. */
  end: AgentSpan["end"];
}

const END_WEIGHTS: readonly AgentSpan["end"][] = [
  "killed",
  "failed",
  "interrupted",
  "taken",
  "revoked",
  "expired",
  "open",
  "passed",
  "closed",
  "released",
];

/**
 * Spans that begin side by side are one bar, so that a lane holds no more bars than it has room for. `gap`: the share that a bar of
 * one span needs, and that of a bar with a number.
 */
export function spanClustersOf(
  spans: readonly AgentSpan[],
  range: Range,
  now: number,
  gap: { one: number; several: number },
): SpanCluster[] {
  const groups: { left: number; right: number; spans: AgentSpan[] }[] = [];
  const places = spans.flatMap((span) => {
    const place = placeOf(span, range, now);
    return place ? [{ span, left: place.left, right: place.left + place.width }] : [];
  });
  for (const { span, left, right } of places.sort((one, other) => one.left - other.left)) {
    const last = groups.at(-1);
    if (last && left - last.left < (last.spans.length > 1 ? gap.several : gap.one)) {
      last.spans.push(span);
      last.right = Math.max(last.right, right);
    } else groups.push({ left, right, spans: [span] });
  }
  return groups.map(({ left, right, spans: of }) => {
    const end = END_WEIGHTS.find((one) => of.some((span) => span.end === one))!;
    return { left, width: right - left, spans: of, end };
  });
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
