// @ts-check
/**
 * A simulated process: a thread that runs the build as it is. The scheduler gets each call to the disk, to a lock, to
 * sleep or to ask for a process. It alone says when the process goes on. Time, timers and chance come from there, too. If it is killed, the call throws
 * and nothing that it does later reaches anything; the thread serves the next process then.
 */
import * as crypto from "node:crypto";
import * as os from "node:os";
import { workerData } from "node:worker_threads";
import { load } from "./build.mjs";
import { Copy } from "./copy.mjs";
import { errno } from "./visible.mjs";
import { StreamLog } from "./stream_log.mjs";
import { Wire } from "./wire.mjs";
import { randomFrom } from "../support/random_calls.mjs";

/** @typedef {{ due: number, run: () => void }} Timer */
/**
 * The facts that a process is told of itself.
 * @typedef {{ pid: number, lastFd: number, seed: number, host: string, locks: "os" | "lockfile" | "broken", stream?: import("./plan.mjs").Plan["stream"], git?: boolean, open: object }} Self
 */

const { shared, text } = /** @type {{ shared: SharedArrayBuffer, text: string }} */ (workerData);
const wire = new Wire(shared);
process.on("uncaughtException", (e) => wire.end(shown(e)));
/** A process that is dead and still goes on has a loop without an end. */
const MAX_DEAD_CALLS = 100_000;

class Killed extends Error {}

class Process {
  /** @type {Map<number, Timer>} */
  timers = new Map();
  /** @type {(() => void)[]} */
  immediates = [];
  /** Connections to the shared log. @type {Map<number, StreamLog>} */
  logs = new Map();
  /** Calls that it does not wait for in its turn. @type {Map<number, { done: (value: unknown) => void, fail: (e: unknown) => void }>} */
  asked = new Map();
  /** Answers that the scheduler has not heard yet. @type {unknown[]} */
  told = [];
  dead = false;
  #deadCalls = 0;
  /** Commands that it started and that have not ended, by their groups. @type {Map<number, { onStdout: (chunk: Buffer) => void, onStderr: (chunk: Buffer) => void }>} */
  printing = new Map();
  /** Those whose output could not be kept. @type {Map<number, { error: unknown }>} */
  #failed = new Map();
  #lastTimer = 0;
  /** Milliseconds of its clocks at the last answer, and how often they were read since. */
  #wall = 0;
  #steady = 0;
  #reads = 0;

  /** @param {Self} self @param {import("./copy.mjs").Grant} grant @param {Buffer} bytes of the files on the disk */
  constructor(self, grant, bytes) {
    this.self = self;
    this.copy = new Copy(self.lastFd, grant, bytes);
    this.setClocks();
    this.random = randomFrom(self.seed);
    current = this;
    build.begin();
    this.workspace = build.openWorkspace({
      ...self.open,
      root: "/w",
      runtime: /** @type {import("../../dist/runtime.js").Runtime} */ (
        /** @type {unknown} */ ({
          now: () => this.now(),
          uptime: () => this.uptime(),
          after: (/** @type {number} */ ms, /** @type {() => void} */ run) => {
            const timer = this.timer(run, ms);
            return () => void this.timers.delete(timer.id);
          },
          nextTurn: (/** @type {() => void} */ run) => void this.immediates.push(run),
          nap: (/** @type {number} */ ms) => void this.call("sleep", [ms]),
          randomHex: (/** @type {number} */ digits) =>
            this.randomBytes(Math.ceil(digits / 2))
              .toString("hex")
              .slice(0, digits),
          pid: self.pid,
          isRunning: (/** @type {number} */ pid) => this.call("isRunning", [pid]),
          host: self.host,
          threadsBeside: 0,
          groups: this.#groups(),
        })
      ),
      disk: { ...this.#disk(), newName: () => this.randomBytes(16).toString("hex") },
      ...(self.stream ? { shared: this.#shared(self.stream) } : {}),
      ...(self.git ? { git: () => this.#gitPort() } : {}),
      ...(self.locks === "broken" ? { lockProvider: noLocks } : { lock: self.locks }),
    });
  }

  /** @param {import("./copy.mjs").Grant} grant @param {Buffer} bytes of the files that changed */
  goOn(grant, bytes) {
    this.copy.goOn(grant, bytes);
    this.setClocks();
  }

  setClocks() {
    const { wall, steady } = this.copy.clocks;
    this.#wall = wall;
    this.#steady = steady;
    this.#reads = 0;
  }

  now() {
    return Math.floor(this.#wall + this.#tick());
  }

  uptime() {
    return this.#steady + this.#tick();
  }

  /** @param {number} size */
  randomBytes(size) {
    return Buffer.from(Array.from({ length: size }, () => this.random.below(256)));
  }

  uuid() {
    const hex = this.randomBytes(16).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  #tick() {
    // A loop that waits for a clock sees it move.
    return this.#reads++ * 0.001;
  }

  /** @param {() => void} run @param {number} ms */
  timer(run, ms, id = ++this.#lastTimer) {
    this.timers.set(id, {
      due: this.#steady + Math.max(1, ms),
      run: () => {
        this.timers.delete(id);
        run();
      },
    });
    const timer = { id, unref: () => timer, ref: () => timer, hasRef: () => true };
    return timer;
  }

  /** @param {() => void} run @param {number} ms */
  every(run, ms) {
    const again = () => {
      this.timer(again, ms, timer.id);
      run();
    };
    const timer = this.timer(again, ms);
    return timer;
  }

  /** @param {string} name @param {unknown[]} args @param {Uint8Array} [bytes] @returns {any} */
  call(name, args, bytes) {
    if (this.dead) {
      if (++this.#deadCalls > MAX_DEAD_CALLS) throw new Error("a dead process does not end");
      throw new Killed(name);
    }
    try {
      return this.copy.answers(name, args) ? this.#looks(name, args) : this.#asks(name, args, bytes);
    } catch (e) {
      if (/** @type {{ code?: string }} */ (e).code !== "TOO_LARGE") throw e;
      throw new build.FileTooLargeError(String(args[0]), Number(args[1]));
    }
  }

  /** @param {string} name @param {unknown[]} args */
  #looks(name, args) {
    try {
      return this.copy.answer(name, args);
    } finally {
      this.setClocks();
    }
  }

  /** @param {string} name @param {unknown[]} args @param {Uint8Array} [bytes] */
  #asks(name, args, bytes) {
    const { text: answer, bytes: found } = ask({ name, args }, bytes);
    const { value, error, killed, grant } = answer;
    if (killed) {
      this.dead = true;
      throw new Killed(name);
    }
    const own = found.subarray(0, answer.own);
    this.goOn(grant, found.subarray(answer.own));
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    this.copy.answered(name, args, value);
    return value === "bytes" ? own : value;
  }

  /** @param {NonNullable<Self["stream"]>} stream @returns {import("../../dist/engine/core/shared_log.js").SharedLogPort} */
  #shared({ mode }) {
    const connect = async () => {
      const link = this.logs.size;
      const ask = async (
        /** @type {string} */ name,
        /** @type {unknown[]} */ args,
        /** @type {Uint8Array | undefined} */ bytes,
      ) => {
        try {
          return await this.later("stream", [link, name, ...args], bytes);
        } catch (e) {
          if (!(e instanceof Error) || !("code" in e) || e.code !== "SHARED_UNAVAILABLE") throw e;
          throw new build.TaskfoldError("SHARED_UNAVAILABLE", e.message, { recovery: "Call again." });
        }
      };
      const log = new StreamLog(ask);
      this.logs.set(link, log);
      await ask("connect", [], undefined);
      return log;
    };
    return { mode, blobs: "all", address: "nats://simulated", connect };
  }

  /** A call whose answer comes in a later turn. @param {string} name @param {unknown[]} args @param {Uint8Array} [bytes] @returns {Promise<any>} */
  later(name, args, bytes) {
    return new Promise((done, fail) => {
      const id = this.call(name, args, bytes);
      this.asked.set(id, { done, fail });
    });
  }

  /** @param {{ id: number, value?: unknown, error?: { code?: string, message: string } | null }} answer @param {Buffer} bytes */
  answered({ id, value, error }, bytes) {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    if (error) asked?.fail(Object.assign(new Error(error.message), { code: error.code }));
    else asked?.done(value === "bytes" ? bytes : value);
  }

  /** @returns {import("../../dist/runtime.js").ProcessGroups} */
  #groups() {
    return {
      run: async (request) => {
        const { argv, wallclock_ms, onGroup } = request;
        const group = this.call("launch", [argv.map((arg) => arg.slice(0, 100))]);
        this.printing.set(group, request);
        // As with the real one, the command begins when its group is kept, and never if that fails.
        try {
          onGroup?.(group);
        } catch (e) {
          this.call("signalGroup", [group, "SIGKILL"]);
          throw e;
        }
        const ended = await this.later("go", [group, wallclock_ms]);
        const failed = this.#failed.get(group);
        if (failed) throw failed.error;
        return ended;
      },
      hasRunning: (group) => this.call("groupRuns", [group]),
      beganAt: (pid) => this.call("beganAt", [pid]) ?? undefined,
      signalAll: (group, signal) => void this.call("signalGroup", [group, signal]),
    };
  }

  /** Gives on the output of a command. @param {number} group @param {"out" | "err"} stream @param {Buffer} bytes */
  printed(group, stream, bytes) {
    const request = this.printing.get(group);
    try {
      if (stream === "out") request?.onStdout(bytes);
      else request?.onStderr(bytes);
    } catch (error) {
      if (this.#failed.has(group) || error instanceof Killed) return;
      this.#failed.set(group, { error });
      this.call("signalGroup", [group, "SIGTERM"]);
    }
  }

  /** @returns {import("../../dist/disk.js").Disk} */
  #disk() {
    const ask =
      (/** @type {string} */ name) =>
      (/** @type {unknown[]} */ ...args) =>
        this.call(name, args);
    const calls = Object.fromEntries(
      "open close truncate fstat stat lstat fdatasyncSync fsync copyMode syncFolder readdir readFolders entries mkdir rename exchange unlink rmdir identity"
        .split(" ")
        .map((name) => [name, ask(name)]),
    );
    const readFile = (/** @type {string} */ path, most = 256 * 1024 * 1024) => this.call("readFile", [path, most]);
    return /** @type {never} */ ({
      ...calls,
      write: (/** @type {number} */ fd, /** @type {Uint8Array} */ bytes, /** @type {number | undefined} */ position) =>
        this.call("write", [fd, bytes.length, position], bytes),
      read: (/** @type {number} */ fd, /** @type {Uint8Array} */ into, /** @type {number} */ position) => {
        /** @type {Buffer} */
        const bytes = this.call("read", [fd, into.length, position]);
        into.set(bytes);
        return bytes.length;
      },
      fdatasync: (/** @type {number} */ fd) => this.later("fdatasync", [fd]),
      readFile,
      readlink: (/** @type {string} */ path) => {
        throw errno("EINVAL", `readlink ${path}`);
      },
      watch: () => () => undefined,
      outside: {
        stat: ask("stat"),
        readFile,
        head: (/** @type {string} */ path, /** @type {number} */ bytes) => readFile(path).subarray(0, bytes),
        realpath: (/** @type {string} */ path) => path,
        namesIn: (/** @type {string} */ path) =>
          this.call("readdir", [path]).map((/** @type {string} */ name) => Buffer.from(name)),
        isExecutable: (/** @type {string} */ path) => path.startsWith("/bin/"),
      },
    });
  }

  /** @param {{ id: number, tool: string, input: object, by?: string }} job */
  async work({ id, tool, input, by }) {
    try {
      this.told.push({ id, reply: await this.#called(tool, input, by) });
    } catch (e) {
      if (!this.dead) this.told.push({ id, thrown: shown(e) });
    }
  }

  /** @param {string} tool @param {any} input @param {string | undefined} by */
  #called(tool, input, by) {
    switch (tool) {
      case "close":
        return this.workspace.close();
      case "rebuild":
        return this.workspace.repair.rebuild();
      case "resolve":
        return this.workspace.repair.resolve();
      case "verify":
        return this.workspace.verify();
      case "git":
        return this.#git(input);
      case "packet_run":
        return this.#packetRun(input);
      case "shared_init":
        return this.workspace.shared.init(input.workspace);
      case "exchange":
        return this.#exchange(input.workspace);
      case "shared_sync":
        return this.workspace.shared.sync(input.workspace);
      case "shared_verify":
        return this.workspace.shared.verify(input.workspace);
      default:
        return this.workspace.callTool(tool, input, by === undefined ? undefined : { by });
    }
  }

  /** An exchange, while servers may not answer. @param {string} workspace */
  async #exchange(workspace) {
    try {
      return { success: true, result: await this.workspace.shared.sync(workspace), warnings: [], error: null };
    } catch (e) {
      return this.#refused(e);
    }
  }

  /** @param {{ task: string }} input */
  async #packetRun({ task }) {
    try {
      const result = await build.runPacket(/** @type {never} */ (this.workspace), {
        task,
        allowCommands: true,
        environment: { PATH: "/bin" },
      });
      return { success: true, result, warnings: result.warnings, error: null };
    } catch (e) {
      return this.#refused(e);
    }
  }

  /** @param {unknown} e */
  #refused(e) {
    if (!(e instanceof build.TaskfoldError)) throw e;
    return { success: false, result: {}, warnings: [], error: { code: e.code, message: e.message } };
  }

  /**
   * Commands of git one after the other, each while writers wait (`taskfold git run`), and `resolve`. @param {{ commands: string[], pace: number, isHeld?: boolean }} input
   */
  async #git({ commands, pace, isHeld = true }) {
    const said = [];
    try {
      for (const command of commands) {
        if (command === "resolve") await this.workspace.repair.resolve();
        else {
          const hold = isHeld ? await this.#holding(`git ${command}`) : undefined;
          try {
            said.push(await this.later("git", [command, pace]));
          } finally {
            hold?.release();
          }
        }
      }
      return { success: true, result: { said }, warnings: [], error: null };
    } catch (e) {
      return this.#refused(e);
    }
  }

  /** For `taskfold git run` alone: no declaration has it. @param {string} command @returns {Promise<{ release: () => void }>} */
  #holding(command) {
    return build.internalsOf(this.workspace).hold(command, this.uuid());
  }

  /** Of git, what the last merge joined, and what branches and stashes have. @returns {import("../../dist/engine/core/git_port.js").GitPort} */
  #gitPort() {
    return /** @type {never} */ ({
      unmerged: () => [],
      versions: (/** @type {string} */ path) =>
        this.call("versions", [path]).map((/** @type {{ bytes: string, isBase: boolean }} */ { bytes, isBase }) => ({
          bytes: Buffer.from(bytes, "base64"),
          isBase,
        })),
      everHeld: () => [],
      heldBy: (/** @type {readonly { paths: readonly string[], text: string }[]} */ texts) =>
        texts.map(({ paths, text }) => this.call("heldBy", [paths, text]) ?? undefined),
      refs: () => this.call("refs", []),
      takenAway: () => [],
      attributes: () => new Map(),
      attributeFilesOver: () => [],
    });
  }

  /** When it has something to do of its own: at once, at a time, or never. */
  get due() {
    if (this.immediates.length > 0) return 0;
    return this.timers.size === 0 ? null : Math.min(...[...this.timers.values()].map(({ due }) => due));
  }

  /** The next timer that is due, else the next of what comes after input and output. */
  turn() {
    const [next] = [...this.timers.values()].filter(({ due }) => due <= this.#steady).toSorted((a, b) => a.due - b.due);
    if (next) next.run();
    else this.immediates.shift()?.();
  }
}

/** Locks that exclude no process, as on a file system whose locks do not work. */
const noLocks = () => ({
  kind: /** @type {const} */ ("lockfile"),
  tryAcquire: () => ({ release: () => undefined }),
  holder: () => undefined,
  close: () => undefined,
});

/** @param {unknown} e */
function shown(e) {
  return e instanceof Error ? (e.stack ?? String(e)) : String(e);
}

/**
 * The process that the build asks. All that an order leads to has run when the next one comes: so nothing that a dead process left asks the one after it.
 * @type {Process | undefined}
 */
let current;

function asked() {
  if (!current) throw new Error("the build asks for something before a process begins");
  return current;
}

const given = {
  process: Object.create(process, {
    pid: { get: () => current?.self.pid ?? process.pid },
    kill: { value: (/** @type {number} */ pid) => void asked().call("kill", [pid]) },
  }),
  performance: { now: () => asked().uptime() },
  Date: class extends Date {
    /** @param {any[]} args */
    constructor(...args) {
      if (args.length === 0) super(asked().now());
      else super(.../** @type {[any]} */ (args));
    }
    /** @override */
    static now = () => asked().now();
  },
  Math: Object.create(Math, { random: { value: () => asked().random.below(2 ** 30) / 2 ** 30 } }),
  Atomics: Object.create(Atomics, {
    wait: {
      value: (
        /** @type {unknown} */ _array,
        /** @type {number} */ _at,
        /** @type {number} */ _value,
        /** @type {number} */ ms,
      ) => void asked().call("sleep", [ms]),
    },
  }),
  setTimeout: (/** @type {(...args: unknown[]) => void} */ run, ms = 1, /** @type {unknown[]} */ ...args) =>
    asked().timer(() => run(...args), ms),
  clearTimeout: (/** @type {{ id: number } | undefined} */ timer) => void asked().timers.delete(timer?.id ?? -1),
  setInterval: (/** @type {() => void} */ run, /** @type {number} */ ms) => asked().every(run, ms),
  clearInterval: (/** @type {{ id: number } | undefined} */ timer) => void asked().timers.delete(timer?.id ?? -1),
  setImmediate: (/** @type {() => void} */ run) => void asked().immediates.push(run),
  clearImmediate: () => undefined,
};

const build = load(text, given, {
  "node:crypto": {
    ...crypto,
    randomBytes: (/** @type {number} */ size) => asked().randomBytes(size),
    randomUUID: () => asked().uuid(),
  },
  "node:os": { ...os, hostname: () => asked().self.host },
  "node:timers": given,
  // Nothing is left to do at the end of the thread.
  "signal-exit": () => undefined,
  "fs-native-extensions": {
    tryLock: (/** @type {number} */ fd, /** @type {number} */ from, /** @type {number} */ length) =>
      asked().call("tryLock", [fd, from, length]),
    unlock: (/** @type {number} */ fd, /** @type {number} */ from, /** @type {number} */ length) =>
      void asked().call("unlock", [fd, from, length]),
    swapSync: (/** @type {string} */ one, /** @type {string} */ other) => void asked().call("exchange", [one, other]),
  },
});

/** @type {Process | undefined} */
let one;
/** @type {string[]} */
const faults = [];
process.on("unhandledRejection", (e) => {
  if (!one?.dead && !(e instanceof Killed)) faults.push(shown(e));
});

/** Asks the scheduler, and tells it of the looks before. @param {object} question @param {Uint8Array} [bytes] */
function ask(question, bytes) {
  return wire.ask({ ...question, looks: current?.copy.looks() ?? [] }, bytes && [bytes]);
}

for (;;) {
  const told = one?.dead ? [] : (one?.told.splice(0) ?? []);
  const { text: order, bytes } = ask({
    name: "idle",
    due: one?.dead ? null : (one?.due ?? null),
    told,
    faults: faults.splice(0),
    dead: one?.dead ?? true,
  });
  try {
    if (order.do === "start") {
      if (one) one.dead = true;
      one = new Process(order.self, order.grant, bytes);
    } else {
      one?.goOn(order.grant, bytes.subarray(order.own));
      if (order.do === "work") void one?.work(order.job);
      else if (order.do === "turn") one?.turn();
      else if (order.do === "news") one?.logs.get(order.link)?.hear(order.news);
      else if (order.do === "printed") one?.printed(order.group, order.stream, bytes.subarray(0, order.own));
      else if (order.do === "answered") one?.answered(order, bytes.subarray(0, order.own));
    }
  } catch (e) {
    // A program whose workspace the system does not let open ends; that is no fault of its own.
    if (order.do === "start" && e instanceof Error && "code" in e) one = undefined;
    else if (!(e instanceof Killed)) faults.push(shown(e));
  }
  // All that follows from it runs to its end: there is no other input or output that it could wait for.
  await new Promise((done) => setImmediate(done));
}
