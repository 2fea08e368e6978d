/** Long work in slices: other requests are answered in between. */

/** Milliseconds of one slice. */
const SLICE_MS = 20;

export class Slices {
  readonly #restMs: number;
  #began = performance.now();

  /** `restMs`: how long others have their turn at least. */
  constructor(restMs = 0) {
    this.#restMs = restMs;
  }

  /** Lets others have their turn where this one has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() - this.#began < SLICE_MS) return;
    await new Promise((done) => (this.#restMs > 0 ? setTimeout(done, this.#restMs) : setImmediate(done)));
    this.#began = performance.now();
  }
}
