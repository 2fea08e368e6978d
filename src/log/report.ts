import type { Problem } from "./problem.ts";
import type { ForeignLine } from "./types.ts";

/** The knowledge of a log besides its ops. A report is never changed; a newer one takes its place. */
export interface LogReport {
  /** Bytes read: where `follow` goes on. */
  offset: number;
  /** The parents that a new op names, sorted (LOG-21). */
  heads: string[];
  /** The largest `seq` among the heads, 0 in an empty log. */
  seq: number;
  /** Ops and events in effect; `ops` is the revision. */
  ops: number;
  events: number;
  /** Of their lines, as a writer writes them. */
  bytes: number;
  /** First ops of all entities in this log; the first is the folder's own (LOG-14). */
  roots: { hash: string; ts: string; ops: number }[];
  /** Ops that wait for lines that are missing, and the hashes that would free them (LOG-12). */
  held: number;
  missing: string[];
  /** Ops of which only some events are there (LOG-7). */
  incomplete: number;
  duplicates: number;
  /** Lines of other programs that no op has adopted, by (ts, hash) (LOG-18). */
  foreign: ForeignLine[];
  adoptedForeign: number;
  /** Types that this release does not know, sorted (LOG-15). */
  unknownTypes: string[];
  /** True when this release must neither append nor re-project: a newer version or an unknown type (LOG-15). */
  newer: boolean;
  markers: number;
  /** Last bytes without LF that are no line (LOG-80). */
  torn: { offset: number; length: number } | null;
  /** Lines that end in CR LF. */
  crlf: number;
  /** True when a byte order mark was stripped. */
  bom: boolean;
  /** True while each op names exactly the op before it in the file. */
  linear: boolean;
  /** By place in the log; at most `MAX_PROBLEMS`. */
  problems: Problem[];
  moreProblems: number;
}
