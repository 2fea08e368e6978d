/** The runtime of Node and of the system that it runs on. */
import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import type { MessagePort, Worker } from "node:worker_threads";
import { beganAt, hasRunning, isRunning, signalAll } from "./processes/group_members.ts";
import { randomHex } from "./random_hex.ts";
import type { ProcessGroups, Runtime, ThreadRequest, Threads } from "./runtime.ts";

const groups: ProcessGroups = {
  run: async (request) => {
    const { runGroup } = await import("./processes/process_group.ts");
    return runGroup(request);
  },
  hasRunning,
  beganAt,
  signalAll,
};

const NEVER_WOKEN = new Int32Array(new SharedArrayBuffer(4));

export const nodeRuntime: Runtime = {
  now: Date.now,
  uptime: () => performance.now(),
  after: (ms, call, idle) => {
    const timer = setTimeout(call, ms);
    if (idle) timer.unref();
    return () => clearTimeout(timer);
  },
  nextTurn: (call) => void setImmediate(call),
  nap: (ms) => void Atomics.wait(NEVER_WOKEN, 0, 0, ms),
  randomHex,
  pid: process.pid,
  isRunning,
  // Loaded when it is asked for: few programs need it, and none as it starts.
  get host() {
    return process.getBuiltinModule("node:os").hostname();
  },
  get threadsBeside() {
    return process.getBuiltinModule("node:os").availableParallelism() - 1;
  },
  startThreads: (count, request) => {
    const threads = new NodeThreads(request);
    try {
      for (let n = 0; n < count; n++) threads.start();
      return threads;
    } catch (e) {
      threads.end();
      throw e;
    }
  },
  groups,
};

/** The start of a thread. `posted`: how many messages all threads told. */
interface Start {
  work: object;
  port: MessagePort;
  posted: Int32Array;
}

class NodeThreads implements Threads {
  readonly #request: ThreadRequest;
  readonly #posted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #workers: Worker[] = [];
  readonly #ports: MessagePort[] = [];
  readonly #ends: Promise<void>[] = [];
  #heard = 0;

  constructor(request: ThreadRequest) {
    this.#request = request;
  }

  start(): void {
    const { MessageChannel, Worker } = process.getBuiltinModule("node:worker_threads");
    const { file, work, heard, youngMb } = this.#request;
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(file, {
      workerData: { work, port: port2, posted: this.#posted } satisfies Start,
      transferList: [port2],
      execArgv: [],
      ...(youngMb === undefined ? {} : { resourceLimits: { maxYoungGenerationSizeMb: youngMb } }),
    });
    this.#workers.push(worker);
    this.#ports.push(port1);
    // The thread that started it does the work that is left undone, and fails there with the same error.
    worker.on("error", () => undefined);
    const ended = new Promise<void>((done) => void worker.once("exit", () => done()));
    this.#ends.push(ended.then(() => this.#finish(port1)));
    if (heard) port1.on("message", heard);
    else worker.unref();
  }

  *messages(): Generator<unknown> {
    this.#heard = Atomics.load(this.#posted, 0);
    for (const port of this.#ports) yield* waitingIn(port);
  }

  wait(ms: number): boolean {
    return Atomics.wait(this.#posted, 0, this.#heard, ms) !== "timed-out";
  }

  get ended(): Promise<void> {
    return Promise.all(this.#ends).then(() => undefined);
  }

  end(): void {
    for (const port of this.#ports) port.close();
    for (const worker of this.#workers) void worker.terminate();
  }

  /** The end of a thread may be told before its last words. */
  #finish(port: MessagePort): void {
    const { heard } = this.#request;
    if (!heard) return;
    for (const message of waitingIn(port)) heard(message);
    port.close();
  }
}

function* waitingIn(port: MessagePort): Generator<unknown> {
  const { receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads");
  for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) yield got.message;
}

/** For the program of a thread: its work, and `tell`, which gives a message to who started it. */
export function thisThread(): { work: unknown; tell: (message: unknown) => void } {
  const { workerData } = process.getBuiltinModule("node:worker_threads");
  const { work, port, posted } = workerData as Start;
  const tell = (message: unknown): void => {
    port.postMessage(message);
    Atomics.add(posted, 0, 1);
    Atomics.notify(posted, 0);
  };
  return { work, tell };
}
