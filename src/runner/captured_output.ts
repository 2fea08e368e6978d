/** Keeps the output of a command: all of a short one, both ends of a long one, and the digest of the whole. */
import { createHash } from "node:crypto";

/** Two outputs fit one piece of evidence, also if each of their bytes becomes a replacement character of three. */
const HALF = 20 * 1024;
/** Bytes beside an end. With them a secret is recognised that the end would part in two. */
const NEAR = 8 * 1024;
const WINDOW = HALF + NEAR;

export class CapturedOutput {
  readonly #hash = createHash("sha256");
  #begin = Buffer.alloc(0);
  #end = Buffer.alloc(0);
  #size = 0;

  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    const room = Math.max(WINDOW - this.#begin.length, 0);
    if (room > 0) this.#begin = Buffer.concat([this.#begin, chunk.subarray(0, room)]);
    const rest = chunk.subarray(room);
    if (rest.length > 0) this.#end = Buffer.concat([this.#end, rest.subarray(-WINDOW)]).subarray(-WINDOW);
  }

  get size(): number {
    return this.#size;
  }

  /** SHA-256 of all of it, as it came. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  /** The kept text, redacted. Counts the gap in bytes. A character that was cut in two shows as the replacement character. */
  text(redact: (text: string) => string): string {
    const kept = Buffer.concat([this.#begin, this.#end]);
    const left = this.#size - 2 * HALF;
    if (left <= 0) return redact(kept.toString("utf8"));
    const masked = (bytes: Buffer): Buffer => {
      const text = bytes.toString("utf8");
      const after = redact(text);
      return after === text ? bytes : Buffer.from(after);
    };
    const [begin, end] = [masked(kept.subarray(0, WINDOW)), masked(kept.subarray(-WINDOW))];
    const gap = `\n[... ${left} bytes left out ...]\n`;
    return begin.subarray(0, -NEAR).toString("utf8") + gap + end.subarray(NEAR).toString("utf8");
  }
}
