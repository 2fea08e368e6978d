/** The cursor of one log: what a reader has seen of it, inline, as base64url of JSON. Opaque to callers. */
import { TaskfoldError } from "../../errors.ts";

export interface CursorState {
  /** Last events of the ops that were shown whole and that no other such op descends from, sorted. */
  heads: readonly string[];
  /** Ops that a page's end cut: how many of their events were shown, by the op's hash. */
  part: Readonly<Record<string, number>>;
  /** Byte at which the op of the only head begins; a hint, which its reader verifies. */
  at?: number;
}

export const NOTHING_SEEN: CursorState = { heads: [], part: {} };

const HASH = /^[A-Za-z0-9_-]{43}$/;
const MAX_CHARACTERS = 1024 * 1024;

export function writeCursor({ heads, part, at }: CursorState): string {
  const cut = Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.from(JSON.stringify([1, heads, cut, ...(at === undefined ? [] : [at])])).toString("base64url");
}

/** INVALID_INPUT when the text was never a cursor. */
export function readCursor(text: string): CursorState {
  const value =
    text.length > MAX_CHARACTERS || !/^[A-Za-z0-9_-]+$/.test(text)
      ? null
      : parse(Buffer.from(text, "base64url").toString("utf8"));
  if (!Array.isArray(value) || value.length < 3 || value.length > 4 || value[0] !== 1) throw garbage(text);
  const [, heads, cut, at] = value as unknown[];
  if (!Array.isArray(heads) || !Array.isArray(cut) || !heads.every(isHash) || !cut.every(isCut)) throw garbage(text);
  const seen: CursorState = { heads, part: Object.fromEntries(cut) };
  if (at === undefined) return seen;
  if (!Number.isSafeInteger(at) || (at as number) < 0) throw garbage(text);
  return { ...seen, at: at as number };
}

/** Whether the text is the id of an event, which no cursor is: one that names an event is longer. */
export function isEventId(text: string): boolean {
  return HASH.test(text);
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value);
}

function isCut(value: unknown): value is [string, number] {
  return (
    Array.isArray(value) &&
    value.length === 2 &&
    isHash(value[0]) &&
    Number.isSafeInteger(value[1]) &&
    (value[1] as number) > 0
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (e) {
    if (e instanceof SyntaxError) return null;
    throw e;
  }
}

function garbage(text: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a cursor that was given before, found ${JSON.stringify(text.slice(0, 60))}.`,
    {
      recovery: "Give the cursor of an earlier page as it was, or leave it out.",
    },
  );
}
