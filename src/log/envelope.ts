import { TaskfoldError } from "../errors.ts";
import { assertHashable, canonicalJson, hashableCopy, MAX_DEPTH, sha256, sortedJson } from "./canonical.ts";
import { FORMAT } from "./format.ts";
import type { Event, OpStamp, Payload, TxnStamp } from "./types.ts";

/** Longest line and largest op, in bytes (LOG-22). */
export const MAX_LINE = 2 * 1024 * 1024;
export const MAX_OP = 4 * 1024 * 1024;
/** The event is the first level of a line (LOG-5). */
const PAYLOAD_DEPTH = MAX_DEPTH - 1;

const TS = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const TYPE = /^[a-z][a-z_]*(?:\.[a-z][a-z_]*)+$/;
const BY = /^(?:system|(?:human|agent|system):[A-Za-z0-9._@/+-]{1,64})$/;
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** Characters of a SHA-256 in base64url. */
export const HASH_LENGTH = 43;
/** Bytes of `,"hash":"<43 characters>"`. */
const HASH_MEMBER = ',"hash":""'.length + HASH_LENGTH;
const LF = 0x0a;

let proven = "";
/** The type and the writer that were found valid last: neighbours in a log mostly share them, and a pattern costs more than a comparison. */
let validType = "";
let validBy = "";

/**
 * Notes a hash that was compared with one computed here. In a straight log the next event names it, which spares the
 * pattern: it would be the dearest part of `checkEnvelope`.
 */
export function noteProven(hash: string): void {
  proven = hash;
}

/** One op about to be written. */
export interface OpInput {
  taskId: string;
  by: string;
  ts: string;
  tool: string;
  opId: string;
  key?: string | undefined;
  req?: string | undefined;
  txn?: TxnStamp | undefined;
  agentInstance?: string | undefined;
  turnId?: string | undefined;
  /** The heads the writer saw; empty for the first op of a log. */
  heads: readonly string[];
  /** The largest `seq` among those heads, 0 when there are none. */
  seq: number;
  drafts: readonly { type: string; payload: Payload }[];
}

/** An op ready to append: its events, and its canonical lines, each with LF, in one buffer. */
export interface SealedOp {
  events: Event[];
  bytes: Buffer;
}

/**
 * Builds a whole op (LOG-2, LOG-4, LOG-5 and LOG-6). The events hold sorted copies of the payloads, as a reader would parse them.
 * Throws OP_TOO_LARGE above the limits of LOG-22, INVALID_INPUT when a payload is not hashable or the envelope would
 * not be valid.
 *
 * The envelope's keys stand in sorted order in the template below. Members that `checkEnvelope` holds against a pattern
 * need no escaping.
 */
export function sealOp(input: OpInput): SealedOp {
  const of = input.drafts.length;
  if (of === 0) throw new TaskfoldError("INVALID_INPUT", "expected an op of at least one event, found none");
  const q = quoted;
  const head = `{${input.agentInstance === undefined ? "" : `"agentInstance":${q(input.agentInstance)},`}"by":"${input.by}"`;
  const opHead = `,"op":{"id":${q(input.opId)}${input.key === undefined ? "" : `,"key":${q(input.key)}`},"n":`;
  const opTail = `,"of":${of}${input.req === undefined ? "" : `,"req":${q(input.req)}`},"tool":${q(input.tool)}${
    input.txn === undefined ? "" : `,"txn":${canonicalJson(input.txn)}`
  }},"payload":`;
  const taskAndTs = `,"taskId":${q(input.taskId)},"ts":"${input.ts}"${input.turnId === undefined ? "" : `,"turnId":${q(input.turnId)}`},"type":"`;

  const events: Event[] = [];
  const lines: Buffer[] = [];
  let prev = input.heads.length > 1 ? [...input.heads].sort() : [...input.heads];
  let size = 0;
  for (let n = 1; n <= of; n++) {
    const { type, payload: given } = input.drafts[n - 1]!;
    const seq = input.seq + n;
    const payload = hashableCopy(given, true, PAYLOAD_DEPTH);
    if (payload === undefined) {
      const why = assertHashable(given, PAYLOAD_DEPTH) ?? `event ${n} of ${of}`;
      throw new TaskfoldError("INVALID_INPUT", why);
    }
    const named = prev.length === 0 ? "[]" : `["${prev.join('","')}"]`;
    const tail = `${opHead}${n}${opTail}${sortedJson(payload)},"prev":${named},"seq":${seq}${taskAndTs}${type}","v":1}`;
    const { hash, line } = sealLine(head, tail);
    const event = eventOf(input, { type, payload }, { n, of, seq, prev, hash });
    const wrong = checkEnvelope(event);
    if (wrong !== null) throw new TaskfoldError("INVALID_INPUT", `event ${n} of ${of}: ${wrong}`);
    noteProven(hash);
    checkSize("event", line.length, MAX_LINE);
    size += line.length;
    lines.push(line);
    events.push(event);
    prev = [hash];
  }
  checkSize("op", size, MAX_OP);
  return { events, bytes: lines.length === 1 ? lines[0]! : Buffer.concat(lines) };
}

/**
 * The text without its hash, the hash of it, and the line with it. Put into bytes once: it is hashed behind a gap as
 * wide as the hash's member. Then the bytes before that member move to the front.
 */
function sealLine(head: string, tail: string): { hash: string; line: Buffer } {
  const text = head + tail;
  const before = Buffer.byteLength(head);
  const line = Buffer.allocUnsafe(HASH_MEMBER + Buffer.byteLength(text) + 1);
  line.write(text, HASH_MEMBER);
  line[line.length - 1] = LF;
  const hash = sha256(line.subarray(HASH_MEMBER, line.length - 1));
  line.copyWithin(0, HASH_MEMBER, HASH_MEMBER + before);
  line.write(`,"hash":"${hash}"`, before, "latin1");
  return { hash, line };
}

interface Links {
  n: number;
  of: number;
  seq: number;
  prev: string[];
  hash: string;
}

/** The event as a reader would parse it, its keys in the order of the line. Most ops have none of the keys that may be left out. */
function eventOf(input: OpInput, draft: { type: string; payload: Payload }, { n, of, seq, prev, hash }: Links): Event {
  const { opId: id, key, req, tool, txn, agentInstance, by, taskId, ts, turnId } = input;
  const { type, payload } = draft;
  const op: OpStamp =
    key === undefined && req === undefined && txn === undefined
      ? { id, n, of, tool }
      : {
          id,
          ...(key !== undefined && { key }),
          n,
          of,
          ...(req !== undefined && { req }),
          tool,
          ...(txn !== undefined && { txn }),
        };
  if (agentInstance === undefined && turnId === undefined)
    return { by, hash, op, payload, prev, seq, taskId, ts, type, v: FORMAT };
  const agent = agentInstance !== undefined && { agentInstance };
  const turnField = turnId !== undefined && { turnId };
  return { ...agent, by, hash, op, payload, prev, seq, taskId, ts, ...turnField, type, v: FORMAT };
}

/** Most of what stands in an envelope needs no escape, and to look costs a fifth of asking the serialiser. */
const PLAIN = /^[\w .:@/+-]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function checkSize(what: string, size: number, limit: number): void {
  if (size <= limit) return;
  throw new TaskfoldError("OP_TOO_LARGE", `expected an ${what} of at most ${limit} bytes, found ${size}`, {
    recovery: "Nothing was written; give fewer steps or items per call, or shorter texts.",
  });
}

/**
 * Says why an object is no valid envelope (LOG-2), or returns null. The version is the caller's to judge: a
 * newer one that keeps this envelope still takes its place in the graph. Of the hash only the length is
 * looked at: comparing it is the reader's.
 */
export function checkEnvelope(value: object): string | null {
  const e = value as Record<keyof Event, unknown>;
  const wrong = checkOp(e.op) ?? checkLinks(e.prev, e.seq, (e.op as OpStamp).n);
  if (wrong !== null) return wrong;
  if (typeof e.ts !== "string" || !TS.test(e.ts)) return found("ts", "YYYY-MM-DDTHH:MM:SS.sssZ", e.ts);
  if (e.type !== validType) {
    if (typeof e.type !== "string" || !TYPE.test(e.type)) return found("type", "names joined by dots", e.type);
    validType = e.type;
  }
  if (e.by !== validBy) {
    if (typeof e.by !== "string" || !BY.test(e.by))
      return found("by", "human, agent or system, a colon and a name", e.by);
    validBy = e.by;
  }
  if (typeof e.hash !== "string" || e.hash.length !== HASH_LENGTH)
    return found("hash", "43 characters of base64url", e.hash);
  if (typeof e.taskId !== "string" || e.taskId === "") return found("taskId", "a name", e.taskId);
  if (!isObject(e.payload)) return found("payload", "an object", e.payload);
  if (e.agentInstance !== undefined && !isText(e.agentInstance)) return found("agentInstance", "text", e.agentInstance);
  if (e.turnId !== undefined && !isText(e.turnId)) return found("turnId", "text", e.turnId);
  return null;
}

function checkOp(value: unknown): string | null {
  if (!isObject(value)) return found("op", "an object", value);
  const { id, n, of, tool, key, req, txn } = value;
  if (typeof id !== "string" || id === "") return found("op.id", "text", id);
  if (typeof tool !== "string" || tool === "") return found("op.tool", "a name", tool);
  if (!isCount(of)) return found("op.of", "a whole number from 1", of);
  if (!isCount(n) || n > of) return found("op.n", `a whole number from 1 to ${of}`, n);
  if (key !== undefined && typeof key !== "string") return found("op.key", "text", key);
  if (req !== undefined && typeof req !== "string") return found("op.req", "text", req);
  if (txn === undefined) return null;
  if (!isObject(txn) || typeof txn["id"] !== "string") return found("op.txn", "an object with an id", txn);
  const roots = txn["roots"];
  if (!Array.isArray(roots) || !roots.every((r) => typeof r === "string"))
    return found("op.txn.roots", "a list of texts", roots);
  return null;
}

function checkLinks(prev: unknown, seq: unknown, n: number): string | null {
  if (!Array.isArray(prev)) return found("prev", "a list", prev);
  for (let i = 0; i < prev.length; i++) {
    const hash: string = prev[i];
    if (hash !== proven && (typeof hash !== "string" || !HASH.test(hash))) return found("prev", "hashes", hash);
    if (i > 0 && hash <= prev[i - 1]) return "prev: expected hashes sorted and without repeats";
  }
  if (n > 1 && prev.length !== 1) return found("prev", `one hash at event ${n} of an op`, `${prev.length} hashes`);
  if (!isCount(seq)) return found("seq", "a whole number from 1", seq);
  if (prev.length === 0 && seq !== 1) return found("seq", "1 where prev is empty", seq);
  return null;
}

/** Texts of a host have been through no schema: a lone surrogate makes a line that no reader takes (LOG-5). */
function isText(value: unknown): boolean {
  return typeof value === "string" && value.isWellFormed();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function found(key: string, expected: string, value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? typeof value);
  return `${key}: expected ${expected}, found ${text.length > 80 ? `${text.slice(0, 80)}...` : text}`;
}
