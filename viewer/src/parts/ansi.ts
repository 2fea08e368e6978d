/** Colours and weights of a terminal as classes. The server leaves no other terminal code; a stray one is dropped here. */
export interface AnsiPiece {
  text: string;
  /** Names of classes; empty for plain text. */
  look: string;
}

const COLORS = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

interface Look {
  color: string;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
}

const PLAIN: Look = { color: "", bold: false, dim: false, italic: false, underline: false };

export function ansiPieces(text: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let look = PLAIN;
  let end = 0;
  // eslint-disable-next-line no-control-regex -- terminal codes begin with this character
  for (const match of text.matchAll(/\u001b\[([\d;:]*)([A-Za-z])/g)) {
    push(pieces, text.slice(end, match.index), look);
    if (match[2] === "m") look = lookAfter(look, match[1]!);
    end = match.index + match[0].length;
  }
  push(pieces, text.slice(end), look);
  return pieces;
}

function push(pieces: AnsiPiece[], text: string, look: Look): void {
  if (text === "") return;
  const names = [look.color && `ansi-${look.color}`, look.bold && "ansi-bold", look.dim && "ansi-dim"];
  names.push(look.italic && "ansi-italic", look.underline && "ansi-underline");
  pieces.push({ text, look: names.filter(Boolean).join(" ") });
}

function lookAfter(look: Look, codes: string): Look {
  const numbers = codes.split(/[;:]/).map(Number);
  let next = look;
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i]!;
    // Colours of 256 and of 16 million take more numbers; text stays readable in its own colour.
    if (code === 38 || code === 48) i += numbers[i + 1] === 5 ? 2 : 4;
    else next = lookOf(next, code);
  }
  return next;
}

function lookOf(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 3) return { ...look, italic: true };
  if (code === 4) return { ...look, underline: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 23) return { ...look, italic: false };
  if (code === 24) return { ...look, underline: false };
  if (code === 39) return { ...look, color: "" };
  const color = code >= 30 && code <= 37 ? COLORS[code - 30] : code >= 90 && code <= 97 ? COLORS[code - 90] : undefined;
  return color ? { ...look, color } : look;
}

/** Part of a piece; `hit` counts the places where the search was found, from 0. A place that a colour cuts has several parts. */
export type Found = AnsiPiece & { hit?: number };

/** Places in a text, in order, and how long each is. */
export interface Places {
  begins: readonly number[];
  length: number;
}

/** Part of the text that ends with a line or inside of a very long one, so that the page draws one after the other. */
export interface Block {
  begin: number;
  end: number;
  pieces: AnsiPiece[];
}

/** Characters from which on a block ends with its line, and after which it ends without one. A browser shapes a line as a whole. */
const BLOCK = { line: 4096, most: 20_480 };
/** A block of more pieces loses its colours: each piece is an element of the page. */
const MAX_PIECES = 1000;

export function blocksOf(pieces: readonly AnsiPiece[]): Block[] {
  const blocks: Block[] = [];
  let block: Block = { begin: 0, end: 0, pieces: [] };
  for (const { text, look } of pieces) {
    let rest = text;
    while (rest !== "") {
      const end = blockEnd(rest, block.end - block.begin);
      const part = end === undefined ? rest : rest.slice(0, end);
      block.pieces.push({ text: part, look });
      block.end += part.length;
      rest = rest.slice(part.length);
      if (end === undefined) continue;
      blocks.push(bounded(block));
      block = { begin: block.end, end: block.end, pieces: [] };
    }
  }
  if (block.pieces.length > 0) blocks.push(bounded(block));
  return blocks;
}

/** Where in the text a block ends that has so many characters; undefined where it goes on. */
function blockEnd(text: string, held: number): number | undefined {
  const left = Math.max(0, BLOCK.line - held);
  const most = BLOCK.most - held;
  const line = left > text.length ? -1 : text.indexOf("\n", left);
  if (line >= 0 && line < most) return line + 1;
  if (text.length < most) return undefined;
  // Not between the halves of one character.
  const code = text.charCodeAt(most);
  return code >= 0xdc00 && code <= 0xdfff ? most + 1 : most;
}

function bounded(block: Block): Block {
  const { pieces } = block;
  if (pieces.length <= MAX_PIECES) return block;
  return { ...block, pieces: [{ text: pieces.map(({ text }) => text).join(""), look: "" }] };
}

/** Cuts the pieces of a block at the places `from` to before `to`, also where a place lies over several pieces. */
export function withMatches(
  { begin: first, pieces }: Block,
  { begins, length }: Places,
  from: number,
  to: number,
): Found[] {
  const found: Found[] = [];
  let begin = first;
  let hit = Math.max(from, firstBehind(begins, first - length));
  for (const { text, look } of pieces) {
    const end = begin + text.length;
    let at = begin;
    while (at < end) {
      while (hit < to && begins[hit]! + length <= at) hit++;
      const place = hit < to ? begins[hit]! : Infinity;
      const isIn = place <= at;
      const until = Math.min(end, isIn ? place + length : place);
      found.push({ text: text.slice(at - begin, until - begin), look, ...(isIn ? { hit } : {}) });
      at = until;
    }
    begin = end;
  }
  return found;
}

/** Index of the first place behind this one, by halving. */
function firstBehind(begins: readonly number[], place: number): number {
  let [low, high] = [0, begins.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (begins[middle]! <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where the search begins in the text, capitals or not. No two places overlap. */
export function placesOf(text: string, search: string): Places {
  const begins: number[] = [];
  if (search === "") return { begins, length: 0 };
  const [lower, wanted] = [text.toLowerCase(), search.toLowerCase()];
  // A letter whose small form is longer would move every place behind it.
  const isExact = lower.length !== text.length || wanted.length !== search.length;
  const [where, what] = isExact ? [text, search] : [lower, wanted];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) begins.push(at);
  return { begins, length: what.length };
}
