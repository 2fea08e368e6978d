/** Builds logs for tests: straight ones, and random histories of several writers who fork and merge. */
import type { Draft } from "../../src/events/define.ts";
import { taskCreated } from "../../src/events/task.created.ts";
import { canonicalJson, sha256 } from "../../src/log/canonical.ts";
import { sealOp, type OpInput, type SealedOp } from "../../src/log/envelope.ts";
import type { Payload } from "../../src/log/types.ts";
import { randomFrom, type Random } from "./random.ts";

/** The time of the n-th minute after a fixed start, in the form of `ts`. */
export function minute(n: number): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const [day, hour] = [1 + (Math.floor(n / 1440) % 28), Math.floor(n / 60) % 24];
  return `2026-${two(1 + (Math.floor(n / 40_320) % 12))}-${two(day)}T${two(hour)}:${two(n % 60)}:00.000Z`;
}

/** How a log of a task begins. */
export function creation(message: string): Draft {
  return taskCreated.draft({
    kind: "task",
    title: "T",
    description: "",
    topology: "squad",
    parent: null,
    contract: null,
    contract_data: null,
    message,
  });
}

export interface OpSpec extends Partial<Omit<OpInput, "drafts">> {
  /** Number of events, or the drafts themselves. */
  events?: number | { type: string; payload: Payload }[];
}

/** One op; what is not given is filled in from `n`, so that two ops with different `n` differ. */
export function makeOp(n: number, spec: OpSpec = {}): SealedOp {
  const { events = 1, ...rest } = spec;
  const drafts =
    typeof events === "number"
      ? Array.from({ length: events }, (_, i) => ({ type: "note.added", payload: { message: `note ${n}.${i}`, n } }))
      : events;
  return sealOp({
    taskId: "TASK-001",
    by: "agent:test",
    ts: minute(n),
    tool: "tasks_note",
    opId: `op-${n}`,
    heads: [],
    seq: 0,
    ...rest,
    drafts,
  });
}

/** What an op upon this one names: its last event and that event's depth. */
export function upon(...ops: SealedOp[]): { heads: string[]; seq: number } {
  const lasts = ops.map((op) => op.events.at(-1)!);
  return { heads: lasts.map((e) => e.hash).sort(), seq: Math.max(0, ...lasts.map((e) => e.seq)) };
}

/** A line of a newer format whose envelope this release cannot place, with the hash that every format gives it (LOG-15). */
export function newerLine(): string {
  return canonicalJson({ hash: sha256(canonicalJson({ v: 2 })), v: 2 });
}

export interface BuiltLog {
  ops: SealedOp[];
  bytes: Buffer;
  /** Lines with their LF. */
  lines: Buffer[];
}

function built(ops: SealedOp[]): BuiltLog {
  const bytes = Buffer.concat(ops.map((op) => op.bytes));
  return { ops, bytes, lines: splitLines(bytes) };
}

/** A log in which each op names exactly the op before it; `specs` is a number of ops or what is special about each. */
export function buildLog(specs: number | OpSpec[]): BuiltLog {
  const list = typeof specs === "number" ? Array.from({ length: specs }, (): OpSpec => ({})) : specs;
  const ops: SealedOp[] = [];
  for (const [n, spec] of list.entries()) {
    const before = ops.at(-1);
    ops.push(makeOp(n, { ...(before === undefined ? {} : upon(before)), ...spec }));
  }
  return built(ops);
}

/** Cuts bytes into lines, each with its LF if it has one. */
export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length;) {
    const lf = bytes.indexOf(0x0a, start);
    const end = lf < 0 ? bytes.length : lf + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

export interface HistoryOptions {
  ops?: number;
  writers?: number;
  /** Probability that a writer takes in another's ops before writing. */
  merge?: number;
  /** Largest number of events in an op. */
  events?: number;
}

export interface History extends BuiltLog {
  /** Parents of each op, as places in `ops`. */
  parents: number[][];
  random: Random;
}

/**
 * A history of several writers who each see their own ops and, now and then, another's: every op names the heads
 * of what its writer has seen. One root; the clock of the last writer is a day slow. The same for the same seed.
 */
export function randomHistory(seed: number, options: HistoryOptions = {}): History {
  const { ops: size = 40, writers = 3, merge = 0.25, events = 3 } = options;
  const random = randomFrom(seed);
  const ops: SealedOp[] = [makeOp(0, { opId: `root-${seed}`, events: 1 + random.below(events) })];
  const parents: number[][] = [[]];
  const views = Array.from({ length: writers }, () => ({ seen: new Set([0]), heads: new Set([0]) }));
  while (ops.length < size) {
    const writer = random.below(writers);
    const view = views[writer]!;
    if (random.chance(merge)) {
      const other = views[random.below(writers)]!;
      for (const op of other.seen) view.seen.add(op);
      for (const op of other.heads) view.heads.add(op);
      for (const op of view.seen) for (const parent of parents[op]!) view.heads.delete(parent);
    }
    const named = [...view.heads].sort((a, b) => a - b);
    const n = ops.length;
    const spec = {
      ...upon(...named.map((i) => ops[i]!)),
      events: 1 + random.below(events),
      by: `agent:writer-${writer}`,
    };
    ops.push(makeOp(n, { ...spec, ts: minute(writer === writers - 1 ? n : n + 1440) }));
    parents.push(named);
    view.seen.add(n);
    view.heads = new Set([n]);
  }
  return { ...built(ops), parents, random };
}
