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

/** Cuts the pieces at each place where the search is found, also over several pieces. */
export function withMatches(pieces: readonly AnsiPiece[], search: string): Found[] {
  if (search === "") return [...pieces];
  const places = placesOf(pieces.map(({ text }) => text).join(""), search);
  const found: Found[] = [];
  let [begin, hit] = [0, 0];
  for (const { text, look } of pieces) {
    const end = begin + text.length;
    let at = begin;
    while (at < end) {
      while (hit < places.length && places[hit]! + search.length <= at) hit++;
      const place = places[hit] ?? Infinity;
      const isIn = place <= at;
      const until = Math.min(end, isIn ? place + search.length : place);
      found.push({ text: text.slice(at - begin, until - begin), look, ...(isIn ? { hit } : {}) });
      at = until;
    }
    begin = end;
  }
  return found;
}

/** Where the search begins in the text, capitals or not. No two places overlap. */
function placesOf(text: string, search: string): number[] {
  const [lower, wanted] = [text.toLowerCase(), search.toLowerCase()];
  // A letter whose small form is longer would move every place behind it.
  const isExact = lower.length !== text.length || wanted.length !== search.length;
  const [where, what] = isExact ? [text, search] : [lower, wanted];
  const places: number[] = [];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + what.length)) places.push(at);
  return places;
}
