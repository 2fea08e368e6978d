/**
 * Many folders verified by more than one thread: what a folder holds depends on no other folder. The caller waits for the
 * answer all the same, so the threads are told what is left by shared memory and not by events.
 */
import { availableParallelism } from "node:os";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { MessagePort } from "node:worker_threads";
import { RootedDisk } from "../../rooted_disk.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import { partsLeft } from "../core/parts_left.ts";
import { threadFile } from "../core/thread_file.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { allParts, verifyPart } from "./verify_part.ts";
import type { PartVerified, VerifyWork } from "./verify_part.ts";
import type { Verified, VerifyFrom } from "./verify_entity.ts";
import { verifyPlace } from "./verify_entity.ts";

/** A thread takes as long to start as some hundred folders take to verify. */
const WORTH_THREADS = 500;
/** Beside this one. Each takes the memory of one more process. */
const MOST_THREADS = 3;
/** A thread that says nothing for so long may have died: what it took is done here. */
const PATIENCE_MS = 1000;

/** Returns the outcome of each place, in their order. */
export function verifyPlaces(
  from: VerifyFrom,
  places: readonly EntityLocation[],
  options: ProgressOptions,
): Verified[] {
  // Threads open the root for themselves: another disk than that of the system is known here alone.
  const isShared = places.length >= WORTH_THREADS && from.context.disk instanceof RootedDisk;
  const threads = isShared ? startThreads(from, places) : null;
  if (threads) return verifyWith(threads, from, places, options);
  return places.map((place, i) => {
    const verified = verifyPlace(from, place);
    options.progress?.(i + 1, places.length);
    return verified;
  });
}

class Threads {
  readonly work: VerifyWork;
  readonly #workers: Worker[] = [];
  readonly #ports: MessagePort[] = [];

  constructor(work: VerifyWork) {
    this.work = work;
  }

  start(file: string): void {
    const { port1, port2 } = new MessageChannel();
    const workerData = { ...this.work, port: port2 };
    const worker = new Worker(file, { workerData, transferList: [port2], execArgv: [] });
    // The thread that waits does the work that another thread leaves undone, and fails there with the same error.
    worker.on("error", () => undefined);
    worker.unref();
    this.#workers.push(worker);
    this.#ports.push(port1);
  }

  /** Returns the messages that came in since. */
  *told(): Generator<PartVerified> {
    for (const port of this.#ports) {
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port))
        yield got.message as PartVerified;
    }
  }

  end(): void {
    for (const port of this.#ports) port.close();
    for (const worker of this.#workers) void worker.terminate();
  }
}

/** Null where there is no thread to share with: one core, no file to start from, or a system that allows no thread. */
function startThreads({ context, ...from }: VerifyFrom, places: readonly EntityLocation[]): Threads | null {
  const most = Math.min(availableParallelism() - 1, MOST_THREADS);
  const file = most > 0 ? threadFile("verify_worker") : undefined;
  if (file === undefined) return null;
  const turn = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const threads = new Threads({ root: context.layout.root, ...from, places, turn });
  try {
    for (let n = 0; n < most; n++) threads.start(file);
    return threads;
  } catch {
    // Node refuses under --permission, the system without memory: one thread does the work as well.
    threads.end();
    return null;
  }
}

function verifyWith(
  threads: Threads,
  from: VerifyFrom,
  places: readonly EntityLocation[],
  { progress }: ProgressOptions,
): Verified[] {
  const { work } = threads;
  const verified: Verified[] = [];
  let done = 0;
  const take = ({ at, results }: PartVerified): void => {
    for (const [i, one] of results.entries()) verified[at + i] = one;
    done += results.length;
  };
  const takeTold = (): void => {
    for (const part of threads.told()) take(part);
    progress?.(done, places.length);
  };
  try {
    for (const at of partsLeft(places.length, work.turn)) {
      take(verifyPart(from, places, at));
      takeTold();
    }
    while (done < places.length) {
      const before = Atomics.load(work.turn, 1);
      takeTold();
      if (done === places.length) break;
      if (Atomics.wait(work.turn, 1, before, PATIENCE_MS) !== "timed-out") continue;
      for (const at of allParts(places)) {
        if (verified[at] === undefined) take(verifyPart(from, places, at));
      }
      progress?.(done, places.length);
    }
    return verified;
  } finally {
    threads.end();
  }
}
