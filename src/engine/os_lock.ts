/**
 * Locks of the operating system: 2 microseconds a pair, gone with their process. The lock belongs to the inode, so the
 * files in `.coco/locks` are never renamed or deleted, and descriptors stay open for the life of the workspace:
 * closing one would drop a lock held through it.
 */
import { createRequire } from "node:module";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import type { Layout } from "../files/layout.ts";
import { ensureDurableFolder } from "../files/folders.ts";
import { storageError } from "../files/storage_error.ts";
import type { Lock, LockProvider } from "./lock.ts";

type Native = typeof import("fs-native-extensions").default;

const OWNER_BYTES = 64;

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

export class OsLocks implements LockProvider {
  readonly kind = "os";
  readonly #native: Native;
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #now: () => number;
  readonly #fds = new Map<string, number>();
  readonly #held = new Set<string>();

  constructor(disk: Disk, layout: Layout, now: () => number) {
    this.#native = load();
    this.#disk = disk;
    this.#layout = layout;
    this.#now = now;
  }

  tryAcquire(name: string): Lock | null {
    // A second tryLock on one descriptor is granted too: within the process it excludes nobody.
    if (this.#held.has(name)) return null;
    const fd = this.#fd(name);
    if (!this.#native.tryLock(fd)) return null;
    this.#held.add(name);
    try {
      this.#sign(fd);
    } catch (e) {
      // A lock that nobody was given is a lock that nobody gives back.
      this.#release(name, fd);
      throw storageError(e, `sign the lock of ${name}`);
    }
    let released = false;
    return {
      release: () => {
        // The second time it may be the next holder's in this process.
        if (!released) this.#release(name, fd);
        released = true;
      },
    };
  }

  holder(name: string): { pid: number; since: number } | undefined {
    const owner = Buffer.alloc(OWNER_BYTES);
    const n = this.#disk.read(this.#fd(name), owner, 0);
    const match = /^(\d+) (\d+) /.exec(owner.subarray(0, n).toString("latin1"));
    return match ? { pid: Number(match[1]), since: Number(match[2]) } : undefined;
  }

  close(): void {
    for (const fd of this.#fds.values()) this.#disk.close(fd);
    this.#fds.clear();
    this.#held.clear();
  }

  #release(name: string, fd: number): void {
    if (!this.#held.delete(name)) return;
    this.#native.unlock(fd);
  }

  /** Who holds it, for others to read in LOCK_TIMEOUT: `pid since token`. */
  #sign(fd: number): void {
    const owner = `${process.pid} ${this.#now()} `.padEnd(OWNER_BYTES - 1) + "\n";
    this.#disk.write(fd, Buffer.from(owner, "latin1"), 0);
  }

  #fd(name: string): number {
    const known = this.#fds.get(name);
    if (known !== undefined) return known;
    if (this.#fds.size >= 512) this.#closeIdle();
    try {
      ensureDurableFolder(this.#disk, this.#layout.locks);
      const path = this.#layout.lock(name);
      if (!this.#disk.lstat(path)) this.#disk.close(this.#disk.open(path, "a+"));
      // Not kept from "a+": on Linux a positioned write to an appending descriptor goes to the end all the same.
      const fd = this.#disk.open(path, "r+");
      this.#fds.set(name, fd);
      return fd;
    } catch (e) {
      throw storageError(e, `open the lock of ${name}`);
    }
  }

  #closeIdle(): void {
    for (const [name, fd] of this.#fds) {
      if (this.#held.has(name)) continue;
      this.#disk.close(fd);
      this.#fds.delete(name);
    }
  }
}
