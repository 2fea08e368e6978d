/**
 * Locks of the operating system: 2 microseconds a pair, gone with their process. The lock belongs to the inode, so the
 * files in `.coco/locks` are never renamed or deleted. The descriptor of a held lock stays open: closing one would drop
 * a lock held through it. If that folder is cleared under open workspaces, they do not exclude each other for a second
 * at the most.
 *
 * A holder locks a range from the first byte on (there need be no bytes). Its length says the process and the second in
 * which it came. All such ranges overlap, so it is one lock. A process that waited in vain reads the length off the system.
 * So a call that is refused leaves the file as it was. Where the system locks whole files only (macOS), the holder writes
 * both into the file each time.
 */
import { createRequire } from "node:module";
import type { Disk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Layout } from "../../files/layout.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import { storageError } from "../../files/storage_error.ts";
import { keptDescriptors } from "../core/kept_descriptors.ts";
import type { Lock, LockProvider } from "../core/lock.ts";

type Native = typeof import("fs-native-extensions").default;

const OWNER_BYTES = 64;
/** How long an open file counts as the one that its name stands for. */
const CHECK_MS = 1000;
/** Process numbers of Linux are smaller. Elsewhere they may be larger, but rarely are. */
const PIDS = 2 ** 22;
/** Seconds count from 2020 on, so that they fit above a process number in a length of 53 bits. */
const EPOCH_S = Date.UTC(2020) / 1000;
const SECONDS = 2 ** 31;
/** A range of this length tells nothing of its holder. */
const ALL = Number.MAX_SAFE_INTEGER;
const HAS_RANGES = process.platform !== "darwin" && process.pid < PIDS;

interface OpenLock {
  fd: number;
  ino: number;
  /** Length of the range that this process holds; 0 while it does not hold the lock. */
  range: number;
  /** When this process last saw that the name stands for this file. */
  checked: number;
}

interface Holder {
  pid: number;
  /** Milliseconds since 1970. */
  since?: number;
}

/** Of this process from `now` on. The second 0 stands for a clock that is set to no such time. */
function rangeFrom(now: number): number {
  if (!HAS_RANGES) return ALL;
  const second = Math.floor(now / 1000) - EPOCH_S;
  return (second > 0 && second < SECONDS ? second : 0) * PIDS + process.pid + 1;
}

function holderOf(range: number): Holder {
  const pid = (range - 1) % PIDS;
  const second = (range - 1 - pid) / PIDS;
  return second === 0 ? { pid } : { pid, since: (second + EPOCH_S) * 1000 };
}

function load(): Native {
  try {
    return createRequire(import.meta.url)("fs-native-extensions") as Native;
  } catch (e) {
    throw new TaskfoldError(
      "LOCK_UNAVAILABLE",
      "Expected locks of the operating system, found none for this platform (the optional package fs-native-extensions did not load).",
      {
        cause: e,
        recovery:
          "Install with optional dependencies on Linux with glibc, macOS or Windows; where no such lock was used before, lock files serve.",
      },
    );
  }
}

function inTheWay(name: string, kind: string): TaskfoldError {
  return new TaskfoldError("PATH_UNSAFE", `Expected the lock of ${name} to be a regular file, found a ${kind}.`, {
    recovery: "Remove it from .coco/locks; nothing was written.",
  });
}

export class OsLocks implements LockProvider {
  readonly kind = "os";
  readonly #native: Native;
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #now: () => number;
  readonly #open = new Map<string, OpenLock>();

  constructor(disk: Disk, layout: Layout, now: () => number) {
    this.#native = load();
    this.#disk = disk;
    this.#layout = layout;
    this.#now = now;
  }

  tryAcquire(name: string): Lock | null {
    const lock = this.#opened(name);
    const now = this.#now();
    const range = rangeFrom(now);
    // A second tryLock on one descriptor is granted too: within the process it excludes no caller.
    if (lock.range > 0 || !this.#isGranted(lock.fd, range)) return null;
    lock.range = range;
    try {
      if (!this.#isInPlace(name, lock, now)) {
        // The next try opens the file that stands there now.
        this.#close(name, lock);
        return null;
      }
      if (!HAS_RANGES) this.#sign(lock, now);
    } catch (e) {
      // A granted lock without a holder would never be freed.
      this.#release(lock);
      throw storageError(e, `sign the lock of ${name}`);
    }
    let released = false;
    return {
      release: () => {
        // The second time it may be the next holder's in this process.
        if (!released) this.#release(lock);
        released = true;
      },
    };
  }

  holder(name: string): Holder | undefined {
    const lock = this.#opened(name);
    const end = lock.range > 0 ? lock.range : this.#heldUpTo(lock.fd);
    if (end === 0) return undefined;
    return end < ALL ? holderOf(end) : this.#signer(lock);
  }

  close(): void {
    for (const lock of this.#open.values()) {
      lock.range = 0;
      this.#disk.close(lock.fd);
    }
    this.#open.clear();
  }

  /**
   * The package learns by an error that another process has it, and to note down the stack of that costs more than all
   * else. With a limit of 0 the first frame would still be looked at; without any, none is.
   */
  #isGranted(fd: number, range: number): boolean {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = undefined as never;
    try {
      return this.#native.tryLock(fd, 0, range);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  #release(lock: OpenLock): void {
    // Closed meanwhile: the lock went with the descriptor, whose number may belong to another file by now.
    if (lock.range === 0) return;
    this.#native.unlock(lock.fd, 0, lock.range);
    lock.range = 0;
  }

  /**
   * Returns where the holder's range ends, 0 when the lock is free. It halves the range, in 53 tries of a microsecond,
   * only where a caller is about to give up. `ALL` when all of it is held, or if the holder changed meanwhile.
   */
  #heldUpTo(fd: number): number {
    const isFree = (from: number): boolean => {
      if (!this.#native.tryLock(fd, from, 1)) return false;
      this.#native.unlock(fd, from, 1);
      return true;
    };
    let held = -1;
    let free = ALL;
    if (isFree(0)) return 0;
    while (free - held > 1) {
      const middle = held + Math.floor((free - held) / 2);
      if (isFree(middle)) free = middle;
      else held = middle;
    }
    return free < ALL && (isFree(held) || !isFree(free)) ? ALL : free;
  }

  /**
   * False, once a second at the most, when the name stands for another file by now. The folder was cleared (`git clean
   * -X` does it), and a lock on a file that is gone excludes no newcomer.
   */
  #isInPlace(name: string, lock: OpenLock, now: number): boolean {
    // A clock that was set back makes it older, too.
    if (Math.abs(now - lock.checked) < CHECK_MS) return true;
    if (this.#disk.lstat(this.#layout.lock(name))?.ino !== lock.ino) return false;
    lock.checked = now;
    return true;
  }

  #sign(lock: OpenLock, now: number): void {
    const owner = `${process.pid} ${now} `.padEnd(OWNER_BYTES - 1) + "\n";
    this.#disk.write(lock.fd, Buffer.from(owner, "latin1"), 0);
  }

  #signer(lock: OpenLock): Holder | undefined {
    const owner = Buffer.alloc(OWNER_BYTES);
    const n = this.#disk.read(lock.fd, owner, 0);
    const match = /^(\d+) (\d+) /.exec(owner.subarray(0, n).toString("latin1"));
    return match ? { pid: Number(match[1]), since: Number(match[2]) } : undefined;
  }

  #opened(name: string): OpenLock {
    const known = this.#open.get(name);
    if (known) return known;
    if (this.#open.size >= keptDescriptors(this.#disk).locks) this.#closeIdle();
    try {
      ensureDurableFolder(this.#disk, this.#layout.locks);
      const path = this.#layout.lock(name);
      const kind = this.#disk.lstat(path)?.kind;
      if (kind === undefined) this.#disk.close(this.#disk.open(path, "a+"));
      else if (kind !== "file") throw inTheWay(name, kind);
      // Not kept from "a+": on Linux a positioned write to an appending descriptor goes to the end all the same.
      const fd = this.#disk.open(path, "r+");
      const { ino, links } = this.#disk.fstat(fd);
      if (links > 1) {
        this.#disk.close(fd);
        throw inTheWay(name, "file with a second name");
      }
      const lock = { fd, ino, range: 0, checked: Number.NEGATIVE_INFINITY };
      this.#open.set(name, lock);
      return lock;
    } catch (e) {
      throw storageError(e, `open the lock of ${name}`);
    }
  }

  #closeIdle(): void {
    for (const [name, lock] of this.#open) if (lock.range === 0) this.#close(name, lock);
  }

  #close(name: string, lock: OpenLock): void {
    this.#disk.close(lock.fd);
    lock.range = 0;
    this.#open.delete(name);
  }
}
