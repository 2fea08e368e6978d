import { canonicalJson } from "./canonical.ts";
import { ForeignLines } from "./foreign.ts";
import type { SavedForeign } from "./foreign.ts";
import { readLine, type Line, type LineOptions } from "./line.ts";
import type { Problem, ProblemCode } from "./problem.ts";
import type { LinePlace, LineView } from "./scan.ts";
import type { Event } from "./types.ts";

/** Problems kept in detail; beyond them only their number is. A log that was rewritten whole would fill the memory. */
export const MAX_PROBLEMS = 1000;

export interface ScanOptions extends LineOptions {
  /** Which types this release gives a meaning. Types under `x.` need none. */
  isKnownType?: (type: string) => boolean;
}

/** The account of a log with nothing torn, newer or in conflict, as plain JSON. */
export interface SavedScanStats {
  foreign: SavedForeign;
  problems: Problem[];
  moreProblems: number;
  crlf: number;
  duplicates: number;
  bom: boolean;
}

/** Reads lines, hands back our own events, and keeps account of everything else that a log may hold. */
export class ScanStats {
  readonly foreign: ForeignLines;
  readonly problems: Problem[];
  readonly unknownTypes = new Set<string>();
  moreProblems: number;
  markers = 0;
  /** Lines of pointers of Git LFS. */
  pointers = 0;
  crlf: number;
  duplicates: number;
  bom: boolean;
  newerVersion = false;
  /** Of the line of the event that was taken last, as a writer writes it. */
  bytes = 0;
  /** Why the last bytes, which have no LF, are no line. */
  torn: (LinePlace & { code: ProblemCode; reason: string }) | null = null;

  readonly #options: ScanOptions;
  readonly #types = new Set<string>();

  constructor(options: ScanOptions, from?: SavedScanStats) {
    this.#options = options;
    this.foreign = new ForeignLines(from?.foreign);
    this.problems = [...(from?.problems ?? [])];
    this.moreProblems = from?.moreProblems ?? 0;
    this.crlf = from?.crlf ?? 0;
    this.duplicates = from?.duplicates ?? 0;
    this.bom = from?.bom ?? false;
  }

  /** Null while there is something that only a reading of the whole log may judge. */
  save(): SavedScanStats | null {
    if (this.torn !== null || this.newerVersion || this.unknownTypes.size > 0) return null;
    if (this.markers + this.pointers > 0) return null;
    const { problems, moreProblems, crlf, duplicates, bom } = this;
    return { foreign: this.foreign.save(), problems: [...problems], moreProblems, crlf, duplicates, bom };
  }

  /** The event of a line of ours, otherwise null with the line accounted for. */
  take(view: LineView): Event | null {
    const line = readLine(view, this.#options);
    if (line.kind === "bad" && !view.ended) {
      this.torn = { offset: view.offset, line: view.line, code: line.code, reason: line.reason };
      return null;
    }
    if (view.crlf) this.crlf++;
    if (view.bom) this.bom = true;
    if (line.kind === "own") return this.#own(line, view);
    this.#other(line, view);
    return null;
  }

  #own(line: Line & { kind: "own" }, at: LineView): Event {
    const { event } = line;
    this.bytes = 1 + (line.canonical ? at.end - at.start : Buffer.byteLength(canonicalJson(event)));
    if (!line.canonical)
      this.problem("LINE_NOT_CANONICAL", at, `the event ${event.hash} is valid, its bytes are not canonical`);
    const version: number = event.v;
    if (version !== 1) this.#newer(at);
    if (!this.#types.has(event.type)) {
      this.#types.add(event.type);
      if (!event.type.startsWith("x.") && this.#options.isKnownType?.(event.type) === false) {
        this.unknownTypes.add(event.type);
        this.problem("TYPE_UNKNOWN", at, `expected a type this release knows, found ${event.type}`);
      }
    }
    return event;
  }

  #other(line: Exclude<Line, { kind: "own" }>, at: LinePlace): void {
    switch (line.kind) {
      case "blank":
        return;
      case "bad":
        return this.problem(line.code, at, line.reason);
      case "newer":
        return this.#newer(at);
      case "marker":
        this.markers++;
        return this.problem("LINE_MARKER", at, "expected an event, found a conflict marker");
      case "pointer":
        this.pointers++;
        return this.problem("LINE_LFS_POINTER", at, "expected an event, found a line of a pointer of Git LFS");
      case "foreign":
        if (!this.foreign.add(line.foreign)) this.duplicate(at, line.foreign.hash);
    }
  }

  #newer(at: LinePlace): void {
    this.newerVersion = true;
    this.problem("VERSION_NEWER", at, "expected version 1, found a newer one");
  }

  /** Counts a line that was there before. */
  duplicate(at: LinePlace, hash: string): void {
    this.duplicates++;
    this.problem("LINE_DUPLICATE", at, `the line ${hash} stands there more than once`);
  }

  problem(code: ProblemCode, at: LinePlace, message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ code, line: at.line, byte: at.offset, message });
    else this.moreProblems++;
  }
}
