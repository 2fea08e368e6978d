/**
 * User text inside Markdown. It stays text, with any content. It opens no heading, list, quote, table, link, code or
 * HTML, and it ends no block that stands around it (PROJ-9).
 */

import { INVISIBLE } from "../state/invisible.ts";

/** Text on one line, to stand after something of ours. */
export function inline(text: string): string {
  if (!RISKY.test(text)) return text.trim();
  const line = text.replace(BREAKS, " ").trim();
  return line.replace(HIDDEN, "\uFFFD").replace(ACTIVE, "\\$&").replaceAll("`", BACKTICK).replace(LINK, breakLink);
}

/** A title behind the # of a heading: a run of # at the end would be taken for its closing. */
export function heading(title: string): string {
  return inline(title).replace(/#(?=#*$)/g, "\\#");
}

/** Text of any length as a block quote, each line escaped for itself; empty when there is nothing but white space. */
export function quote(text: string, indent = ""): string {
  const trimmed = text.trim();
  if (trimmed === "") return "";
  if (!BREAK.test(trimmed)) return `${indent}> ${startOfLine(trimmed)}\n`;
  const lines = trimmed.split(BREAK).map(startOfLine);
  // A backslash at the end keeps the line break; before an empty line and at the end it would be printed.
  return lines
    .map((line, i) => (line === "" ? `${indent}>\n` : `${indent}> ${line}${lines[i + 1] ? "\\" : ""}\n`))
    .join("");
}

/** Escapes also what has a meaning only where a line begins: headings, lists, numbers, rules and underlines. */
function startOfLine(line: string): string {
  const text = inline(line);
  if (MARKS.includes(text.charAt(0))) return text === "" ? "" : `\\${text}`;
  return NUMBER.test(text) ? text.replace(NUMBER, "$1\\$2") : text;
}

const MARKS = "#+=:-";
const NUMBER = /^(\d{1,9})([.)])/;
const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;
const BREAKS = /[\t\n\r\v\f\u0085\u2028\u2029]+/g;
/** A reviewer has to see what is there. Line breaks and tabs are blanks by then. */
const HIDDEN = new RegExp(`[${INVISIBLE}]`, "gu");
const ACTIVE = /[\\*_[\]<>|~&@$]/g;
/** As an entity: some renderers pair an escaped backtick with a real one elsewhere on the line. */
const BACKTICK = "&#96;";
/** Texts that some renderers make a link of without any brackets. */
const LINK = /:\/\/|www\./gi;
const RISKY = new RegExp(`[\\t\\n${INVISIBLE}\\\\\`*_[\\]<>|~&@$]|://|[wW]{3}\\.`, "u");

function breakLink(start: string): string {
  return start === "://" ? "\\://" : `${start.slice(0, -1)}\\.`;
}
