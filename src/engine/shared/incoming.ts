/** Messages that were heard and not applied yet, by their sequence numbers. */
import type { SharedMessage } from "../core/shared_log.ts";

/** Messages that do not fit are read when they are due. */
const MOST = { messages: 2000, bytes: 16 * 1024 * 1024 };

export class Incoming {
  readonly #messages = new Map<number, SharedMessage>();
  #bytes = 0;

  /** The first that was heard. */
  get first(): number | undefined {
    return this.#messages.size === 0 ? undefined : Math.min(...this.#messages.keys());
  }

  add(message: SharedMessage): void {
    if (this.#messages.size >= MOST.messages || this.#bytes >= MOST.bytes) return;
    this.#forget(message.seq);
    this.#messages.set(message.seq, message);
    this.#bytes += message.body.length;
  }

  /** Takes those that follow each other directly behind `seq`. */
  behind(seq: number): SharedMessage[] {
    for (const known of this.#messages.keys()) if (known <= seq) this.#forget(known);
    const found: SharedMessage[] = [];
    for (let next = this.#messages.get(seq + 1); next; next = this.#messages.get(next.seq + 1)) found.push(next);
    for (const message of found) this.#forget(message.seq);
    return found;
  }

  #forget(seq: number): void {
    this.#bytes -= this.#messages.get(seq)?.body.length ?? 0;
    this.#messages.delete(seq);
  }
}
