/** Bytes that many lines have in common, compared eight at a time: one at a time would cost as much as parsing them. */

/** ASCII that stands in a JSON text as it is. */
const PLAIN = /^[ !#-[\]-~]+$/;

/**
 * A piece of a line, of at least eight bytes of ASCII. Compared as floats. In ASCII no eight bytes are a NaN or a
 * negative zero, so two of them are equal when their bytes are. The last eight end with the piece, and may share some
 * with those before.
 */
export class Piece {
  readonly length: number;
  /** The part of a line that this piece holds. */
  readonly text: string;
  readonly #own: DataView;

  constructor(piece: string, text = "") {
    this.length = piece.length;
    this.text = text;
    this.#own = new DataView(Uint8Array.from(piece, (c) => c.charCodeAt(0)).buffer);
  }

  /** Whether it stands at `from`, before `end`. */
  at(data: DataView, from: number, end: number): boolean {
    const own = this.#own;
    const last = this.length - 8;
    if (from + last + 8 > end) return false;
    for (let i = 0; i < last; i += 8) if (data.getFloat64(from + i) !== own.getFloat64(i)) return false;
    return data.getFloat64(from + last) === own.getFloat64(last);
  }

  /** Puts `length` bytes that stand at `from` in the place of its own from `at` on. */
  take(data: DataView, from: number, length: number, at: number): void {
    copy(data, from, length, this.#own, at);
  }
}

/** Copies at least eight bytes. Of so few that costs a third of asking the buffer to. */
export function copy(data: DataView, from: number, length: number, into: DataView, at: number): void {
  const last = length - 8;
  for (let i = 0; i < last; i += 8) into.setFloat64(at + i, data.getFloat64(from + i));
  into.setFloat64(at + last, data.getFloat64(from + last));
}

/**
 * `isPlain` of at least four bytes of ASCII, four at a time. Each difference has the high bit of a byte set where it is
 * a control character, a quote or a backslash.
 */
export function plainAt(data: DataView, from: number, length: number): boolean {
  const last = from + length - 4;
  let found = unplain(data.getInt32(last));
  for (let at = from; at < last; at += 4) found |= unplain(data.getInt32(at));
  return (found & 0x80808080) === 0;
}

function unplain(word: number): number {
  return (word - 0x20202020) | ((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101);
}

/** As many as a log mostly has of one kind. */
const KNOWN = 16;
/**
 * Once there are as many, only every so many new texts is taken in. To make a piece costs as much as to parse a line.
 */
const PATIENCE = 16;
/** Longer texts are not kept: these outlive their log, and a line may be one of megabytes. */
const LONGEST = 256;

/** Pieces around a text of which a log has few, and each again and again. The one that was met last is tried first. */
export class Pieces {
  readonly #around: (text: string) => string;
  readonly #known: Piece[] = [];
  #passedOver = 0;

  constructor(around: (text: string) => string) {
    this.#around = around;
  }

  /** Takes note of a text that has been checked. */
  learn(text: string): void {
    const known = this.#known;
    if (known[0]?.text === text || text.length > LONGEST) return;
    if (known.length === KNOWN && ++this.#passedOver < PATIENCE) return;
    this.#passedOver = 0;
    if (known.some((piece) => piece.text === text) || !isPlain(text)) return;
    if (known.length === KNOWN) known.pop();
    known.unshift(new Piece(this.#around(text), text));
  }

  /** The one that stands at `from`, before `end`. */
  at(data: DataView, from: number, end: number): Piece | null {
    const known = this.#known;
    for (let i = 0; i < known.length; i++) if (known[i]!.at(data, from, end)) return this.#first(i);
    return null;
  }

  /** The one that ends at `end`, and begins not before `from`. */
  before(data: DataView, from: number, end: number): Piece | null {
    const known = this.#known;
    for (let i = 0; i < known.length; i++) {
      const at = end - known[i]!.length;
      if (at >= from && known[i]!.at(data, at, end)) return this.#first(i);
    }
    return null;
  }

  #first(i: number): Piece {
    const known = this.#known;
    const piece = known[i]!;
    if (i > 0) {
      known[i] = known[0]!;
      known[0] = piece;
    }
    return piece;
  }
}

/** Whether each character stands in a JSON text as it is, as one byte. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}
