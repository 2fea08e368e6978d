/**
 * The parts of a log, format version 1 (spec/log.md). The log knows envelopes, bytes and order; it never knows what a
 * step is. The only types it reads the payload of are its own: `foreign.adopted` (LOG-rules on foreign lines) and
 * `log.gap`.
 */

import type { FORMAT } from "./format.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Payload = { [key: string]: Json };

/** Which op an event belongs to: event `n` of `of`, written by `tool`. */
export interface OpStamp {
  /** A retry key given by the writer. Not the identity of the op: that is the hash of its first event. */
  id: string;
  n: number;
  of: number;
  tool: string;
  /** The caller's idempotency key. */
  key?: string;
  /** SHA-256, base64url, of the canonical input that came with `key`. */
  req?: string;
  /** Set when several ops are kept together, mostly in several folders. */
  txn?: TxnStamp;
}

/** The place of an op in a transaction (LOG-6). */
export interface TxnStamp {
  id: string;
  /** Part `n` of `of`. */
  n?: number;
  of?: number;
  /** The place of the part in its call, from 1, where parts before it changed nothing; `n` when left out. */
  at?: number;
  /** Part 1 only: the folders that the transaction changes or makes, as they were called then. */
  ids?: string[];
  /** The first event of the entity that has part 1; none in part 1 when that makes the entity. */
  roots: string[];
}

/** One line of events.jsonl. Keys not listed here are kept and hashed, and mean nothing to this version. */
export interface Event {
  v: typeof FORMAT;
  /** `YYYY-MM-DDTHH:MM:SS.sssZ`, compared as text. */
  ts: string;
  type: string;
  taskId: string;
  seq: number;
  prev: string[];
  op: OpStamp;
  by: string;
  agentInstance?: string;
  turnId?: string;
  payload: Payload;
  /** SHA-256, base64url, of the canonical JSON of everything else. */
  hash: string;
}

/** A line that another program wrote: JSON with a time and a type, and no hash. */
export interface ForeignLine {
  /** SHA-256, base64url, of the trimmed line. */
  hash: string;
  /** In UTC with nine fractional digits, so that text order is time order. */
  ts: string;
  type: string;
  agentInstance: string | null;
  payload: Payload;
}

/** A complete op whose ancestors are all present, in replay order. */
export interface Op {
  /** Hash of the first event: the identity of the op. */
  hash: string;
  /** Hash of the last event: what a child names in `prev`. */
  last: string;
  events: Event[];
  /** Position in replay order, from 0. */
  index: number;
  /** Byte offset of the first event's line. */
  offset: number;
  /** Foreign lines that a `foreign.adopted` event of this op places here, by event index (n - 1). */
  foreign?: Map<number, ForeignLine[]>;
}
