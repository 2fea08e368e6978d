import { shorten } from "../../state/code_points.ts";
import { INVISIBLE } from "../../state/invisible.ts";

const HIDDEN = new RegExp(`[${INVISIBLE}\\n]`, "gu");

/** Text of a process on one line: what a terminal obeys or a reader does not see is written out (PACKET-86). */
export function visible(text: string, most: number): string {
  return shorten(text.toWellFormed(), most).replace(HIDDEN, name).replaceAll("\t", "  ").trimEnd();
}

/** Control pictures for ASCII, the code point for the rest. */
function name(character: string): string {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
