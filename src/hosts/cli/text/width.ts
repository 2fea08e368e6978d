/** How many cells of a terminal a text takes. Control characters are escaped before (safe_text.ts), and so have none here. */

const ASCII = /^[\x20-\x7e]*$/;
/**
 * East Asian Width W and F by script and block, and emoji that are shown as pictures.
 * Made for the first text that needs it: every command would wait for the tables of Unicode.
 */
const wide = (): RegExp =>
  /^(?:\p{Emoji_Presentation}|\p{Regional_Indicator}|.\uFE0F|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\u1100-\u115F\uA960-\uA97C\uAC00-\uD7A3\u3000-\u303E\u3200-\u33FF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6])/u;
const NARROW_KATAKANA = /^[\uFF61-\uFF9F]/;
const noCell = (): RegExp => /^[\p{Mark}\p{Cf}]+$/u;

let segmenter: Intl.Segmenter | undefined;

function graphemes(text: string): Iterable<{ segment: string }> {
  return (segmenter ??= new Intl.Segmenter()).segment(text);
}

function cellsOf(grapheme: string): number {
  if (noCell().test(grapheme)) return 0;
  return wide().test(grapheme) && !NARROW_KATAKANA.test(grapheme) ? 2 : 1;
}

export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let cells = 0;
  for (const { segment } of graphemes(text)) cells += cellsOf(segment);
  return cells;
}

/** An escape of safe_text.ts, or the characters up to the next one. */
const PIECES = /\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\})|(?:(?!\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|u\{)).)+|./gs;
const ESCAPE = /^\\[xu]/;

/** Yields the parts that no cut divides: characters as they are seen, and escapes. */
function* wholes(text: string): Generator<{ whole: string; cells: number }> {
  for (const [piece] of text.matchAll(PIECES)) {
    if (ESCAPE.test(piece) && piece.length > 2) yield { whole: piece, cells: piece.length };
    else for (const { segment } of graphemes(piece)) yield { whole: segment, cells: cellsOf(segment) };
  }
}

/** The text, or as much of it as fits before an ellipsis. */
export function cutTo(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  let [kept, cells] = ["", 0];
  for (const one of wholes(text)) {
    cells += one.cells;
    if (cells > most - 1) break;
    kept += one.whole;
  }
  return most < 1 ? "" : `${kept.trimEnd()}…`;
}

export function padTo(text: string, cells: number): string {
  return text + " ".repeat(Math.max(cells - widthOf(text), 0));
}

/** Lines of words that fit; a word that is longer than a line is broken. */
export function wrapTo(text: string, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => broken(one, most))) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > most) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function broken(word: string, most: number): string[] {
  if (widthOf(word) <= most) return [word];
  const pieces = [""];
  let cells = 0;
  for (const one of wholes(word)) {
    cells += one.cells;
    if (cells > most) {
      pieces.push("");
      cells = one.cells;
    }
    pieces[pieces.length - 1] += one.whole;
  }
  return pieces;
}
