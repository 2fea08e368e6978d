/** Takes secrets out of output on its way to a file, in bounded memory: what is kept never held them. */

/** Output that is looked at together. */
const BLOCK = 256 * 1024;
/** A secret of at most so many bytes is found wherever a block ends. */
const NEAR = 8 * 1024;
/** Places that are tried before a block goes out whole. */
const TRIES = 16;
const LINE_FEED = 0x0a;

export class RedactedStream {
  readonly #redact: (text: string) => string;
  readonly #write: (bytes: Buffer) => void;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(redact: (text: string) => string, write: (bytes: Buffer) => void) {
    this.#redact = redact;
    this.#write = write;
  }

  add(chunk: Buffer): void {
    // The caller may read the next chunk into the same memory.
    this.#parts.push(Buffer.from(chunk));
    this.#size += chunk.length;
    if (this.#size < BLOCK) return;
    const bytes = Buffer.concat(this.#parts);
    const cut = this.#cutOf(bytes);
    this.#pass(bytes.subarray(0, cut));
    this.#parts = [Buffer.from(bytes.subarray(cut))];
    this.#size = bytes.length - cut;
  }

  end(): void {
    const bytes = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = 0;
    if (bytes.length > 0) this.#pass(bytes);
  }

  /** Bytes that hold no secret stay as they are, whether they are UTF-8 or not. */
  #pass(bytes: Buffer): void {
    const text = bytes.toString("utf8");
    const masked = this.#redact(text);
    this.#write(masked === text ? bytes : Buffer.from(masked));
  }

  /** An end of a line that parts no secret. */
  #cutOf(bytes: Buffer): number {
    let before = bytes.length - NEAR;
    for (let n = 0; n < TRIES && before > NEAR; n++) {
      const at = placeBefore(bytes, before);
      if (this.#isApart(bytes, at)) return at;
      before = at - NEAR / 2;
    }
    return bytes.length;
  }

  /** Whether both sides of a place are masked alike, together and each by itself. */
  #isApart(bytes: Buffer, at: number): boolean {
    const left = bytes.toString("utf8", Math.max(at - NEAR, 0), at);
    const right = bytes.toString("utf8", at, Math.min(at + NEAR, bytes.length));
    return this.#redact(left + right) === this.#redact(left) + this.#redact(right);
  }
}

/** Behind the last line feed before a place; where lines are long, at the beginning of a character. */
function placeBefore(bytes: Buffer, before: number): number {
  const feed = bytes.lastIndexOf(LINE_FEED, before - 1);
  if (feed >= before - BLOCK / 4 && feed > 0) return feed + 1;
  let at = before;
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}
