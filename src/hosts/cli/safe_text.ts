/**
 * What is left of somebody's text when it goes to a terminal: ESC and the other control characters could move the
 * cursor, set the title or hide what was said; bidirectional overrides could show it in another order.
 */

import type { Json } from "../../index.ts";

// Tab and newline stay: they only lay text out.
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
// oxlint-disable-next-line no-control-regex -- those of the above that JSON.stringify lets through
const UNSAFE_IN_JSON = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Control characters as `\x1b` or `\u202e`; a CR before a newline is dropped. */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, escapeCharacter);
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text).replace(/\s*\n\s*/g, " ");
}

/** JSON that is safe to look at as well: the value is the same, what a terminal would obey is written as escapes. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE_IN_JSON, (c) => `\\u${hex(c).padStart(4, "0")}`);
}

/** A value that ought to be text: a log that another program wrote may hold anything. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function escapeCharacter(c: string): string {
  return c < "\u0100" ? `\\x${hex(c)}` : `\\u${hex(c)}`;
}

function hex(c: string): string {
  return c.charCodeAt(0).toString(16).padStart(2, "0");
}
