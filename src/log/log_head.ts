import { continues, incompleteText, type ReportProblem } from "./assemble.ts";
import { refuseAboveHeld } from "./limits.ts";
import type { LinePlace } from "./scan.ts";
import type { Event, Op } from "./types.ts";

/**
 * The relation of an event to the end of the order: it completes an op there, begins or goes on with one, or neither.
 */
export type Step = Op | "open" | "duplicate" | "elsewhere";

export interface LogHeadStart {
  heads: string[];
  seq: number;
  ops: number;
  events: number;
  /** Of those events' lines, as a writer writes them. */
  bytes: number;
  root: { hash: string; ts: string } | null;
  /** Hashes of lines that are missing, or stand in no complete op. */
  unresolved: ReadonlySet<string>;
}

/** The end of a log in which nothing is missing or incomplete, as plain JSON. */
export type SavedLogHead = Omit<LogHeadStart, "unresolved">;

/** Never pushed to: an op that begins gets a list of its own. */
const NONE: Event[] = [];

const EMPTY: LogHeadStart = { heads: [], seq: 0, ops: 0, events: 0, bytes: 0, root: null, unresolved: new Set() };

/**
 * The end of the replay order. An op that names all heads comes last, whatever lies before it, and needs no graph
 * (LOG-23). So a log that never forked, or that only grows, is read line by line with nothing kept but the heads.
 * Everything else is "elsewhere", and the caller builds the graph.
 */
export class LogHead {
  heads: string[];
  seq: number;
  ops: number;
  events: number;
  bytes: number;
  root: { hash: string; ts: string } | null;
  /** Ops cut off by the op behind them. */
  cutOff = 0;
  readonly #unresolved: Set<string>;
  readonly #problem: ReportProblem;
  /** The op that has begun, and the one before it: the only ones whose lines may come again unnoticed by the heads. */
  #open: Event[] = NONE;
  #openOffset = 0;
  #openLine = 1;
  #openBytes = 0;
  #latest: Event[] = NONE;
  /** Hashes of each, once a line may have come again: an op may have as many events as a log has lines. */
  #openHashes: Set<string> | null = null;
  #latestHashes: Set<string> | null = null;

  constructor(problem: ReportProblem, from: Partial<LogHeadStart> = {}) {
    const start = { ...EMPTY, ...from };
    this.#problem = problem;
    this.heads = start.heads;
    this.seq = start.seq;
    this.ops = start.ops;
    this.events = start.events;
    this.bytes = start.bytes;
    this.root = start.root;
    this.#unresolved = new Set(start.unresolved);
  }

  /** The op whose events have come only in part, if there is one, and where it begins. */
  get unfinished(): { at: LinePlace; text: string } | null {
    const [first] = this.#open;
    if (first === undefined) return null;
    return { at: { offset: this.#openOffset, line: this.#openLine }, text: incompleteText(first, this.#open.length) };
  }

  /** Null in an empty log, and while lines are missing or an op is incomplete. */
  save(): SavedLogHead | null {
    const { heads, seq, ops, events, bytes, root } = this;
    if (root === null || this.#open.length > 0 || this.#unresolved.size > 0) return null;
    return { heads: [...heads], seq, ops, events, bytes, root: { ...root } };
  }

  /** `bytes`: of its line as a writer writes it. */
  take(event: Event, at: LinePlace, bytes: number): Step {
    const before = this.#open.at(-1);
    const fits =
      event.op.n === 1
        ? this.#namesHeads(event) && event.hash !== this.#open[0]?.hash
        : before !== undefined && continues(before, event);
    if (!fits || (this.#unresolved.size > 0 && this.#changesPast(event)))
      return this.#isRecent(event) ? "duplicate" : "elsewhere";
    if (event.op.n === 1) this.#begin(event, at);
    else {
      this.#open.push(event);
      this.#openHashes?.add(event.hash);
    }
    refuseAboveHeld((this.#openBytes += bytes));
    return event.op.n === event.op.of ? this.#close() : "open";
  }

  #namesHeads(event: Event): boolean {
    const { prev } = event;
    if (event.seq !== this.seq + 1 || prev.length !== this.heads.length) return false;
    for (let i = 0; i < prev.length; i++) if (prev[i] !== this.heads[i]) return false;
    return true;
  }

  /** True when lines before may get another meaning by this event: they miss it, or have it, or it declares one lost. */
  #changesPast(event: Event): boolean {
    if (this.#unresolved.has(event.hash)) return true;
    const list = event.type === "log.gap" ? event.payload["void"] : null;
    return Array.isArray(list) && list.length > 0;
  }

  #isRecent(event: Event): boolean {
    this.#openHashes ??= new Set(this.#open.map(({ hash }) => hash));
    this.#latestHashes ??= new Set(this.#latest.map(({ hash }) => hash));
    return this.#openHashes.has(event.hash) || this.#latestHashes.has(event.hash);
  }

  #begin(event: Event, at: LinePlace): void {
    if (this.#open.length > 0) this.#cut();
    this.#open = [event];
    this.#openHashes = null;
    this.#openOffset = at.offset;
    this.#openLine = at.line;
    this.#openBytes = 0;
  }

  #cut(): void {
    const cut = this.unfinished;
    if (cut === null) return;
    this.cutOff++;
    for (const { hash } of this.#open) this.#unresolved.add(hash);
    this.#problem("OP_INCOMPLETE", cut.at, cut.text);
  }

  #close(): Op {
    const events = this.#open;
    const first = events[0] as Event;
    const last = events.at(-1) as Event;
    this.root ??= { hash: first.hash, ts: first.ts };
    this.heads = [last.hash];
    this.seq = last.seq;
    this.events += events.length;
    this.bytes += this.#openBytes;
    this.#latest = events;
    this.#latestHashes = this.#openHashes;
    this.#open = NONE;
    this.#openHashes = null;
    return { hash: first.hash, last: last.hash, events, index: this.ops++, offset: this.#openOffset };
  }
}
