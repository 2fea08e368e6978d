import { readMarkdown, sectionOf } from "../../state/outline.ts";

/** Whether a line says that a diff is there at all. */
export function hasDiffMarks(text: string): boolean {
  return /^(?:---|\+\+\+|@@)/m.test(text);
}

/**
 * Returns the diff of an output, for `git apply`. It is the blocks of an implementation if it has any, or all of it; of
 * proposed tests it is the blocks below `## Unified Diff`. Null where there is none (PACKET-56).
 */
export function diffIn(role: string, out: string): string | null {
  const text = readMarkdown(out);
  const blocks = text.blocks.filter(({ info, lines }) => /^(?:diff|patch)\b/i.test(info) && hasText(lines));
  const head = text.headings.find(({ level, title }) => level === 2 && title.toLowerCase() === "unified diff");
  const { from, to } = head ? sectionOf(text, head) : { from: 0, to: 0 };
  const below = blocks.filter(({ line }) => line >= from && line < to);
  const chosen = role === "test_impl" && below.length > 0 ? below : blocks;
  if (chosen.length > 0) return `${chosen.flatMap(({ lines }) => lines).join("\n")}\n`;
  return role === "impl" && hasDiffMarks(out) ? out : null;
}

function hasText(lines: readonly string[]): boolean {
  return lines.some((line) => line.trim() !== "");
}

/**
 * Every path that a diff would change, sorted (PACKET-58). `applies`: git accepts the diff, and git drops the first segment
 * whatever it is called.
 */
export function pathsInDiff(text: string, applies = false): string[] {
  const reader = new DiffReader(text.split(/\r?\n/), applies);
  reader.read();
  return [...reader.paths].toSorted();
}

class DiffReader {
  readonly paths = new Set<string>();
  readonly #lines: readonly string[];
  readonly #applies: boolean;
  /** Lines that the open hunk still has of the old and the new file. */
  #left = { old: 0, new: 0 };
  #inGitHeader = false;

  constructor(lines: readonly string[], applies: boolean) {
    this.#lines = lines;
    this.#applies = applies;
  }

  read(): void {
    this.#lines.forEach((line, i) => {
      if (!this.#isInHunk(line, i)) this.#readHead(line, i);
    });
  }

  /** A removed line `-- x` looks like a header, so lines are counted as the hunk announces them. */
  #isInHunk(line: string, i: number): boolean {
    const left = this.#left;
    if (left.old <= 0 && left.new <= 0) return false;
    const mark = line.charAt(0);
    if (!["-", "+", " ", "", "\\"].includes(mark) || this.#isFileHead(i)) {
      this.#left = { old: 0, new: 0 };
      return false;
    }
    if (mark !== "+" && mark !== "\\") left.old--;
    if (mark !== "-" && mark !== "\\") left.new--;
    return true;
  }

  /** Both names and a hunk behind them: a hunk that announces too much hides no file. */
  #isFileHead(i: number): boolean {
    const [old = "", next = "", hunk = ""] = this.#lines.slice(i, i + 3);
    return old.startsWith("--- ") && next.startsWith("+++ ") && hunk.startsWith("@@ -");
  }

  #readHead(line: string, i: number): void {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    const moved = this.#inGitHeader ? /^(?:rename|copy) (?:from|to) ([^]+)$/.exec(line)?.[1] : undefined;
    const combined = /^diff --(?:cc|combined) ([^]+)$/.exec(line)?.[1];
    if (hunk) {
      this.#left = { old: Number(hunk[1] ?? 1), new: Number(hunk[2] ?? 1) };
      this.#inGitHeader = false;
    } else if (line.startsWith("diff --git ")) this.#readGitHead(line.slice("diff --git ".length), i);
    else if (moved !== undefined) this.#add(nameOf(moved));
    else if (combined !== undefined) this.#add(nameOf(combined));
    else if (line.startsWith("--- ")) this.#readNames(line, this.#lines[i + 1] ?? "");
    else if (line.startsWith("+++ ") && !this.#lines[i - 1]?.startsWith("--- ")) this.#readLone(line);
  }

  #readNames(line: string, next: string): void {
    if (next.startsWith("+++ ")) this.#addPair(nameOf(line.slice(4)), nameOf(next.slice(4)));
    else this.#readLone(line);
  }

  /** One name without the other is prose, unless it looks like what git writes. */
  #readLone(line: string): void {
    const name = nameOf(line.slice(4));
    if (PREFIX.test(name)) this.#add(name.replace(PREFIX, ""));
  }

  #readGitHead(names: string, i: number): void {
    this.#inGitHeader = true;
    const pair = twoNames(names);
    if (pair) this.#addPair(...pair);
    // Two names with blanks cannot be told apart; the lines below name them, or the whole is no path that anything allows.
    else if (!this.#lines.slice(i + 1, i + 7).some((line) => /^(?:rename|copy) from |^--- /.test(line))) {
      this.#add(names);
    }
  }

  #addPair(old: string, next: string): void {
    const names = [old, next].filter((name) => name !== NO_FILE);
    const marks = names.map((name) => PREFIX.exec(name)?.[0]);
    const isPrefixed = !marks.includes(undefined) && (marks.length === 1 || marks[0] !== marks[1]);
    for (const name of names) {
      this.#add(isPrefixed ? name.replace(PREFIX, "") : this.#applies ? name.replace(/^[^/]*\//, "") : name);
    }
  }

  #add(path: string): void {
    if (path !== "" && path !== NO_FILE) this.paths.add(path.replace(/^(?:\.\/)+/, ""));
  }
}

const NO_FILE = "/dev/null";
/** `a/` and `b/`, and what `diff.mnemonicPrefix` writes. */
const PREFIX = /^[abciow12]\//;

/** The name at the end of a header line: git quotes odd ones, and others put a time behind a tab. */
function nameOf(text: string): string {
  return text.startsWith('"') ? quotedName(text).name : (text.split("\t", 1)[0] ?? "").trimEnd();
}

/** Both names of `diff --git`; null where blanks leave it open. */
function twoNames(text: string): [string, string] | null {
  if (text.startsWith('"')) {
    const { name, length } = quotedName(text);
    return [name, nameOf(text.slice(length).trimStart())];
  }
  const quote = text.indexOf(' "');
  if (quote > 0) return [text.slice(0, quote), nameOf(text.slice(quote + 1))];
  const line = text.trimEnd();
  const middle = (line.length - 1) / 2;
  const halves: [string, string] = [line.slice(0, middle), line.slice(middle + 1)];
  if (line[middle] === " " && halves[0].replace(PREFIX, "") === halves[1].replace(PREFIX, "")) return halves;
  const names = line.split(" ");
  return names.length === 2 ? [names[0]!, names[1]!] : null;
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** A name in the quotes of C, whose escapes are bytes of UTF-8; `length` is what it takes of the text. */
function quotedName(text: string): { name: string; length: number } {
  const bytes: number[] = [];
  const part = /\\([0-7]{1,3}|[^])|[^"\\]+|"/gy;
  part.lastIndex = 1;
  for (let found = part.exec(text); found && found[0] !== '"'; found = part.exec(text)) {
    const escape = found[1];
    if (escape === undefined) for (const byte of new TextEncoder().encode(found[0])) bytes.push(byte);
    else if (/^[0-7]/.test(escape)) bytes.push(Number.parseInt(escape, 8) & 0xff);
    else bytes.push(ESCAPES[escape] ?? escape.charCodeAt(0) & 0xff);
  }
  // Once nothing matches, the regular expression forgets where it was: the name has no end.
  return { name: new TextDecoder().decode(Uint8Array.from(bytes)), length: part.lastIndex || text.length };
}
