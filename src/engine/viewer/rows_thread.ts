/**
 * A second thread for the first look at very many logs. A log depends on no other one, so both threads read, each the next few. The
 * first thread reads the logs that the second one does not tell.
 */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { partsLeft } from "../core/parts_left.ts";
import { threadFile } from "../core/thread_file.ts";
import type { RowsRead, RowsWork } from "./rows_work.ts";
import type { ShortLog } from "./short_log.ts";

/** A thread takes as long to start as some hundred logs take to read. */
const WORTH_THREAD = 1000;
/** A thread that says nothing for so long may hang. */
const PATIENCE_MS = 1000;
/** Rows are kept, so a small space for young objects is copied over and over. */
const resourceLimits = { maxYoungGenerationSizeMb: 64 };

export class RowsThread {
  readonly #work: RowsWork;
  readonly #worker: Worker;
  readonly #logs = new Map<number, ShortLog>();
  /** It has ended, or nothing more is waited for: a thread in a call to a disk that never answers does not end. */
  readonly #ended: Promise<void>;
  #giveUp: () => void = () => undefined;
  #heard = performance.now();

  private constructor(file: string, work: RowsWork) {
    this.#work = work;
    this.#worker = new Worker(file, { workerData: work, execArgv: [], resourceLimits });
    this.#worker.on("message", ({ at, logs }: RowsRead) => {
      this.#heard = performance.now();
      for (const [i, log] of logs.entries()) if (log) this.#logs.set(at + i, log);
    });
    // This thread reads the same logs then, and fails with the same error.
    this.#worker.on("error", () => undefined);
    this.#ended = new Promise((done) => {
      this.#giveUp = done;
      this.#worker.once("exit", () => done());
    });
  }

  /** Undefined where there is nothing to share, or no thread to share with: one core, no file, or a system that allows no thread. */
  static start(work: Omit<RowsWork, "turn">): RowsThread | undefined {
    if (work.places.length < WORTH_THREAD || availableParallelism() < 2) return undefined;
    const file = threadFile("rows_worker");
    if (file === undefined) return undefined;
    const turn = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    try {
      return new RowsThread(file, { ...work, turn });
    } catch {
      // Node refuses under --permission, the system without memory: one thread does the work as well.
      return undefined;
    }
  }

  /** Where each part begins that the first thread is to read. */
  parts(): Generator<number> {
    return partsLeft(this.#work.places.length, this.#work.turn);
  }

  /** Logs by their place in the list, when the thread is done or says nothing more. */
  async logs(): Promise<ReadonlyMap<number, ShortLog>> {
    this.#heard = performance.now();
    const silence = setInterval(() => {
      if (performance.now() - this.#heard > PATIENCE_MS) this.end();
    }, PATIENCE_MS);
    await this.#ended;
    clearInterval(silence);
    return this.#logs;
  }

  end(): void {
    void this.#worker.terminate();
    this.#giveUp();
  }
}
