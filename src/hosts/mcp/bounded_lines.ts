/**
 * Lines of a client, none longer than the server can hold: a longer one is thrown away while it comes, and its sender is
 * told. Whole lines are handed on one by one, so that nobody joins their parts again and again.
 */
import { Transform } from "node:stream";
import type { TransformCallback } from "node:stream";

/** Twice what the largest input can be: eight megabytes of a tool's texts, escaped. */
export const LONGEST_LINE = 16 * 1024 * 1024;
const LF = 0x0a;
/** Enough of either end to see which request it was. */
const ENDS = 256;

export class BoundedLines extends Transform {
  readonly #longest: number;
  readonly #tooLong: (head: string, tail: string) => void;
  #parts: Buffer[] = [];
  #size = 0;
  #head = "";
  #tail = Buffer.alloc(0);
  #dropping = false;

  /** `tooLong` is told the two ends of each line that is thrown away. */
  constructor(tooLong: (head: string, tail: string) => void, longest = LONGEST_LINE) {
    super();
    this.#tooLong = tooLong;
    this.#longest = longest;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    for (let rest = chunk; rest.length > 0;) {
      const lf = rest.indexOf(LF);
      const part = lf < 0 ? rest : rest.subarray(0, lf + 1);
      rest = rest.subarray(part.length);
      this.#take(part);
      if (lf >= 0) this.#endLine();
    }
    done();
  }

  #take(part: Buffer): void {
    this.#size += part.length;
    if (!this.#dropping && this.#size > this.#longest) {
      this.#dropping = true;
      this.#head = Buffer.concat(this.#parts, Math.min(ENDS, this.#size - part.length)).toString("latin1");
      this.#parts = [];
    }
    if (this.#dropping) this.#tail = Buffer.concat([this.#tail, part.subarray(-ENDS)]).subarray(-ENDS);
    else this.#parts.push(part);
  }

  #endLine(): void {
    if (this.#dropping) this.#tooLong(this.#head, this.#tail.toString("latin1"));
    else this.push(this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts));
    this.#parts = [];
    this.#size = 0;
    this.#dropping = false;
    this.#tail = Buffer.alloc(0);
  }
}

/** Id of a request of which only the ends are known: where writers of JSON-RPC put it, first or last. */
export function idOf(head: string, tail: string): string | number | undefined {
  const id = `(\\d{1,15}|"[^"\\\\]{1,100}")`;
  const first = new RegExp(`^\\{(?:"jsonrpc":"2\\.0",)?"id":${id},`).exec(head)?.[1];
  const last = new RegExp(`,"id":${id}(?:,"jsonrpc":"2\\.0")?\\}\\s*$`).exec(tail)?.[1];
  const found = first ?? last;
  return found === undefined ? undefined : (JSON.parse(found) as string | number);
}
