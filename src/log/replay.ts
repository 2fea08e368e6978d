import { TaskfoldError } from "../errors.ts";
import type { OpPosition } from "./ancestry.ts";
import { Ancestry } from "./ancestry.ts";
import type { Located, Node } from "./assemble.ts";
import { buildGraph, byTime } from "./graph.ts";
import { MAX_HELD, refuseAboveHeld } from "./limits.ts";
import type { Problem } from "./problem.ts";
import type { LogReport } from "./report.ts";
import { scan, type LinePlace, type LineView } from "./scan.ts";
import type { ByteSource } from "./source.ts";
import { ScanStats, type SavedScanStats, type ScanOptions } from "./scan_stats.ts";
import { LogHead, type SavedLogHead, type LogHeadStart } from "./log_head.ts";
import type { Event, Op } from "./types.ts";
import type { Entity } from "./graph.ts";

export type ReplayOptions = ScanOptions;

/** The findings of the graph about the log as a whole. The graph itself is not kept: it holds every event. */
interface Aside {
  forked: boolean;
  others: LogReport["roots"];
  held: number;
  missing: string[];
  incomplete: number;
}

/** The state that a replay needs to go on where another one stopped. Snapshots on disk hold it as JSON: `tip` and `tally` are their words. */
export interface SavedReplay {
  /** Where the next line begins. */
  next: LinePlace;
  tip: SavedLogHead;
  tally: SavedScanStats;
  /** Null when each op names exactly the op before it; else whether the log has branches. */
  forked: boolean | null;
}

const START: LinePlace = { offset: 0, line: 1 };
const IN_LINE: OpPosition = { joined: true, ancestry: null };

/**
 * Reads one log and tells a sink its ops in replay order (LOG-23). Only ops of the folder's own entity are told.
 * A log that never forked is streamed and nothing of it is kept; one that did is held in memory while it is ordered.
 */
export class Replay {
  readonly #sink: Sink;
  readonly #options: ReplayOptions;
  #stats: ScanStats;
  #head: LogHead;
  /** Both set once the log had to be read as a graph. */
  #ancestry: Ancestry | null = null;
  #aside: Aside | null = null;
  /** Where the next line begins, and how many bytes without LF stand there. */
  #next: LinePlace & { rest: number } = { ...START, rest: 0 };
  /** True until a reading has come to its end: also when the source or the sink threw on the way. */
  #stale = false;
  /** The sink asked for another reading. */
  #again = false;
  #report: LogReport | null = null;

  constructor(sink: Sink, options: ReplayOptions = {}) {
    this.#sink = sink;
    this.#options = options;
    this.#stats = new ScanStats(options);
    this.#head = this.#newHead();
  }

  /** The report after the last `load`, `follow` or `accept`. */
  get report(): LogReport {
    return (this.#report ??= this.#makeReport());
  }

  /** Reads the whole log. The sink is reset first, and once more when a fork is met on the way. */
  load(source: ByteSource): void {
    do {
      this.#clear();
      const straight = this.#readOn(source, START, (op) => this.#tellAt(op, IN_LINE));
      if (!straight) {
        this.#clear();
        this.#loadGraph(source);
      }
    } while (this.#again);
    this.#stale = false;
  }

  /**
   * Reads what came after the last reading. True when every new op names all heads, so that the sink could be told them
   * in their place. False when not, or when it asked to be told all again: then the caller must `load`.
   */
  follow(source: ByteSource): boolean {
    const known = this.#next.offset + this.#next.rest;
    if (this.#stale || source.size() < known) return false;
    if (source.size() === known) return true;
    // Ops that are new are held until the last of them is known to be in its place.
    if (source.size() - known > MAX_HELD) return false;
    // A last line that lacked its LF was read as a line (LOG-80); bytes behind it may make another line of it.
    if (this.#next.rest > 0 && this.#stats.torn === null) return false;
    const ops: Op[] = [];
    this.#stale = true;
    if (!this.#readOn(source, this.#next, (op) => ops.push(op))) return false;
    for (const op of ops) this.#tell(op);
    this.#stale = this.#again;
    return !this.#again;
  }

  /**
   * Takes note of an op that the caller has just appended at the end of the log it had read to its end. Returns it as a
   * reader would see it. `bytes` counts what was written, with the LF that closes an unended last line. The sink is not
   * told. Throws INTERNAL when the op does not name all heads. Not for a `log.gap` that declares lines lost: it may
   * free held ops, so `load`.
   */
  accept(events: Event[], bytes: number): Op {
    const { offset, line, rest } = this.#next;
    const closes = rest > 0 ? 1 : 0;
    const begin = { offset: offset + rest + closes, line: line + closes };
    const { torn } = this.#stats;
    if (torn !== null) {
      this.#stats.torn = null;
      this.#stats.problem(torn.code, torn, torn.reason);
    }
    const steps = events.map((event, i) => this.#head.take(event, begin, i === 0 ? bytes - closes : 0));
    const op = steps.at(-1);
    if (this.#stale || typeof op !== "object" || steps.slice(0, -1).some((step) => step !== "open")) {
      this.#stale = true;
      throw new TaskfoldError(
        "INTERNAL",
        `expected one op upon the heads ${this.#head.heads.join(" ")}, found ${events[0]?.hash ?? "none"}`,
      );
    }
    this.#stats.foreign.adopt(op);
    this.#ancestry?.join();
    this.#next = { offset: offset + rest + bytes, line: begin.line + events.length, rest: 0 };
    this.#report = null;
    return op;
  }

  /** Takes note that the caller cut the torn tail off the log. */
  cut(): void {
    this.#stats.torn = null;
    this.#next.rest = 0;
    this.#report = null;
  }

  /** Returns the input of `resume`; null while only a reading of the whole log can tell how it goes on. */
  save(): SavedReplay | null {
    const { offset, line, rest } = this.#next;
    const aside = this.#aside;
    if (
      this.#stale ||
      rest > 0 ||
      (aside !== null && (aside.others.length > 0 || aside.held > 0 || aside.incomplete > 0))
    )
      return null;
    const tip = this.#head.cutOff > 0 ? null : this.#head.save();
    const tally = this.#stats.save();
    return tip && tally && { next: { offset, line }, tip, tally, forked: aside?.forked ?? null };
  }

  /**
   * Stands where the saved one stood: `follow` goes on from there. The sink is reset and told nothing of the ops before.
   * Ops to come name all heads or ask for a `load`, so that no relation to earlier ops is needed.
   */
  resume({ next, tip, tally, forked }: SavedReplay): void {
    this.#clear();
    this.#stats = new ScanStats(this.#options, tally);
    this.#head = this.#newHead(tip);
    if (forked !== null) this.#aside = { forked, others: [], held: 0, missing: [], incomplete: 0 };
    this.#next = { ...next, rest: 0 };
    this.#stale = false;
  }

  #newHead(start: Partial<LogHeadStart> = {}): LogHead {
    return new LogHead(this.#stats.problem.bind(this.#stats), start);
  }

  #clear(): void {
    this.#sink.reset();
    this.#stats = new ScanStats(this.#options);
    this.#head = this.#newHead();
    this.#ancestry = null;
    this.#aside = null;
    this.#stale = true;
    this.#again = false;
    this.#report = null;
  }

  #tell(op: Op): void {
    const ancestry = this.#ancestry;
    if (ancestry === null) return this.#tellAt(op, IN_LINE);
    ancestry.join();
    this.#tellAt(op, { joined: true, ancestry: this.#aside?.forked ? ancestry : null });
  }

  #tellAt(op: Op, place: OpPosition): void {
    if (this.#sink.op(op, place) === "again") this.#again = true;
  }

  /** Reads ops that name all heads; false at the first line that asks for more. */
  #readOn(source: ByteSource, from: LinePlace, tell: (op: Op) => void): boolean {
    const stats = this.#stats;
    const head = this.#head;
    let straight = true;
    stats.torn = null;
    const end = scan(source, from, (view) => {
      const event = stats.take(view);
      if (event === null) straight = !stats.foreign.late;
      else {
        const step = head.take(event, view, stats.bytes);
        if (typeof step === "object") {
          stats.foreign.adopt(step);
          tell(step);
        } else if (step === "duplicate") stats.duplicate(view, event.hash);
        else straight = step === "open";
      }
      return straight;
    });
    this.#next = end;
    this.#report = null;
    return straight;
  }

  #loadGraph(source: ByteSource): void {
    const stats = this.#stats;
    const events = new Map<string, Located>();
    let held = 0;
    this.#next = scan(source, START, (view: LineView) => {
      const event = stats.take(view);
      if (event === null) return true;
      if (events.has(event.hash)) stats.duplicate(view, event.hash);
      else {
        refuseAboveHeld((held += stats.bytes));
        events.set(event.hash, { event, offset: view.offset, line: view.line, bytes: stats.bytes });
      }
      return true;
    });
    const { entities, held: waiting, missing, incomplete, unresolved } = buildGraph(events, stats.problem.bind(stats));
    const [own, ...others] = entities;
    const order = own === undefined ? [] : inRuns(own.root);
    const forked = order.some((node) => node.children.length > 1);
    const ancestry = new Ancestry();
    for (const node of order) {
      const op = opOf(node);
      stats.foreign.adopt(op);
      const joined = ancestry.add(node.parents.map((parent) => parent.index));
      this.#tellAt(op, { joined, ancestry: forked ? ancestry : null });
    }
    this.#ancestry = ancestry;
    this.#head = this.#newHead(own === undefined ? { unresolved } : { ...headOf(own), unresolved });
    this.#aside = { forked, others: others.map(rootOf), held: waiting.length, missing, incomplete };
  }

  #makeReport(): LogReport {
    const stats = this.#stats;
    const head = this.#head;
    const aside = this.#aside;
    const { torn, foreign } = stats;
    const { unfinished } = head;
    const problems: Problem[] = [...stats.problems];
    if (torn) problems.push({ code: "LINE_TORN", line: torn.line, byte: torn.offset, message: torn.reason });
    if (unfinished)
      problems.push({
        code: "OP_INCOMPLETE",
        line: unfinished.at.line,
        byte: unfinished.at.offset,
        message: unfinished.text,
      });
    if (problems.length > 1) problems.sort((a, b) => a.byte - b.byte);
    return {
      offset: torn === null ? this.#next.offset + this.#next.rest : torn.offset,
      heads: head.heads,
      seq: head.seq,
      ops: head.ops,
      events: head.events,
      bytes: head.bytes,
      roots: [
        ...(head.root === null ? [] : [{ hash: head.root.hash, ts: head.root.ts, ops: head.ops }]),
        ...(aside?.others ?? []),
      ],
      held: aside?.held ?? 0,
      missing: aside?.missing ?? [],
      incomplete: (aside?.incomplete ?? 0) + head.cutOff + (unfinished === null ? 0 : 1),
      duplicates: stats.duplicates,
      foreign: foreign.unadopted(),
      adoptedForeign: foreign.adopted,
      unknownTypes: stats.unknownTypes.size === 0 ? [] : [...stats.unknownTypes].sort(),
      newer: stats.newerVersion || stats.unknownTypes.size > 0,
      markers: stats.markers,
      torn: torn === null ? null : { offset: torn.offset, length: this.#next.rest },
      crlf: stats.crlf,
      bom: stats.bom,
      linear: aside === null,
      problems,
      moreProblems: stats.moreProblems,
    };
  }
}

/** Returns an op from the graph of a log that is no straight line. */
function opOf({ hash, last, index, located }: Node): Op {
  return { hash, last, events: located.map((l) => l.event), index, offset: (located[0] as Located).offset };
}

function rootOf({ root, ops }: Entity): LogReport["roots"][number] {
  return { hash: root.hash, ts: root.first.ts, ops: ops.length };
}

function headOf({ root, ops, heads, seq }: Entity): Partial<LogHeadStart> {
  const located = ops.flatMap((op) => op.located);
  const bytes = located.reduce((sum, line) => sum + line.bytes, 0);
  return { heads, seq, ops: ops.length, events: located.length, bytes, root: { hash: root.hash, ts: root.first.ts } };
}

/**
 * The receiver of the ops, in replay order. `reset` asks it to forget all of them. An op that it can judge only when it
 * knew from the start that it comes has the answer "again": the log is read anew. It asks so once for each thing it did
 * not know.
 */
interface Sink {
  reset(): void;
  op(op: Op, place: OpPosition): "again" | undefined | void;
}

/**
 * Replay order of one entity, depth first in runs (LOG-11). Emit an op, then those of its children whose parents are
 * all emitted, the earliest begun first. So a branch is replayed in one piece, nearly always on the state its author
 * saw. Of two branches the one that began later has the last word. Sets each op's `index`.
 */
function inRuns(root: Node): Node[] {
  const order: Node[] = [];
  const open = new Map<Node, number>();
  const stack = [root];
  for (let op = stack.pop(); op !== undefined; op = stack.pop()) {
    op.index = order.length;
    order.push(op);
    const ready = op.children.filter((child) => {
      const left = (open.get(child) ?? child.parents.length) - 1;
      open.set(child, left);
      return left === 0;
    });
    ready.sort((a, b) => byTime(b, a));
    for (const child of ready) stack.push(child);
  }
  return order;
}
