/** First and last lines of a text of any size, from a bounded number of its bytes. */
import { KeptEnds } from "./kept_ends.ts";

const LINES = 20;
/** A longer line is cut; 20 such lines fit in what is kept of each end. */
const LINE_CHARACTERS = 2000;
const KEPT_BYTES = 2 * LINES * LINE_CHARACTERS;

export interface Excerpt {
  head: string[];
  tail: string[];
}

export class ExcerptOf {
  readonly #ends = new KeptEnds(KEPT_BYTES);

  add(chunk: Buffer): void {
    this.#ends.add(chunk);
  }

  /** The first 20 lines, and of those after them the last 20. */
  lines(): Excerpt {
    const [head, tail] = [this.#ends.head(), this.#ends.tail()];
    if (this.#ends.size === head.length + tail.length) {
      const all = linesOf(Buffer.concat([head, tail]));
      return { head: all.slice(0, LINES), tail: all.slice(LINES).slice(-LINES) };
    }
    // The first of the kept last lines may have lost its beginning.
    return { head: linesOf(head).slice(0, LINES), tail: linesOf(tail).slice(1).slice(-LINES) };
  }
}

/** Bytes that are no UTF-8 become U+FFFD; the end of the last line is no line of its own. */
export function linesOf(bytes: Uint8Array): string[] {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map(shortened);
}

function shortened(line: string): string {
  return line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS).toWellFormed()} ...` : line;
}
