/**
 * Makes text safe for a terminal. ESC and the other control characters could move the cursor, set the title or hide text.
 * Bidirectional overrides could show the text in another order, and characters of no width could add invisible text.
 */
import { UNSEEN } from "./invisible.ts";

/** Nearly every text. */
const PLAIN = /^[\n -~]*$/;
const UNSAFE = new RegExp(UNSEEN, "gu");

/** Control and invisible characters as `\x1b`, `\u202e` or `\u{e0041}`; a CR before a newline is dropped. */
export function safeText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll("\r\n", "\n").replace(UNSAFE, escapeCharacter);
}

/** The same on one line. */
export function safeLine(text: string): string {
  const safe = safeText(text);
  return safe.includes("\n") ? safe.replace(/\s*\n\s*/g, " ") : safe;
}

function escapeCharacter(c: string): string {
  const point = c.codePointAt(0)!.toString(16);
  if (c < "\u0100") return `\\x${point.padStart(2, "0")}`;
  return c.length === 1 ? `\\u${point.padStart(4, "0")}` : `\\u{${point}}`;
}
