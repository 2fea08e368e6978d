import { assertHashable, canonicalJson, isSurelyCanonical, sha256 } from "./canonical.ts";
import { checkEnvelope, HASH_LENGTH, MAX_LINE, noteProven } from "./envelope.ts";
import type { ProblemCode } from "./problem.ts";
import { utcNanos } from "./rfc3339.ts";
import type { LineView } from "./scan.ts";
import type { Event, ForeignLine, Payload } from "./types.ts";

/** The kinds of a line (LOG-1, LOG-15 to LOG-18). */
export type Line =
  | { kind: "own"; event: Event; canonical: boolean }
  | { kind: "foreign"; foreign: ForeignLine }
  /** Written by a newer format, and its envelope is not one this release can place. */
  | { kind: "newer"; hash: string }
  | { kind: "marker" }
  /** Of a pointer, which Git LFS keeps in the place of a file (LOG-16). */
  | { kind: "pointer" }
  | { kind: "blank" }
  | { kind: "bad"; code: ProblemCode; reason: string };

export interface LineOptions {
  /**
   * `true` (the default) takes the hash of the line's own bytes, at half the cost of parsing them; `false` trusts them.
   * `"canonical"` also writes the event out again, and so proves there is no repeated key.
   */
  checkHash?: boolean | "canonical";
}

const BLANK: Line = { kind: "blank" };
const MARKER: Line = { kind: "marker" };
const POINTER: Line = { kind: "pointer" };
const MARKER_TEXT = /^(?:(?:<{7,}|\|{7,}|>{7,})(?:\s.*)?|={7,}\s*)$/;
/** The first line of a pointer, and the one with its digest: either is left where git joins two of them. */
const POINTER_TEXT =
  /^(?:version https:\/\/[a-z-]+\.github\.com\/spec\/v\d+|(?:ext-\d-\S+|oid) sha256:[0-9a-f]{64})\s*$/;
const BEGINS_JSON = /[[{"\-0-9tfn]/;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const BEFORE_BY = '{"by":"';
const AFTER_BY = '",';
const HASH_KEY = '"hash":"';
/** Bytes of `"hash":"<43 characters>",`. */
const HASH_MEMBER = HASH_KEY.length + HASH_LENGTH + 2;

/** Reads one line. Never throws on what the line holds. Uses up the bytes: they may lie elsewhere afterwards. */
export function readLine(view: LineView, options: LineOptions = {}): Line {
  if (view.tooLong || view.end - view.start > MAX_LINE)
    return bad("LINE_TOO_LONG", `expected at most ${MAX_LINE} bytes`);
  const text = view.text?.slice(view.start, view.end) ?? view.bytes.toString("utf8", view.start, view.end);
  if (!isInBraces(text)) {
    if (text.trim() === "") return BLANK;
    if (MARKER_TEXT.test(text)) return MARKER;
    if (isPointerLine(text)) return POINTER;
    if (cannotBeJson(text)) return bad("LINE_NOT_JSON", `expected JSON, found ${JSON.stringify(text.slice(0, 20))}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (e) {
    return bad("LINE_NOT_JSON", e instanceof Error ? e.message : String(e));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return bad("LINE_INVALID", "expected an object");
  return "hash" in value ? readOwn(value as Event, text, view, options) : readForeign(value, text);
}

/** Whether a line is one by which Git LFS names the bytes that it keeps. */
export function isPointerLine(text: string): boolean {
  return POINTER_TEXT.test(text);
}

/** Nearly every line: none of the other looks at it is needed then. */
function isInBraces(text: string): boolean {
  return text.charCodeAt(0) === OPEN_BRACE && text.charCodeAt(text.length - 1) === CLOSE_BRACE;
}

/** By its first and last character: the parser's error costs twenty times as much, and a log may be full of such lines. */
function cannotBeJson(text: string): boolean {
  const first = /\S/.exec(text)?.[0] ?? "";
  return first === "{" ? !text.trimEnd().endsWith("}") : !BEGINS_JSON.test(first);
}

function readOwn(event: Event, text: string, view: LineView, options: LineOptions): Line {
  const version: unknown = event.v;
  const newer = version !== 1;
  if (newer && !(Number.isSafeInteger(version) && (version as number) > 1)) {
    return bad("LINE_INVALID", "v: expected a version from 1");
  }
  const wrong = checkEnvelope(event);
  if (wrong !== null) return newer ? readNewer(event, text) : bad("LINE_INVALID", wrong);
  return readValid(event, text, view, options);
}

/** An event whose envelope is in order. */
function readValid(event: Event, text: string, view: LineView, options: LineOptions): Line {
  const { checkHash = true } = options;
  if (checkHash === false || (checkHash === true && ownBytesHash(view, event, text) === event.hash)) {
    noteProven(event.hash);
    return { kind: "own", event, canonical: true };
  }
  return readByValue(event, text);
}

/** A line of a newer format whose envelope is another one; without the hash of its value it is damage, as ours would be. */
function readNewer(event: Event, text: string): Line {
  const line = readByValue(event, text);
  return line.kind === "bad" ? line : { kind: "newer", hash: sha256(text.trim()) };
}

/**
 * Hash of the line's own bytes without the `hash` member, or null when there is none to be seen. Moves the few bytes
 * before the member up to those behind it, in the read buffer, so that they lie together. Copying the line out would
 * cost a tenth of the hash. The text was taken from these bytes before, and nothing else looks at them again.
 */
function ownBytesHash({ bytes, start, end }: LineView, event: Event, text: string): string | null {
  // Where the member stands when `by` is the only one before it. Anything else is looked for, in the text. If more than
  // ASCII stands before it, the place and thus the hash is wrong, and then the slow way decides.
  let at = BEFORE_BY.length + event.by.length + AFTER_BY.length;
  if (!text.startsWith(HASH_KEY, at)) at = text.indexOf(HASH_KEY);
  if (at < 0 || start + at + HASH_MEMBER > end) return null;
  bytes.copyWithin(start + HASH_MEMBER, start, start + at);
  const from = start + HASH_MEMBER;
  return sha256(new Uint8Array(bytes.buffer, bytes.byteOffset + from, end - from));
}

/** The slow way: the hash of the value, whatever its bytes look like. */
function readByValue(event: Event, text: string): Line {
  const fault = assertHashable(event);
  if (fault !== null) return bad("LINE_INVALID", fault);
  if (isSurelyCanonical(event, text) && sha256(withoutHash(text)) === event.hash)
    return { kind: "own", event, canonical: true };
  const { hash, ...rest } = event;
  const found = sha256(canonicalJson(rest));
  if (found !== hash) return bad("LINE_BAD_HASH", `expected ${found}, found ${hash}`);
  const canonical = canonicalJson(event) === text;
  if (!canonical && repeatsKey(text, event)) return bad("LINE_INVALID", "expected each key once, found a repeated key");
  return { kind: "own", event, canonical };
}

/** In canonical text the value without its hash stands beside the member; where that is another place, the hash differs. */
function withoutHash(text: string): string {
  const at = text.indexOf(HASH_KEY);
  return text.slice(0, at) + text.slice(at + HASH_MEMBER);
}

/** True when the text has more keys than the value parsed from it: the parser keeps the last of equal ones. */
function repeatsKey(text: string, value: unknown): boolean {
  const colons = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, "").split(":").length - 1;
  return colons !== countKeys(value);
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const members: unknown[] = Object.values(value);
  return members.reduce<number>((sum, member) => sum + countKeys(member), Array.isArray(value) ? 0 : members.length);
}

function readForeign(value: object, text: string): Line {
  const { ts, type, agentInstance, payload } = value as Record<string, unknown>;
  if ("prev" in value && "op" in value && "seq" in value) return bad("LINE_INVALID", "expected a hash, found none");
  if (typeof type !== "string") return bad("LINE_INVALID", "expected a type, found none");
  const utc = typeof ts === "string" ? utcNanos(ts) : null;
  if (utc === null) return bad("LINE_INVALID", "ts: expected a time as in RFC 3339");
  const foreign: ForeignLine = {
    hash: sha256(text.trim()),
    ts: utc,
    type,
    agentInstance: typeof agentInstance === "string" ? agentInstance : null,
    payload: typeof payload === "object" && payload !== null && !Array.isArray(payload) ? (payload as Payload) : {},
  };
  return { kind: "foreign", foreign };
}

function bad(code: ProblemCode, reason: string): Line {
  return { kind: "bad", code, reason };
}
