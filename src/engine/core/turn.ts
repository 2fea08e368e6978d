/**
 * A call that waits for nothing is done before any timer, socket or signal of its process has a turn. So is a loop of such
 * calls, however long. Once they have kept timers and sockets waiting for 10 ms, the next reply lets those go first. Costs a
 * microsecond in a turn, and a turn in 10 ms.
 */
// Not the global one, which tests replace by one that waits until it is told: no reply would come.
import { setImmediate } from "node:timers";

const TURN_MS = 10;

export class Turns {
  /** When the first call of this turn was done; null before that. */
  #began: number | null = null;
  #next: Promise<void> | null = null;

  /** To be waited for, before a reply, by all that are done meanwhile. null: no caller waits for long yet. */
  due(): Promise<void> | null {
    if (this.#next) return this.#next;
    if (this.#began === null) {
      this.#began = performance.now();
      setImmediate(() => (this.#began = null));
      return null;
    }
    if (performance.now() - this.#began < TURN_MS) return null;
    this.#next = new Promise((done) =>
      setImmediate(() => {
        this.#next = null;
        done();
      }),
    );
    return this.#next;
  }
}
