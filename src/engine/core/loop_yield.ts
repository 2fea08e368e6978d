/**
 * A call that waits for nothing is done before any timer, socket or signal of its process has a turn. So is a loop of such
 * calls, however long. Once they have kept timers and sockets waiting for 10 ms, the next reply lets those go first. Costs a
 * microsecond in a turn, and a turn in 10 ms.
 */
import type { Runtime } from "../../runtime.ts";

const TURN_MS = 10;

export class LoopYield {
  readonly #runtime: Pick<Runtime, "uptime" | "nextTurn">;
  /** When the first call of this turn was done; null before that. */
  #began: number | null = null;
  #next: Promise<void> | null = null;

  constructor(runtime: Pick<Runtime, "uptime" | "nextTurn">) {
    this.#runtime = runtime;
  }

  /** To be waited for, before a reply, by all that are done meanwhile. null: no caller waits for long yet. */
  due(): Promise<void> | null {
    if (this.#next) return this.#next;
    if (this.#began === null) {
      this.#began = this.#runtime.uptime();
      this.#runtime.nextTurn(() => (this.#began = null));
      return null;
    }
    if (this.#runtime.uptime() - this.#began < TURN_MS) return null;
    this.#next = new Promise((done) =>
      this.#runtime.nextTurn(() => {
        this.#next = null;
        done();
      }),
    );
    return this.#next;
  }
}
