/**
 * The folder that is a lock of kind `lockfile`, and the file of its owner inside. The holder of the lock has the only
 * `owner-<token>` in the folder, so every step is exact. Only its owner can remove a file of that name, or a process
 * that found the owner dead can move it away. A folder can only be removed while no owner's file is in it. A process
 * that wakes up late finds its file gone and has nothing left to free.
 */
import { dirname, join } from "node:path";
import type { Disk } from "../../disk.ts";
import { readRegular, removeQuietly, writeAll } from "../../files/atomic.ts";
import { ensureFolder, listFolder } from "../../files/folders.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { plainName } from "../core/quarantine.ts";
import type { LockOwner, Machine } from "./lock_owner.ts";
import { isGone, isOfThisHost, parseOwner } from "./lock_owner.ts";

/** A holder on another host that has not stirred for so long is dead (it stirs every 20 s). Clocks have to agree by half of it. */
const FOREIGN_MS = 60_000;
/** A folder without an owner, or a file of an owner on the way in, is a process that died there, after so long. */
const UNFINISHED_MS = 1000;

/** The names of owners' files, and of files that were made by hand for a test of this engine. */
const OWNER_FILE = /^(?:owner|idle|entering)-[A-Za-z0-9-]{1,64}$/;
/** No owner says more of itself. */
const OWNER_BYTES = 4096;

/**
 * An owner's file of this name is an offer: its owner renames it back, any other process removes it, and only one of
 * them can.
 */
const IDLE = "idle-";
/** An owner's file until it is whole. Its owner renames it, so that a file taken from a slow owner never counts. */
const ENTERING = "entering-";

export class LockFolder {
  readonly path: string;
  readonly #machine: Machine;
  readonly #disk: Disk;

  constructor(machine: Machine, path: string) {
    this.#machine = machine;
    this.#disk = machine.disk;
    this.path = path;
  }

  /**
   * Makes the folder and puts the owner's file in it; throws EEXIST when another owner is there, or came at the same
   * time.
   */
  enter(owner: LockOwner): void {
    this.#disk.mkdir(this.path);
    const entering = join(this.path, ENTERING + owner.token);
    const path = this.#file(owner.token);
    try {
      const fd = this.#disk.open(entering, "wx");
      try {
        writeAll(this.#disk, fd, Buffer.from(JSON.stringify(owner)));
      } finally {
        this.#disk.close(fd);
      }
      this.#disk.rename(entering, path);
      const names = listFolder(this.#disk, this.path);
      if (names.length !== 1 || join(this.path, names[0]!) !== path)
        throw Object.assign(new Error(`${this.path} has another owner`), { code: "EEXIST" });
    } catch (e) {
      removeQuietly(this.#disk, entering);
      removeQuietly(this.#disk, path);
      this.#removeEmpty();
      throw e;
    }
  }

  /** Takes the owner's file away, then the folder; ENOENT when the file is not there any more: then nothing is touched. */
  leave(token: string): void {
    this.#disk.unlink(this.#file(token));
    this.#removeEmpty();
  }

  /** Leaves the lock to the first taker, the owner included; false when it was not the owner's. */
  offer(token: string): boolean {
    return this.#tolerant(() => this.#disk.rename(this.#file(token), this.#idle(token)));
  }

  /** Takes it back if no other process came; false when it is another owner's now. */
  retake(token: string): boolean {
    this.#tolerant(() => this.#disk.rename(this.#idle(token), this.#file(token)));
    return this.has(token);
  }

  has(token: string): boolean {
    return this.#disk.lstat(this.#file(token)) !== undefined;
  }

  /** Tells other hosts that the owner is alive. */
  heartbeat(owner: LockOwner): void {
    const fd = this.#disk.open(this.#file(owner.token), "r+");
    try {
      this.#disk.write(fd, Buffer.from(JSON.stringify(owner)), 0);
    } finally {
      this.#disk.close(fd);
    }
  }

  /** The owner that lives; an offer has none. */
  owner(now: () => number): LockOwner | undefined {
    const files = listFolder(this.#disk, this.path).filter((name) => !name.startsWith(IDLE));
    const live = files.map((name) => join(this.path, name)).filter((path) => !this.#isDead(path, now));
    return live.map((path) => parseOwner(this.#textOf(path) ?? "")).find((owner) => owner !== undefined);
  }

  /**
   * Moves the file of a dead owner to `quarantine(token)` by a rename. So of several processes that judge the same only
   * one does it, and none can touch the file of the next owner. True when the folder is gone and may be made again. An
   * owner renames its file at any moment: a name that is not there any more is left alone, and the answer is no.
   */
  clear(now: () => number, quarantine: (token: string) => string): boolean {
    const names = listFolder(this.#disk, this.path);
    if (names.length === 0) return this.#isOlder(this.path, UNFINISHED_MS, now) && this.#removeEmpty();
    for (const name of names) {
      const path = join(this.path, name);
      const kind = this.#disk.lstat(path)?.kind;
      if (OWNER_FILE.test(name) && kind === undefined) return false;
      if (!OWNER_FILE.test(name) || kind !== "file") {
        this.#moveAside(path, quarantine(plainName(name)));
        continue;
      }
      if (name.startsWith(IDLE)) {
        this.#tolerant(() => this.#disk.unlink(path));
        continue;
      }
      if (!this.#isDead(path, now)) return false;
      this.#moveAside(path, quarantine(name.replace(/^owner-/, "")));
    }
    if (this.#removeEmpty()) return true;
    // Names that the system does not give back as it takes them: then the folder goes as it is, once it is no new one.
    const left = listFolder(this.#disk, this.path);
    const isStuck = left.every((name) => !OWNER_FILE.test(name) && !this.#disk.lstat(join(this.path, name)));
    if (isStuck && this.#isOlder(this.path, UNFINISHED_MS, now)) this.#moveAside(this.path, quarantine("folder"));
    return this.#disk.lstat(this.path) === undefined;
  }

  #moveAside(path: string, aside: string): void {
    ensureFolder(this.#disk, dirname(aside));
    this.#tolerant(() => this.#disk.rename(path, aside));
  }

  /** In doubt it lives: a file that is gone by now, or that the system does not let us read, says nothing. */
  #isDead(path: string, now: () => number): boolean {
    const text = this.#textOf(path);
    if (text === undefined) return false;
    const owner = parseOwner(text);
    if (!owner) return this.#isOlder(path, UNFINISHED_MS, now);
    return isOfThisHost(this.#machine, owner) ? isGone(this.#machine, owner) : this.#isOlder(path, FOREIGN_MS, now);
  }

  #isOlder(path: string, ms: number, now: () => number): boolean {
    const stat = this.#disk.lstat(path);
    // A time that lies further ahead than clocks may disagree says nothing of a holder that lives.
    if (!stat) return false;
    const age = now() - stat.mtimeMs;
    return age > ms || age < -FOREIGN_MS;
  }

  /** Empty for a file that is no owner's; undefined where it is gone by now, or the system refuses. */
  #textOf(path: string): string | undefined {
    return unlessRefused(() => {
      if ((this.#disk.lstat(path)?.size ?? 0) > OWNER_BYTES) return "";
      return readRegular(this.#disk, path, OWNER_BYTES)?.toString("utf8");
    });
  }

  #removeEmpty(): boolean {
    return this.#tolerant(() => this.#disk.rmdir(this.path));
  }

  /** Others do the same at the same time: who comes second finds the name gone, or the folder taken. */
  #tolerant(run: () => void): boolean {
    try {
      run();
      return true;
    } catch (e) {
      const errno = errnoOf(e);
      if (errno === "ENOENT" || errno === "ENOTEMPTY" || errno === "EEXIST") return false;
      throw e;
    }
  }

  #file(token: string): string {
    return join(this.path, `owner-${token}`);
  }

  #idle(token: string): string {
    return join(this.path, IDLE + token);
  }
}
