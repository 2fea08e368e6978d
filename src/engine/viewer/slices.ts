/** Long work in slices: other requests are answered in between. */

export class Slices {
  readonly #sliceMs: number;
  readonly #restMs: number;
  #began = performance.now();

  /** Milliseconds of one slice, and how long others have their turn at least. A request takes several turns. */
  constructor({ sliceMs = 10, restMs = 0 } = {}) {
    this.#sliceMs = sliceMs;
    this.#restMs = restMs;
  }

  /** Lets others have their turn where this one has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < this.#sliceMs) return;
    await new Promise((done) => (this.#restMs > 0 ? setTimeout(done, this.#restMs) : setImmediate(done)));
    this.#began = performance.now();
  }
}
