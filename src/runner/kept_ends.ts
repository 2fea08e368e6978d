/** A chunk of one byte costs a hundred: parts are joined before they are many. */
const MAX_PARTS = 1000;

/** Beginning and end of a stream of any length, in bounded memory. */
export class KeptEnds {
  readonly #side: number;
  #head: Buffer[] = [];
  #headSize = 0;
  #tail: Buffer[] = [];
  #tailSize = 0;
  #size = 0;

  /** `most`: bytes that are kept, half of them of each end. */
  constructor(most: number) {
    this.#side = Math.floor(most / 2);
  }

  get size(): number {
    return this.#size;
  }

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    const head = chunk.subarray(0, this.#side - this.#headSize);
    if (head.length > 0) this.#head.push(Buffer.from(head));
    this.#headSize += head.length;
    if (this.#head.length > MAX_PARTS) this.#head = [Buffer.concat(this.#head)];
    const rest = chunk.subarray(head.length);
    if (rest.length === 0) return;
    this.#tail.push(Buffer.from(rest));
    this.#tailSize += rest.length;
    // Joined only now and then: joining for each chunk would copy all of it each time.
    if (this.#tailSize > 2 * this.#side || this.#tail.length > MAX_PARTS) this.#shorten();
  }

  /** The beginning alone. */
  head(): Buffer {
    return Buffer.concat(this.#head);
  }

  /** The end, as far as it does not belong to the beginning. */
  tail(): Buffer {
    this.#shorten();
    return this.#tail[0] ?? Buffer.alloc(0);
  }

  /** Both, and between them a line that says how many bytes are missing. */
  bytes(): Buffer {
    const [head, tail] = [this.head(), this.tail()];
    const missing = this.#size - head.length - tail.length;
    const gap = missing > 0 ? `\n[... ${missing} bytes left out ...]\n` : "";
    return Buffer.concat([head, Buffer.from(gap), tail]);
  }

  #shorten(): void {
    const joined = Buffer.concat(this.#tail);
    const end = joined.length > this.#side ? Buffer.from(joined.subarray(-this.#side)) : joined;
    this.#tail = end.length > 0 ? [end] : [];
    this.#tailSize = end.length;
  }
}
