/**
 * Locks of the operating system: 2 microseconds a pair, gone with their process. The lock belongs to the inode, so the
 * files in `.coco/locks` are never renamed or deleted. The descriptor of a held lock stays open: closing one would drop
 * a lock held through it. If that folder is cleared under open workspaces, they do not exclude each other for a second
 * at the most.
 *
 * A holder locks the first `pid + 1` bytes (there need be none). All such ranges overlap, so it is one lock. A process
 * that waited in vain reads the holder's number off the length. A name written into the file at each turn would cost
 * more than the lock itself. Only the time is written, once a second at the most. Where the system locks whole files
 * only (macOS), the holder writes its number each time.
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
/** How old what the file says of its owner may get. */
const SIGN_MS = 1000;
/** Above any process number: on Linux they end at 2^22, elsewhere they have 32 bits. */
const PID_LIMIT = 2 ** 32;
const RANGE = process.pid + 1;
const HAS_RANGES = process.platform !== "darwin";

interface OpenLock {
  fd: number;
  ino: number;
  held: boolean;
  /** When this process last wrote down that it holds the lock. */
  signed: number;
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
    // A second tryLock on one descriptor is granted too: within the process it excludes no caller.
    if (lock.held || !this.#isGranted(lock.fd)) return null;
    lock.held = true;
    try {
      if (!this.#sign(name, lock)) {
        // The next try opens what stands there now.
        this.#close(name, lock);
        return null;
      }
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

  holder(name: string): { pid: number; since?: number } | undefined {
    const lock = this.#opened(name);
    const end = lock.held ? RANGE : this.#heldUpTo(lock.fd);
    if (end === 0) return undefined;
    const owner = Buffer.alloc(OWNER_BYTES);
    const n = this.#disk.read(lock.fd, owner, 0);
    const match = /^(\d+) (\d+) /.exec(owner.subarray(0, n).toString("latin1"));
    const signed = match ? { pid: Number(match[1]), since: Number(match[2]) } : undefined;
    if (end >= PID_LIMIT) return signed;
    // Within a second another process may have signed after the holder did: then only the number is known.
    const pid = end - 1;
    return signed?.pid === pid ? signed : { pid };
  }

  close(): void {
    for (const lock of this.#open.values()) {
      lock.held = false;
      this.#disk.close(lock.fd);
    }
    this.#open.clear();
  }

  /**
   * The package learns by an error that another process has it, and to note down the stack of that costs more than all
   * else. With a limit of 0 the first frame would still be looked at; without any, none is.
   */
  #isGranted(fd: number): boolean {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = undefined as never;
    try {
      return this.#native.tryLock(fd, 0, RANGE);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  #release(lock: OpenLock): void {
    // Closed meanwhile: the lock went with the descriptor, whose number may belong to another file by now.
    if (!lock.held) return;
    lock.held = false;
    this.#native.unlock(lock.fd, 0, RANGE);
  }

  /**
   * Returns where the holder's range ends, 0 when the lock is free. It halves the range, in 32 tries of a microsecond,
   * only where a caller is about to give up. `PID_LIMIT` when all of it is held: such a lock tells no number.
   */
  #heldUpTo(fd: number): number {
    const isFree = (from: number): boolean => {
      if (!this.#native.tryLock(fd, from, 1)) return false;
      this.#native.unlock(fd, from, 1);
      return true;
    };
    let held = -1;
    let free = PID_LIMIT;
    if (isFree(0)) return 0;
    while (free - held > 1) {
      const middle = Math.floor((held + free) / 2);
      if (isFree(middle)) free = middle;
      else held = middle;
    }
    return free;
  }

  /**
   * Since when, for others to read in LOCK_TIMEOUT: `pid since`. False, once a second at the most, when the name stands
   * for another file by now. The folder was cleared (`git clean -X` does it), and a lock on a file that is gone
   * excludes no newcomer.
   */
  #sign(name: string, lock: OpenLock): boolean {
    const now = this.#now();
    // A clock that was set back makes it older, too.
    const isDue = Math.abs(now - lock.signed) >= SIGN_MS;
    if (isDue && this.#disk.lstat(this.#layout.lock(name))?.ino !== lock.ino) return false;
    if (HAS_RANGES && !isDue) return true;
    const owner = `${process.pid} ${now} `.padEnd(OWNER_BYTES - 1) + "\n";
    this.#disk.write(lock.fd, Buffer.from(owner, "latin1"), 0);
    lock.signed = now;
    return true;
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
      const lock = { fd, ino, held: false, signed: Number.NEGATIVE_INFINITY };
      this.#open.set(name, lock);
      return lock;
    } catch (e) {
      throw storageError(e, `open the lock of ${name}`);
    }
  }

  #closeIdle(): void {
    for (const [name, lock] of this.#open) if (!lock.held) this.#close(name, lock);
  }

  #close(name: string, lock: OpenLock): void {
    this.#disk.close(lock.fd);
    lock.held = false;
    this.#open.delete(name);
  }
}
