/**
 * Section text that could be taken for the frame of the effective Taskdoc stands in a fence, byte for byte as it was
 * given. A reader of Markdown sees no heading in it, and a reader of text sees where it ends (TASKDOC-21).
 */

import { INVISIBLE } from "../state/invisible.ts";

const UNSEEN = new RegExp(`[${INVISIBLE}]`, "gu");

/** The frame's own headings, in both languages. */
const FRAME = new Set([
  "taskdoc (dialog tree)",
  "差遣牒(对话树)",
  "goals",
  "constraints",
  "bear in mind",
  "progress",
  "extra sections",
  ...["contracts", "acceptance", "grants", "runbook", "decisions", "risks"].map((name) => `${name}.md`),
]);

/** A fence line at the start of a line, as Markdown has it. */
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
/** A longer run of one character is answered with a fence of the other, and of both: the text ends before it. */
const LONGEST = 32;
const INFO = "markdown";
/** Bytes that a fence adds at most: two lines of it, the word, two line feeds. */
export const FENCE_BYTES = 2 * (LONGEST + 1) + INFO.length + 2;

export interface Fence {
  mark: string;
  /** UTF-16 units of the text that the fence can hold. */
  holds: number;
}

/** The fence that a text needs; null where nothing in it looks like the frame or leaves a fence or comment open. */
export function fenceOf(text: string): Fence | null {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/);
  return looksLikeFrame(lines) || leavesOpen(text, lines) ? holding(text) : null;
}

export function fenced(text: string, { mark }: Fence): string {
  return `${mark}${INFO}\n${text}\n${mark}`;
}

function looksLikeFrame(lines: readonly string[]): boolean {
  return lines.some((line, i) => {
    if (line.length > 200) return false;
    const isHeading = line.trimStart().startsWith("#") || UNDERLINE.test(lines[i + 1] ?? "");
    return isHeading && FRAME.has(wordsOf(line));
  });
}

/** As a reader takes them: whatever stands around or between them that is not seen, or only marks them. */
function wordsOf(line: string): string {
  return line
    .normalize("NFKC")
    .replace(UNSEEN, "")
    .replace(/[\s#*_`:\\]+/g, " ")
    .trim()
    .toLowerCase();
}

/** Whether what follows the text would be taken for a part of it. */
function leavesOpen(text: string, lines: readonly string[]): boolean {
  let open = "";
  for (const line of lines) {
    const [, run = "", rest = ""] = FENCE.exec(line) ?? [];
    if (run === "") continue;
    if (open === "") open = run;
    else if (run[0] === open[0] && run.length >= open.length && rest.trim() === "") open = "";
  }
  return open !== "" || text.lastIndexOf("<!--") > text.lastIndexOf("-->");
}

function holding(text: string): Fence {
  const [ticks, tildes] = [longestRun(text, /^ {0,3}`{3,}/gm), longestRun(text, /^ {0,3}~{3,}/gm)];
  if (ticks <= LONGEST) return { mark: "`".repeat(Math.max(3, ticks + 1)), holds: text.length };
  if (tildes <= LONGEST) return { mark: "~".repeat(Math.max(3, tildes + 1)), holds: text.length };
  return { mark: "`".repeat(LONGEST + 1), holds: text.search(new RegExp(`^ {0,3}\`{${LONGEST + 1}}`, "m")) };
}

function longestRun(text: string, run: RegExp): number {
  let longest = 0;
  for (const [found] of text.matchAll(run)) longest = Math.max(longest, found.trimStart().length);
  return longest;
}
