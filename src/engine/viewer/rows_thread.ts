/**
 * A second thread for the first look at very many logs. A log depends on no other one, so both threads read, each the next few. The
 * first thread reads the logs that the second one does not tell.
 */
import type { Runtime, Threads } from "../../runtime.ts";
import { every } from "../../runtime.ts";
import type { EngineContext } from "../core/context.ts";
import { partsLeft } from "../core/parts_left.ts";
import { threadFile } from "../core/thread_file.ts";
import type { RowsRead, RowsWork } from "./rows_work.ts";
import type { ShortRow } from "./short_row.ts";

/** A thread takes as long to start as some hundred logs take to read. */
const WORTH_THREAD = 1000;
/** A thread that says nothing for so long may hang. */
const PATIENCE_MS = 1000;
/** Rows are kept, so a small space for young objects is copied over and over. */
const YOUNG_MB = 64;

export class RowsThread {
  readonly #runtime: Runtime;
  readonly #work: RowsWork;
  readonly #threads: Threads;
  readonly #logs = new Map<number, ShortRow>();
  #heard: number;

  private constructor(runtime: Runtime, file: string, work: RowsWork) {
    this.#runtime = runtime;
    this.#work = work;
    this.#heard = runtime.uptime();
    this.#threads = runtime.startThreads(1, {
      file,
      work,
      heard: (message) => this.#take(message as RowsRead),
      youngMb: YOUNG_MB,
    });
  }

  /** Undefined where there is little to share, or no thread can take part. A disk of a host is no thread's, and some systems allow none. */
  static start(
    { runtime, disks }: Pick<EngineContext, "runtime" | "disks">,
    work: Omit<RowsWork, "taken">,
  ): RowsThread | undefined {
    if (work.places.length < WORTH_THREAD || runtime.threadsBeside < 1 || !disks.inThreads) return undefined;
    const file = threadFile("rows_worker");
    if (file === undefined) return undefined;
    const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    try {
      return new RowsThread(runtime, file, { ...work, taken });
    } catch {
      // Node refuses under --permission, the system without memory: one thread does the work as well.
      return undefined;
    }
  }

  /** Where each part begins that the first thread is to read. */
  parts(): Generator<number> {
    return partsLeft(this.#work.places.length, this.#work.taken);
  }

  /**
   * Logs by their place in the list, when the thread is done or says nothing more. A thread in a call to a disk that never answers does
   * not end.
   */
  async logs(): Promise<ReadonlyMap<number, ShortRow>> {
    this.#heard = this.#runtime.uptime();
    await new Promise<void>((done) => {
      const cancel = every(this.#runtime, PATIENCE_MS, () => {
        if (this.#runtime.uptime() - this.#heard > PATIENCE_MS) end();
      });
      const end = (): void => {
        cancel();
        done();
      };
      this.#threads.ended.then(end, end);
    });
    return this.#logs;
  }

  end(): void {
    this.#threads.end();
  }

  #take({ at, logs }: RowsRead): void {
    this.#heard = this.#runtime.uptime();
    for (const [i, log] of logs.entries()) if (log) this.#logs.set(at + i, log);
  }
}
