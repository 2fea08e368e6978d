/**
 * Reads a Taskdoc of the old form, one Markdown file, as the sections of a package (IMPORT-1 and IMPORT-7). Total: every line
 * that is not blank lands in exactly one section, but for the headings that say which one.
 */

/** Sections that such a file can fill, in the order of the package. */
const SECTIONS = ["goals", "constraints", "progress"] as const;
export type MarkdownSection = (typeof SECTIONS)[number];

export interface MarkdownTaskdoc {
  /** Those with text, in the order of the package. */
  sections: { selector: MarkdownSection; content: string }[];
  /** Lines with text that stood below no heading of a section; they are in `progress`. */
  unplaced: number;
}

/** Where text goes that has no section of its own: what an agent reads last, and may tidy up first. */
const OTHER: MarkdownSection = "progress";

/** The words of each heading. */
const WORDS: Readonly<Record<string, MarkdownSection>> = {
  goal: "goals",
  goals: "goals",
  目标: "goals",
  constraint: "constraints",
  constraints: "constraints",
  约束: "constraints",
  progress: "progress",
  进度: "progress",
};

/** A line with what ends it. */
const LINES = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g;
const HEADING = /^#{1,2}(?:[ \t]|$)/;
/** More characters than any heading of a section has. */
const LONGEST_HEADING = 80;
/** Three at least: less is more often a list or a typing error. */
const UNDERLINE = /^(?:={3,}|-{3,})$/;
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const COMMENT = /^ {0,3}<!--/;

export function readMarkdownTaskdoc(text: string): MarkdownTaskdoc {
  const reader = new Reader();
  const lines = text.replace(/^\uFEFF/, "").match(LINES) ?? [];
  for (let i = 0; i < lines.length; i++) {
    const [line, next] = [bare(lines[i]!), bare(lines[i + 1] ?? "")];
    const found = reader.isInBlock(line) ? null : headingOf(line, next, bare(lines[i - 1] ?? ""));
    if (found?.section) reader.begin(found.section);
    else if (found) reader.beginOther();
    if (!found?.section) reader.add(lines[i]!);
    else if (found.isUnderlined) i++;
  }
  return reader.result();
}

class Reader {
  readonly #texts: Record<MarkdownSection, string[]> = { goals: [], constraints: [], progress: [] };
  #section: MarkdownSection = OTHER;
  #isPlaced = false;
  /** Before the first line with text of a part: blank lines there only set it apart from its heading. */
  #isFresh = true;
  #unplaced = 0;
  /** The end of the block of code or the comment that the lines are in. */
  #end: RegExp | null = null;
  /** Indented text belongs to the list, and text at the edge ends it. */
  #isInList = false;

  /** Whether a line belongs to a block in which nothing is a heading. */
  isInBlock(line: string): boolean {
    if (this.#end) {
      if (this.#end.test(line)) this.#end = null;
      return true;
    }
    if (/^\S/.test(line)) this.#isInList = LIST_ITEM.test(line);
    const fence = this.#isInList ? undefined : FENCE.exec(line)?.[1];
    if (fence !== undefined) this.#end = new RegExp(`^ {0,3}${fence[0]}{${fence.length},}$`);
    else if (COMMENT.test(line) && !line.includes("-->")) this.#end = /-->/;
    return this.#end !== null;
  }

  begin(section: MarkdownSection): void {
    this.#section = section;
    this.#isPlaced = true;
    this.#isFresh = true;
    const lines = this.#texts[section];
    // Two parts of one section stay two paragraphs.
    if (lines.length > 0 && bare(lines.at(-1)!) !== "") lines.push("\n");
  }

  /** A heading that is no section's: it and what is below it are kept together. */
  beginOther(): void {
    if (this.#isPlaced) this.begin(OTHER);
    this.#isPlaced = false;
  }

  add(line: string): void {
    if (this.#isFresh && bare(line) === "") return;
    this.#isFresh = false;
    this.#texts[this.#section].push(line);
    if (!this.#isPlaced && line.trim() !== "") this.#unplaced++;
  }

  result(): MarkdownTaskdoc {
    const sections = SECTIONS.map((selector) => ({ selector, content: withoutBlankEnd(this.#texts[selector]) }));
    return { sections: sections.filter(({ content }) => content.trim() !== ""), unplaced: this.#unplaced };
  }
}

/** Returns what a line heads: a section, something else (`section` absent), or null when it is no heading. */
function headingOf(
  line: string,
  next: string,
  before: string,
): { section?: MarkdownSection; isUnderlined: boolean } | null {
  if (HEADING.test(line)) {
    const section = sectionOf(line);
    return { ...(section ? { section } : {}), isUnderlined: false };
  }
  // A line above another one that is underlined may be a paragraph above a rule: it is a heading only when it says a section.
  if (before !== "" || !UNDERLINE.test(next)) return null;
  const section = /^\S/.test(line) ? sectionOf(line) : undefined;
  return section ? { section, isUnderlined: true } : null;
}

/** The one section that all words of a heading name, in either language or both; emphasis and a colon say nothing. */
function sectionOf(heading: string): MarkdownSection | undefined {
  if (heading.length > LONGEST_HEADING) return undefined;
  const words = heading.toLowerCase().split(/[\s#*_:：/／|()（）·-]+/);
  const named = new Set(
    words.filter((word) => word !== "").map((word) => (Object.hasOwn(WORDS, word) ? WORDS[word] : undefined)),
  );
  return named.size === 1 ? [...named][0] : undefined;
}

/** Without what ends it, and blanks before that. A loop: as a pattern it would take the square of a long line's blanks. */
function bare(line: string): string {
  let end = line.length;
  while (end > 0 && " \t\r\n".includes(line[end - 1]!)) end--;
  return line.slice(0, end);
}

/** Blank lines at the end only set a section apart from the next. */
function withoutBlankEnd(lines: readonly string[]): string {
  return lines.slice(0, lines.findLastIndex((line) => bare(line) !== "") + 1).join("");
}
