/**
 * The ops of one log that a reader has not seen, in replay order. These are the ops in effect that are neither heads of what
 * it saw nor before them. Ancestry decides and never the place, so an op that git brought later is among them even if replay
 * puts it before.
 */
import { TaskfoldError } from "../../errors.ts";
import { refuseAboveHeld } from "../../log/limits.ts";
import { readOps } from "../../log/read_ops.ts";
import { isKnownType } from "../../events/index.ts";
import { bytesSource } from "../../log/source.ts";
import type { ByteSource } from "../../log/source.ts";
import type { Event, Op } from "../../log/types.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import { scan } from "../../log/scan.ts";
import { ScanStats } from "../../log/scan_stats.ts";
import { LogHead } from "../../log/log_head.ts";

/** The part of a log that was seen; `at` is where the op of the only head begins, a hint. */
export interface SeenLog {
  heads: readonly string[];
  at?: number;
  /** Ops that a page's end cut: how many of their events were given, by the op's hash. */
  part?: Readonly<Record<string, number>>;
}

export interface OpsSince {
  /** The first `limit` of them, without the events that were given: no page of so many events has more. */
  ops: Op[];
  /** Events of all unseen ops, these and those after them. */
  events: number;
  /** The part that has been seen with the first `count` of `ops`, and so many events of the next one. */
  after: (count: number, events?: number) => SeenLog;
}

const NONE: OpsSince = { ops: [], events: 0, after: () => ({ heads: [] }) };

/**
 * Of an entity that was caught up with just now; of several folders when git left its log in more than one. CURSOR_EXPIRED
 * when it lacks what was seen.
 */
export function opsSinceOf(
  [loaded, ...others]: readonly [LoadedEntity, ...LoadedEntity[]],
  seen: SeenLog,
  limit: number,
): OpsSince {
  if (others.length > 0) {
    const logs = [loaded, ...others].flatMap(({ log }) => [log.withSource(bytesOf), Buffer.from("\n")]);
    return wholeOf(loaded.id, bytesSource(Buffer.concat(logs)), seen, limit);
  }
  const { heads } = loaded.report;
  if (heads.length === 0 && seen.heads.length === 0) return NONE;
  if (!seen.part && heads.length === seen.heads.length && heads.every((head, i) => head === seen.heads[i]))
    return { ...NONE, after: () => seen };
  return loaded.log.withSource((source) => {
    const { offset } = loaded.report;
    // No further than the catch-up got: what is appended meanwhile belongs to the next page.
    const known: ByteSource = {
      size: () => Math.min(source.size(), offset),
      read: (into, position) => source.read(into, position),
    };
    return straightOf(loaded, known, seen, limit) ?? wholeOf(loaded.id, known, seen, limit);
  });
}

/**
 * The ops behind the only head, read from where it stands. If the last op so reached is the only head of the log, no other op
 * can be unseen. Every op is an ancestor of it, and each of its ancestors was seen before or read now.
 */
function straightOf(loaded: LoadedEntity, source: ByteSource, seen: SeenLog, limit: number): OpsSince | null {
  const { report } = loaded;
  const [last] = seen.heads;
  const isStart = last === undefined && report.linear;
  if (!isStart && (last === undefined || seen.heads.length > 1 || seen.at === undefined)) return null;
  const before = last === undefined ? null : { last, offset: seen.at! };
  const read = readStraight(source, before, report.linear ? limit : Infinity);
  const end = read?.at(-1);
  if (!read || !end || (!report.linear && (report.heads.length > 1 || report.heads[0] !== end.last))) return null;
  if (!hasAll(read, seen)) return null;
  const ops = read.map((op) => restOf(op, seen));
  const given = read.reduce((sum, op, i) => sum + op.events.length - ops[i]!.events.length, 0);
  const events = report.seq - read[0]!.events[0]!.seq + 1 - given;
  const after = (count: number, some = 0): SeenLog => {
    const op = ops[count - 1];
    return withPart(op ? { heads: [op.last], at: op.offset } : seen, seen, ops, count, some);
  };
  return { ops: ops.slice(0, limit), events, after };
}

/** The whole log in memory: what is unseen in a log with branches cannot be found in less. */
function wholeOf(id: string, source: ByteSource, seen: SeenLog, limit: number): OpsSince {
  const { ops: all, beforeAny } = readOps(source, { isKnownType });
  const byLast = new Map(all.map((op) => [op.last, op]));
  const heads = seen.heads.map((hash) => byLast.get(hash) ?? expired(id));
  const before = beforeAny(heads.map((head) => head.index));
  const given = new Set(heads);
  const isSeen = (op: Op): boolean => given.has(op) || before(op.index);
  if (!hasAll(all, seen)) expired(id);
  const opsSince = all.filter((op) => !isSeen(op)).map((op) => restOf(op, seen));
  const after = (count: number, some = 0): SeenLog => withPart(headsAfter(count), seen, opsSince, count, some);
  const headsAfter = (count: number): SeenLog => {
    const seenOps = [...heads, ...opsSince.slice(0, count)];
    const covered = beforeAny(seenOps.map((op) => op.index));
    const tips = seenOps.filter((op) => !covered(op.index));
    const [only, ...others] = tips;
    if (only && others.length === 0) return { heads: [only.last], at: only.offset };
    return { heads: tips.map((op) => op.last).toSorted() };
  };
  const events = opsSince.reduce((sum, op) => sum + op.events.length, 0);
  return { ops: opsSince.slice(0, limit), events, after };
}

function hasAll(ops: readonly Op[], { part = {} }: SeenLog): boolean {
  const cut = Object.keys(part);
  const begun = cut.length === 0 ? null : new Set(ops.map((op) => op.hash));
  return cut.every((hash) => begun!.has(hash));
}

/** The op without the events that were given; never without its last, whatever the cursor says. */
function restOf(op: Op, { part = {} }: SeenLog): Op {
  const given = Math.min(part[op.hash] ?? 0, op.events.length - 1);
  return given === 0 ? op : { ...op, events: op.events.slice(given) };
}

/** `to`, with the ops that are still cut once `count` of `ops` were given whole and `some` events of the next. */
function withPart(
  { part: _old, ...to }: SeenLog,
  { part: before = {} }: SeenLog,
  ops: readonly Op[],
  count: number,
  some: number,
): SeenLog {
  const part = { ...before };
  for (const { hash } of ops.slice(0, count)) delete part[hash];
  const next = ops[count];
  if (next && some > 0) part[next.hash] = (part[next.hash] ?? 0) + some;
  return Object.keys(part).length === 0 ? to : { ...to, part };
}

function bytesOf(source: ByteSource): Buffer {
  refuseAboveHeld(source.size());
  const bytes = Buffer.allocUnsafe(source.size());
  return bytes.subarray(0, source.read(bytes, 0));
}

function expired(id: string): never {
  throw new TaskfoldError(
    "CURSOR_EXPIRED",
    `Expected a cursor of what is there now; this one names changes that are not in the log of ${id}.`,
    { recovery: "Read from the start, without since.", details: { id } },
  );
}

/** An op that was read before: its last event, and where its first line is thought to stand. */
interface ReadBefore {
  last: string;
  offset: number;
}

/**
 * Ops that name exactly the op before them, from the start or behind `after`, at most `most`. Returns null if a
 * line asks for more than that, or if `after` stands elsewhere: then the log is read as a whole. Costs by the ops
 * returned, not by the log.
 */
function readStraight(source: ByteSource, after: ReadBefore | null, most: number): Op[] | null {
  const stats = new ScanStats({});
  const ops: Op[] = [];
  let straight = true;
  let head = after === null ? new LogHead(ignore) : null;
  const skip = after === null ? 0 : 1;
  if (after !== null && (after.offset < 0 || after.offset >= source.size())) return null;
  scan(source, { offset: after?.offset ?? 0, line: 1 }, (view) => {
    const event = stats.take(view);
    // Only the first line can show whether the place is right.
    if (event === null) return (straight = head !== null);
    head ??= headBefore(event);
    const step = head.take(event, view, stats.bytes);
    if (typeof step === "object") {
      ops.push(step);
      if (after !== null && ops.length === 1) straight = step.last === after.last;
    } else straight = step !== "elsewhere";
    return straight && ops.length < most + skip;
  });
  if (!straight || ops.length < skip) return null;
  return ops.slice(skip);
}

/** The end of a log in which the op of this first event comes next. */
function headBefore(event: Event): LogHead {
  return new LogHead(ignore, { heads: event.prev, seq: event.seq - 1 });
}

const ignore = (): void => undefined;
