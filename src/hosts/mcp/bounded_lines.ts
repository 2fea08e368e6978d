/**
 * Lines of a client, none longer than the server can hold and none with more in it than the server can check at once.
 * Such a line is thrown away while it comes, and its sender is told. Whole lines are handed on one by one, so that no
 * reader joins their parts again and again.
 */
import { Transform } from "node:stream";
import type { TransformCallback } from "node:stream";
import { LineShape } from "./line_shape.ts";

/** Twice what the largest input can be: eight megabytes of a tool's texts, escaped. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** More than 10,000 steps with ten criteria and ten tests each have. */
const MAX_VALUES = 250_000;
/** Objects of more members cost far more for each member than smaller ones do. */
const MAX_MEMBERS = 10_000;

export const LINE_LIMITS = { bytes: LONGEST_LINE, values: MAX_VALUES, members: MAX_MEMBERS } as const;

const LF = 0x0a;
/** Enough of either end to see which request it was. */
const ENDS = 256;

export class BoundedLines extends Transform {
  readonly #longest: number;
  readonly #refused: (head: string, tail: string) => void;
  readonly #shape = new LineShape(LINE_LIMITS);
  #parts: Buffer[] = [];
  #size = 0;
  #head = "";
  #tail = Buffer.alloc(0);
  #dropping = false;

  /** `refused` is told the two ends of each line that is thrown away. */
  constructor(refused: (head: string, tail: string) => void, longest: number = LONGEST_LINE) {
    super();
    this.#refused = refused;
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
    if (!this.#dropping && (this.#size > this.#longest || !this.#shape.take(part))) {
      this.#dropping = true;
      this.#head = Buffer.concat([...this.#parts, part], Math.min(ENDS, this.#size)).toString("latin1");
      this.#parts = [];
    }
    if (this.#dropping) this.#tail = Buffer.concat([this.#tail, part.subarray(-ENDS)]).subarray(-ENDS);
    else this.#parts.push(part);
  }

  #endLine(): void {
    if (this.#dropping) this.#refused(this.#head, this.#tail.toString("latin1"));
    else this.push(this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts));
    this.#parts = [];
    this.#size = 0;
    this.#dropping = false;
    this.#tail = Buffer.alloc(0);
    this.#shape.reset();
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
