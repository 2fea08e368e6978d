/** Messages that were heard and not taken in yet, by their sequence numbers. */
import type { SharedMessage } from "../core/shared_log.ts";

/** Messages that do not fit are read when they are due. */
const MOST = 2000;

export class Incoming {
  readonly #messages = new Map<number, SharedMessage>();

  /** The first that was heard. */
  get first(): number | undefined {
    return this.#messages.size === 0 ? undefined : Math.min(...this.#messages.keys());
  }

  add(message: SharedMessage): void {
    if (this.#messages.size < MOST) this.#messages.set(message.seq, message);
  }

  /** Takes those that follow each other directly behind `seq`. */
  behind(seq: number): SharedMessage[] {
    for (const known of this.#messages.keys()) if (known <= seq) this.#messages.delete(known);
    const found: SharedMessage[] = [];
    for (let next = this.#messages.get(seq + 1); next; next = this.#messages.get(next.seq + 1)) found.push(next);
    for (const message of found) this.#messages.delete(message.seq);
    return found;
  }
}
