// @ts-check
/**
 * One process on a disk in memory, in this thread: the build as it is, with nothing between it and the disk. Time passes only where it waits.
 * Several of them may follow each other on copies of a disk, much faster than processes of their own.
 */
import * as crypto from "node:crypto";
import { load } from "./build.mjs";
import { positionOf } from "./disk.mjs";
import { errno } from "./visible.mjs";
import { Place } from "./stream.mjs";
import { connect } from "./stream_log.mjs";
import { randomFrom } from "../support/random_calls.mjs";

/** @typedef {import("./disk.mjs").Disk} Disk */
/** @typedef {import("./stream.mjs").Stream} Stream */
/** @typedef {ReturnType<typeof load>} Build */
/** A call to the disk. @typedef {{ name: string, args: unknown[], bytes: Uint8Array | undefined, ino: number }} DiskCall */
/** @typedef {{ success: boolean, result: unknown, warnings: { code: string, message: string }[], error: { code: string, message: string } | null }} Reply */
/**
 * `at`: called before each call that changes the disk. It may throw, and the call then fails. Of a sync, `seen` of the error says whether the lost bytes are gone at once.
 * `ignores`: calls that do nothing. `stream`: of the shared log, as its servers have it when the process begins; `mode`: of that.
 * @typedef {{ pid: number, durability?: "fsync" | "group" | "os", at?: (call: DiskCall) => void, ignores?: readonly string[] | undefined, stream?: Stream | undefined, mode?: "strict" | "merge" }} Options
 */

const START = Date.UTC(2026, 0, 5, 9);

/** A process of that number begins then, and so does the clock of its disk: a later one never sees an earlier time. @param {number} pid */
function beginning(pid) {
  return START + pid * 1000;
}

/** The clock of a disk that a process of that number uses. @param {number} pid */
export function diskClock(pid) {
  let time = beginning(pid);
  return () => time++;
}

/** A copy of the build. Its variables outlive a process, so a process and those that come after its death have one each. @param {string} text @returns {Build} */
export function copyOf(text) {
  const given = { process, performance, Date, Math, Atomics, setTimeout, clearTimeout, setInterval, clearInterval };
  const rest = { setImmediate, clearImmediate };
  return load(text, { ...given, ...rest }, { "node:crypto": crypto, "signal-exit": () => undefined });
}

export class Alone {
  /** @type {Set<{ due: number, run: () => void }>} */
  #timers = new Set();
  /** Syncs under way. @type {(() => void)[]} */
  #syncs = [];
  #time = 0;
  #lastFd = 10;
  /** @type {Map<number, { ino: number, flags: string }>} */
  #files = new Map();
  #disk;
  #at;

  /** @param {Build} build @param {Disk} disk @param {Options} options */
  constructor(build, disk, options) {
    const { pid, durability = "fsync", at = () => undefined, ignores = [], stream, mode = "strict" } = options;
    this.#disk = disk;
    this.#at = at;
    /** The shared log, by the clock of this process. */
    this.stream = stream?.copy({ now: () => this.#time, after: (ms, run) => void this.#after(ms, run) });
    this.refusal = build.TaskfoldError;
    this.tooLarge = build.FileTooLargeError;
    const random = randomFrom(pid);
    const randomHex = (/** @type {number} */ digits) => {
      let text = "";
      for (let i = 0; i < digits; i++) text += random.below(16).toString(16);
      return text;
    };
    this.workspace = build.openWorkspace({
      root: "/w",
      by: "agent:ada",
      durability,
      runtime: /** @type {import("../../dist/runtime.js").Runtime} */ (
        /** @type {unknown} */ ({
          now: () => Math.floor(beginning(pid) + this.#passed()),
          uptime: () => 1000 + this.#passed(),
          after: (/** @type {number} */ ms, /** @type {() => void} */ run) => this.#after(ms, run),
          nextTurn: (/** @type {() => void} */ run) => void this.#after(0, run),
          nap: (/** @type {number} */ ms) => void (this.#time += ms),
          randomHex,
          pid,
          isRunning: (/** @type {number} */ one) => one === pid,
          host: "machine",
          threadsBeside: 0,
        })
      ),
      disk: this.#calls(() => randomHex(32), ignores),
      lockProvider: () => ({
        kind: "os",
        tryAcquire: () => ({ release: () => undefined }),
        holder: () => undefined,
        close: () => undefined,
      }),
      ...(this.stream ? { shared: this.#shared(this.stream, mode) } : {}),
    });
  }

  /** @param {Stream} stream @param {"strict" | "merge"} mode @returns {import("../../dist/engine/core/shared_log.js").SharedLogPort} */
  #shared(stream, mode) {
    const connectIt = () => Promise.resolve(connect(stream, new Place(), this.refusal));
    return { mode, blobs: "all", address: "nats://simulated", connect: connectIt };
  }

  /** A loop that waits for a clock sees it move. */
  #passed() {
    return (this.#time += 0.001);
  }

  /** @param {number} ms @param {() => void} run */
  #after(ms, run) {
    const timer = { due: this.#time + ms, run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** @param {string} tool @param {object} [input] @returns {Promise<Reply>} */
  call(tool, input = {}) {
    return this.wait(this.workspace.callTool(tool, { workspace: "acme/sim", ...input }));
  }

  close() {
    return this.wait(this.workspace.close());
  }

  /** Lets everything go on until that has an answer. @template T @param {Promise<T>} wanted @returns {Promise<T>} */
  async wait(wanted) {
    let isOver = false;
    const over = () => void (isOver = true);
    wanted.then(over, over);
    for (let turns = 0; ; turns++) {
      // All that is ready goes on before time does.
      for (let i = 0; i < 20 && !isOver; i++) await Promise.resolve();
      if (isOver) return wanted;
      await new Promise((done) => setImmediate(done));
      if (isOver) return wanted;
      const sync = this.#syncs.shift();
      if (sync) sync();
      else {
        const [first] = [...this.#timers].toSorted((a, b) => a.due - b.due);
        if (!first || turns > 10_000) throw new Error("nothing goes on any more");
        this.#timers.delete(first);
        this.#time = Math.max(this.#time, first.due);
        first.run();
      }
    }
  }

  /** @param {number} fd */
  #file(fd) {
    const found = this.#files.get(fd);
    if (!found) throw errno("EBADF", String(fd));
    return found;
  }

  /** @param {() => string} newName @param {readonly string[]} ignores @returns {import("../../dist/disk.js").Disk} */
  #calls(newName, ignores) {
    const disk = this.#disk;
    /** @param {string} name @param {unknown[]} args @param {number} [ino] @param {Uint8Array} [bytes] */
    const at = (name, args, ino = 0, bytes) => this.#at({ name, args, bytes, ino });
    /** @param {number} fd @param {string} name */
    const syncing = (fd, name) => {
      if (ignores.includes(name)) return () => undefined;
      const { ino } = this.#file(fd);
      const sync = disk.syncing(ino);
      try {
        at(name, [fd], ino);
        return sync.done;
      } catch (e) {
        sync.failed(/** @type {{ seen?: boolean }} */ (e).seen ?? false);
        throw e;
      }
    };
    const stat = (/** @type {string} */ path) => {
      if (path === "/proc/self/ns/pid")
        return { dev: 4, ino: 1, size: 0, links: 1, mtimeMs: 0, ctimeMs: 0, kind: "special file" };
      const inode = disk.find(path);
      return inode && disk.stat(inode);
    };
    const readFile = (/** @type {string} */ path, most = Infinity) => {
      if (path === "/etc/machine-id") return Buffer.from("a".repeat(32));
      if (path.endsWith("/boot_id")) return Buffer.from("boot\n");
      const bytes = disk.readFile(path);
      if (bytes.length > most) throw new this.tooLarge(path, most);
      return Buffer.from(bytes);
    };
    return /** @type {never} */ ({
      open: (/** @type {string} */ path, /** @type {string} */ flags) => {
        if (!disk.find(path) && (flags === "a+" || flags === "wx")) at("open", [path, flags]);
        this.#files.set(++this.#lastFd, { ino: disk.open(path, flags).ino, flags });
        return this.#lastFd;
      },
      close: (/** @type {number} */ fd) => void this.#files.delete(fd),
      write: (
        /** @type {number} */ fd,
        /** @type {Uint8Array} */ bytes,
        /** @type {number | undefined} */ position,
      ) => {
        const file = this.#file(fd);
        const where = positionOf(file, position);
        at("write", [fd, where], file.ino, bytes);
        return disk.write(file.ino, Buffer.from(bytes), where);
      },
      read: (/** @type {number} */ fd, /** @type {Uint8Array} */ into, /** @type {number} */ position) => {
        const bytes = disk.read(this.#file(fd).ino, into.length, position);
        into.set(bytes);
        return bytes.length;
      },
      truncate: (/** @type {number} */ fd, /** @type {number} */ size) => {
        at("truncate", [fd, size], this.#file(fd).ino);
        disk.truncate(this.#file(fd).ino, size);
      },
      fstat: (/** @type {number} */ fd) => disk.stat(/** @type {never} */ (disk.inodes.get(this.#file(fd).ino))),
      stat,
      lstat: stat,
      fdatasyncSync: (/** @type {number} */ fd) => syncing(fd, "fdatasyncSync")(),
      fsync: (/** @type {number} */ fd) => syncing(fd, "fsync")(),
      fdatasync: async (/** @type {number} */ fd) => {
        const done = syncing(fd, "fdatasync");
        await new Promise((ended) => this.#syncs.push(() => ended(undefined)));
        done();
      },
      copyMode: () => undefined,
      syncFolder: (/** @type {string} */ path) => {
        if (ignores.includes("syncFolder")) return;
        at("syncFolder", [path]);
        disk.syncFolder(path);
      },
      readFile,
      // In the order of the alphabet: that in which names were made is known to no process.
      readdir: (/** @type {string} */ path) => disk.readdir(path).toSorted(),
      readFolders: (/** @type {string} */ path) => disk.readdir(path, true).toSorted(),
      entries: (/** @type {string} */ path) => disk.entries(path).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      readlink: (/** @type {string} */ path) => {
        throw errno("EINVAL", path);
      },
      mkdir: (/** @type {string} */ path) => {
        at("mkdir", [path]);
        disk.mkdir(path);
      },
      rename: (/** @type {string} */ from, /** @type {string} */ to) => {
        at("rename", [from, to]);
        disk.rename(from, to);
      },
      exchange: (/** @type {string} */ one, /** @type {string} */ other) => {
        at("exchange", [one, other]);
        disk.exchange(one, other);
      },
      unlink: (/** @type {string} */ path) => {
        at("unlink", [path]);
        disk.unlink(path);
      },
      rmdir: (/** @type {string} */ path) => {
        at("rmdir", [path]);
        disk.rmdir(path);
      },
      identity: (/** @type {string} */ path) => disk.identity(path),
      watch: () => () => undefined,
      newName,
      outside: {
        stat,
        readFile,
        realpath: (/** @type {string} */ path) => path,
        namesIn: (/** @type {string} */ path) =>
          disk
            .readdir(path)
            .toSorted()
            .map((name) => Buffer.from(name)),
        isExecutable: () => false,
      },
    });
  }
}
