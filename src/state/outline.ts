/**
 * Reads the structure of a Markdown text line by line: headings and fenced code, as gates, hand-offs and the digest need them.
 * Total and linear, because models write these texts.
 */

export interface Heading {
  level: number;
  /** Without the marks around it. */
  title: string;
  /** Counted from 0. */
  line: number;
}

export interface CodeBlock {
  /** The text behind the opening fence, trimmed. */
  info: string;
  /** Line of the opening fence, counted from 0. */
  line: number;
  lines: string[];
  /** False: the text ends before the block does. */
  closed: boolean;
}

export interface MarkdownText {
  lines: string[];
  headings: Heading[];
  blocks: CodeBlock[];
  /** Lines of fences, code, comments and raw HTML, where nothing is prose. */
  inBlock: boolean[];
}

/** Headings outside of code, comments, quotations and list items; only those that begin with `#` (PACKET-50). */
export function outline(markdown: string): Heading[] {
  return readMarkdown(markdown).headings;
}

export function readMarkdown(markdown: string): MarkdownText {
  const lines = markdown.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const scan = new Scan();
  const inBlock = lines.map((line, i) => scan.isInBlock(line, i));
  const headings = lines.flatMap((line, i) => (inBlock[i] ? [] : headingOf(line, i)));
  return { lines, headings, blocks: scan.blocks, inBlock };
}

/** Lines below a heading, up to the next one of its level or above: [from, to). */
export function sectionOf({ lines, headings }: MarkdownText, { level, line }: Heading): { from: number; to: number } {
  const next = headings.find((one) => one.line > line && one.level <= level);
  return { from: line + 1, to: next?.line ?? lines.length };
}

interface Fence {
  /** One or more list marks and blanks before it. */
  indent: number;
  run: string;
  info: string;
}

class Scan {
  readonly blocks: CodeBlock[] = [];
  /** Fences that are open, the outermost first. */
  #open: Fence[] = [];
  #html: RegExp | null = null;
  /** Indented text belongs to the list until text begins at the edge. */
  #inList = false;

  isInBlock(line: string, i: number): boolean {
    if (this.#open.length > 0) {
      this.#readCode(line);
      return true;
    }
    if (this.#html) {
      if (this.#html.test(line)) this.#html = null;
      return true;
    }
    if (LIST_ITEM.test(line)) this.#inList = true;
    else if (/^[^ \t]/.test(line)) this.#inList = false;
    const fence = fenceOf(line);
    if (fence && (fence.indent < CODE_INDENT || this.#inList)) {
      this.#open.push(fence);
      this.blocks.push({ info: fence.info, line: i, lines: [], closed: false });
      return true;
    }
    return this.#opensHtml(line);
  }

  #readCode(line: string): void {
    const [outermost, innermost] = [this.#open[0]!, this.#open.at(-1)!];
    const block = this.blocks.at(-1)!;
    const fence = fenceOf(line);
    if (fence && fence.run[0] === innermost.run[0] && fence.run.length >= innermost.run.length) {
      if (fence.info === "") this.#open.pop();
      // CommonMark reads no fence inside a fence; models quote Markdown that way, and mean it.
      else if (MARKDOWN.test(innermost.info)) this.#open.push(fence);
    }
    if (this.#open.length === 0) block.closed = true;
    else block.lines.push(withoutIndent(line, outermost.indent));
  }

  #opensHtml(line: string): boolean {
    const [, comment, tag] = HTML.exec(line) ?? [];
    if (comment === undefined && tag === undefined) return false;
    const end = comment === undefined ? new RegExp(`</${tag}>`, "i") : /-->/;
    if (!end.test(line)) this.#html = end;
    return true;
  }
}

const CODE_INDENT = 4;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
/** A list item may begin with a fence. */
const FENCE = /^([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^]*)$/;
const MARKDOWN = /^(?:markdown|md)\b/i;
const HTML = /^ {0,3}<(?:(!--)|(pre|script|style|textarea)(?=[\s>]|$))/i;

function fenceOf(line: string): Fence | null {
  const [, before, run, rest] = FENCE.exec(line) ?? [];
  if (before === undefined || run === undefined || rest === undefined) return null;
  // Backticks behind backticks are a code span.
  if (run.startsWith("`") && rest.includes("`")) return null;
  return { indent: before.replaceAll("\t", "    ").length, run, info: rest.trim() };
}

function withoutIndent(line: string, most: number): string {
  let at = 0;
  while (at < most && line[at] === " ") at++;
  return line.slice(at);
}

function headingOf(line: string, i: number): Heading[] {
  const [marks, run] = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line) ?? [];
  if (marks === undefined || run === undefined) return [];
  return [{ level: run.length, title: withoutClosing(line.slice(marks.length).trim()), line: i }];
}

/** A run of # at the end closes the heading if a blank stands before it. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (end > 0 && title[end - 1] === "#") end--;
  return end === 0 || /[ \t]/.test(title[end - 1]!) ? title.slice(0, end).trimEnd() : title;
}
