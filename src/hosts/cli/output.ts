/** Prints on stdout, and knows whether it came there: a disk can be full, a terminal gone, a reader away. */
import { EXIT } from "../../errors.ts";

export class Output {
  readonly #stream: () => NodeJS.WriteStream;
  readonly #lost = new AbortController();
  #made: NodeJS.WriteStream | undefined;
  #last: Promise<void> = Promise.resolve();
  #failure: string | undefined;
  #hasChanged = false;

  /** The stream is made at the first text: a command may have nothing to say. */
  constructor(stream: () => NodeJS.WriteStream) {
    this.#stream = stream;
  }

  /** Aborts when nothing can be printed any more. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Says that the command changed something: who cannot read the answer has to know. */
  changed(): void {
    this.#hasChanged = true;
  }

  write(text: string): void {
    if (this.#failure !== undefined) return;
    // A stream tells its error to the write, and to its listeners too.
    const stream = (this.#made ??= this.#stream().on("error", (e: NodeJS.ErrnoException) => this.#fail(e)));
    this.#last = new Promise((done) => {
      stream.write(text, (e) => {
        if (e) this.#fail(e);
        done();
      });
    });
  }

  /**
   * Waits until all is written. Returns the exit code, and the line for stderr where something was lost (CLI-246). A reader
   * that has read enough loses nothing but the answer of a change (`taskfold log | head`).
   */
  async ended(exit: number): Promise<{ exit: number; line?: string }> {
    await this.#last;
    if (this.#failure === undefined || (this.#failure === "EPIPE" && !this.#hasChanged)) return { exit };
    const change =
      exit === EXIT.outcomeUnknown
        ? "It is not known whether the change was made"
        : this.#hasChanged
          ? "The change was made"
          : "Nothing was changed";
    const line = `OUTPUT_FAILED: Expected to print the answer on stdout, the system said ${this.#failure}. ${change}.\n`;
    return { exit: EXIT.storage, line };
  }

  #fail(e: NodeJS.ErrnoException): void {
    this.#failure ??= e.code ?? "no more";
    this.#lost.abort();
  }
}
