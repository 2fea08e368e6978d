/** Long work in slices: other requests are answered in between. */
import type { Runtime } from "../../runtime.ts";
import { sleep } from "../../runtime.ts";

export class Slices {
  readonly #runtime: Runtime;
  readonly #sliceMs: number;
  readonly #restMs: number;
  #began: number;

  /** Milliseconds of one slice, and how long others have their turn at least. A request takes several turns. */
  constructor({ runtime }: { runtime: Runtime }, { sliceMs = 10, restMs = 0 } = {}) {
    this.#runtime = runtime;
    this.#sliceMs = sliceMs;
    this.#restMs = restMs;
    this.#began = runtime.uptime();
  }

  /** Lets others have their turn where this one has lasted long enough. */
  async pause(): Promise<void> {
    if (this.#runtime.uptime() - this.#began < this.#sliceMs) return;
    if (this.#restMs > 0) await sleep(this.#runtime, this.#restMs);
    else await new Promise<void>((done) => this.#runtime.nextTurn(done));
    this.#began = this.#runtime.uptime();
  }
}
