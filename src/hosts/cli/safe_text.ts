/**
 * What is left of somebody's text when it goes to a terminal: ESC and the other control characters could move the
 * cursor, set the title or hide what was said; bidirectional overrides could show it in another order, and characters of no
 * width could say something that nobody sees.
 */

import { INVISIBLE } from "../../engine/invisible.ts";
import type { Json } from "../../index.ts";

const UNSAFE = new RegExp(`[${INVISIBLE}]`, "gu");

/** Control and invisible characters as `\x1b`, `\u202e` or `\u{e0041}`; a CR before a newline is dropped. */
export function safeText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, escapeCharacter);
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text).replace(/\s*\n\s*/g, " ");
}

/** JSON that is safe to look at as well: the value is the same, what a terminal would obey is written as escapes. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, units);
}

/** A value that ought to be text: a log that another program wrote may hold anything. */
export function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function escapeCharacter(c: string): string {
  const point = c.codePointAt(0)!.toString(16);
  if (c < "\u0100") return `\\x${point.padStart(2, "0")}`;
  return c.length === 1 ? `\\u${point.padStart(4, "0")}` : `\\u{${point}}`;
}

/** As JSON writes them: two escapes for what UTF-16 has two units for. */
function units(c: string): string {
  return c
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
