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
import type { Holder } from "./lock_range.ts";
import { ALL, HAS_RANGES, heldUpTo, holderOf, OWNER_BYTES, rangeFrom, signerOf } from "./lock_range.ts";

type Native = typeof import("fs-native-extensions").default;

/** How long an open file counts as the one that its name stands for. */
const CHECK_MS = 1000;
interface OpenLock {
  fd: number;
  ino: number;
  /** Length of the range that this process holds; 0 while it does not hold the lock. */
  range: number;
  /** When this process last saw that the name stands for this file. */
  checked: number;
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
    const end = lock.range > 0 ? lock.range : heldUpTo(this.#native, lock.fd);
    if (end === 0) return undefined;
    return end < ALL ? holderOf(end) : signerOf(this.#disk, lock.fd);
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
