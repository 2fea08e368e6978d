// @ts-check
/**
 * A thread's copy of what is visible on the disk of its machine. Nine of ten calls of a process only look there, and to ask for each costs more than all else. So a
 * process is told what changed since it went on last, and how long nothing else can happen. Until then it answers its own looks, and tells of them with its next question.
 */
import { errno, Visible } from "./visible.mjs";

/** @typedef {import("./visible.mjs").Seen} Seen */
/** A look, and the error that it got. @typedef {[name: string, args: unknown[], code?: string]} Look */
/** An inode: its names if it is a folder, else the length of its bytes. `null`: they are what they were. @typedef {[ino: number, birth: number, links: number, mtimeMs: number, ctimeMs: number, has: [string, number][] | number | null]} Told */
/**
 * How a process goes on: the world's `time`, and the clock of its machine. It answers its own looks before so many `calls`, and before the time `until` if there is one.
 * @typedef {{ time: number, drift: number, offset: number, calls: number, until: number | null, changes: Told[] }} Grant
 */

export const CALL_MS = 0.02;
export const START = Date.UTC(2026, 0, 5, 9);
/** Calls that change nothing for any other process. Closing a file frees its locks: the scheduler hears of it before anyone else goes on. */
export const LOOKS = new Set(
  "open close read fstat stat lstat readFile readdir readFolders entries identity".split(" "),
);
/** Files of the system itself. */
const SYSTEM = /^\/(?:proc|etc)\//;

/** Milliseconds since the machine began, and since 1970. @param {Pick<Grant, "time" | "drift" | "offset">} machine */
export function clocksAt({ time, drift, offset }) {
  return { steady: 1000 + time * drift, wall: START + 1000 + time * drift + offset };
}

/** The changes that one copy was not told of. */
export class Untold {
  #changed;
  /** Bytes that it has. @type {Map<number, Buffer>} */
  #has = new Map();

  /** @param {import("./disk.mjs").Disk} disk */
  constructor(disk) {
    const { changed, end } = disk.copying();
    this.#changed = changed;
    /** The copy is gone. */
    this.end = end;
  }

  /** Tells them. Gives the bytes apart. */
  told() {
    /** @type {Told[]} */
    const changes = [];
    /** @type {Buffer[]} */
    const bytes = [];
    for (const { ino, kind, birth, links, mtimeMs, ctimeMs, names, data } of this.#changed) {
      const isNew = kind === "file" && this.#has.get(ino) !== data;
      changes.push([ino, birth, links, mtimeMs, ctimeMs, kind === "folder" ? [...names] : isNew ? data.length : null]);
      if (!isNew) continue;
      bytes.push(data);
      this.#has.set(ino, data);
    }
    this.#changed.clear();
    return { changes, bytes };
  }
}

/** @extends {Visible<Seen>} */
export class Copy extends Visible {
  /** @type {Map<number, number>} */
  #files = new Map();
  #lastFd;
  /** @type {Look[]} */
  #looks = [];
  /** @type {Grant} */
  #grant;

  /** @param {number} lastFd @param {Grant} grant @param {Buffer} bytes */
  constructor(lastFd, grant, bytes) {
    super();
    this.#lastFd = lastFd;
    this.#grant = grant;
    this.goOn(grant, bytes);
  }

  /** @param {Grant} grant @param {Buffer} bytes of all files that changed */
  goOn(grant, bytes) {
    this.#grant = grant;
    let at = 0;
    for (const [ino, birth, links, mtimeMs, ctimeMs, has] of grant.changes) {
      const isFolder = Array.isArray(has);
      const names = new Map(isFolder ? has : []);
      let data = this.inodes.get(ino)?.data ?? Buffer.alloc(0);
      if (typeof has === "number") data = bytes.subarray(at, (at += has));
      this.inodes.set(ino, { ino, kind: isFolder ? "folder" : "file", birth, data, names, links, mtimeMs, ctimeMs });
      if (isFolder) this.forgetFolders();
    }
  }

  get clocks() {
    return clocksAt(this.#grant);
  }

  /** The looks since the last question. */
  looks() {
    return this.#looks.splice(0);
  }

  /** The scheduler answered that call. @param {string} name @param {any[]} args @param {any} value */
  answered(name, [what], value) {
    if (name === "close") this.#files.delete(what);
    if (name !== "open") return;
    this.#lastFd = value;
    this.#files.set(value, this.there(what).ino);
  }

  /** Whether it answers that call itself. @param {string} name @param {any[]} args */
  answers(name, [what, how]) {
    const { calls, time, until } = this.#grant;
    if (calls === 0 || (until !== null && time >= until) || !LOOKS.has(name)) return false;
    if (typeof what === "number") return this.#files.has(what);
    if (SYSTEM.test(what)) return false;
    return name !== "open" || how === "r" || how === "ra";
  }

  /** @param {string} name @param {any[]} args @returns {unknown} */
  answer(name, args) {
    this.#grant.calls--;
    this.#grant.time += CALL_MS;
    try {
      const value = this.#look(name, args);
      this.#looks.push([name, args]);
      return value;
    } catch (e) {
      const { code } = /** @type {{ code?: string }} */ (e);
      if (code === undefined) throw e;
      this.#looks.push([name, args, code]);
      throw e;
    }
  }

  /** @param {string} name @param {any[]} args */
  #look(name, [what, more, from]) {
    switch (name) {
      case "open": {
        const found = this.there(what);
        if (found.kind === "folder") throw errno("EISDIR", what);
        this.#files.set(++this.#lastFd, found.ino);
        return this.#lastFd;
      }
      case "close":
        this.#files.delete(what);
        return null;
      case "read":
        return this.read(this.#inoOf(what), more, from);
      case "fstat":
        return this.stat(this.inode(this.#inoOf(what)));
      case "stat":
      case "lstat": {
        const found = this.find(what);
        return found && this.stat(found);
      }
      case "readFile": {
        const found = this.readFile(what);
        if (found.length > more) throw errno("TOO_LARGE", what);
        return Buffer.from(found);
      }
      case "readdir":
        return this.readdir(what);
      case "readFolders":
        return this.readdir(what, true);
      case "entries":
        return this.entries(what);
      case "identity":
        return this.identity(what);
      default:
        throw new Error(`${name} is no look`);
    }
  }

  /** @param {number} fd */
  #inoOf(fd) {
    const ino = this.#files.get(fd);
    if (ino === undefined) throw errno("EBADF", String(fd));
    return ino;
  }
}
