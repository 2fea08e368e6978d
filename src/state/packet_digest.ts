import { shorten } from "./code_points.ts";
import { readMarkdown, type MarkdownText } from "./outline.ts";
import type { DigestPolicy } from "./packet.ts";

/** From this many bytes of UTF-8 on, the policy `auto` makes a digest. */
const AUTO_BYTES = 8000;
const SECTION_LINES = 40;
const FALLBACK_LINES = 100;
const LINE_CODE_POINTS = 2000;
/** Titles of sections that are kept, in lower case and without their numbers. */
const KEPT = ["goal", "scope", "acceptance", "fixed decision", "files to read", "prohibited action"];

/** The compressed context pack; null where the policy takes the whole pack (PACKET-46). */
export function digest(pack: string, policy: DigestPolicy): string | null {
  if (policy === "off" || pack.trim() === "") return null;
  if (policy === "auto" && new TextEncoder().encode(pack).length <= AUTO_BYTES) return null;
  const text = readMarkdown(withoutEnd(pack));
  const heads = text.headings.filter(({ level }) => level <= 2);
  const parts = heads.flatMap(({ title, line }, i) => {
    const end = heads[i + 1]?.line ?? text.lines.length;
    return isKept(title) ? [firstLines(text, line, end, SECTION_LINES + 1)] : [];
  });
  const body = parts.length > 0 ? parts : [firstLines(text, 0, text.lines.length, FALLBACK_LINES)];
  return `# Context Pack Digest\n\n${body.join("\n")}`.toWellFormed();
}

function isKept(title: string): boolean {
  const words = title.replace(/^\d+[.)]\s*/, "").toLowerCase();
  return KEPT.some((kept) => words.includes(kept));
}

/** Lines of [from, to), at most `most` of them; a block of code that is cut is closed. */
function firstLines(text: MarkdownText, from: number, to: number, most: number): string {
  const end = withoutBlankEnd(text.lines, from, to);
  const cut = Math.min(end, from + most);
  const lines = text.lines.slice(from, cut).map((line) => shorten(line, LINE_CODE_POINTS));
  if (cut === end) return `${lines.join("\n")}\n`;
  const open = text.blocks.findLast(({ line }) => line < cut);
  if (open && text.inBlock[cut] && open.line + open.lines.length >= cut - 1) lines.push(fenceAt(text, open.line));
  return `${lines.join("\n")}\n\n... [${end - cut} lines left out]\n`;
}

/** A fence of the same kind as the one that opens the block. */
function fenceAt(text: MarkdownText, line: number): string {
  return /`{3,}|~{3,}/.exec(text.lines[line]!)![0];
}

function withoutBlankEnd(lines: readonly string[], from: number, to: number): number {
  let end = to;
  while (end > from + 1 && lines[end - 1]!.trim() === "") end--;
  return end;
}

function withoutEnd(text: string): string {
  return text.replace(/(?:\r\n|\n|\r)$/, "");
}
