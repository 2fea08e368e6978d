/** Keeps the output of a command: all of a short one, both ends of a long one, and the digest of the whole. */
import { createHash } from "node:crypto";

/** Two outputs fit one piece of evidence, also if each of their bytes becomes a replacement character of three. */
const HALF = 20 * 1024;

export class CapturedOutput {
  readonly #hash = createHash("sha256");
  #begin = Buffer.alloc(0);
  #end = Buffer.alloc(0);
  #size = 0;

  add(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    const room = Math.max(HALF - this.#begin.length, 0);
    if (room > 0) this.#begin = Buffer.concat([this.#begin, chunk.subarray(0, room)]);
    const rest = chunk.subarray(room);
    if (rest.length > 0) this.#end = Buffer.concat([this.#end, rest.subarray(-HALF)]).subarray(-HALF);
  }

  get size(): number {
    return this.#size;
  }

  /** SHA-256 of all of it. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }

  /** Counts the gap in bytes. A character that was cut in two shows as the replacement character. */
  text(): string {
    const left = this.#size - this.#begin.length - this.#end.length;
    const gap = left > 0 ? `\n[... ${left} bytes left out ...]\n` : "";
    return left > 0
      ? this.#begin.toString("utf8") + gap + this.#end.toString("utf8")
      : Buffer.concat([this.#begin, this.#end]).toString("utf8");
  }
}
