/**
 * Locks made of folders, where the system has none for us. proper-lockfile makes the folder, keeps it fresh and cleans
 * up when the process exits. By itself it is no safe mutex: it takes over by age alone, and frees a lock that may be
 * the next owner's. So it is given a file system in which a folder has one owner (lock_folder.ts) and never grows
 * stale.
 *
 * A pair of calls may cost more than a sync. So a freed lock stays for a few milliseconds, for the next change of this
 * process, and as an offer. Any other process takes it at once, also while this process blocks its event loop. After 50
 * ms in a row, when another process waits, this process stands back.
 */
import { createRequire } from "node:module";
import type { Disk } from "../../disk.ts";
import { ensureDurableFolder } from "../../files/folders.ts";
import type { Layout } from "../../files/layout.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type { Runtime } from "../../runtime.ts";
import type { EngineContext } from "../core/context.ts";
import type { Lock, LockProvider } from "../core/lock.ts";
import { LockFolder } from "./lock_folder.ts";
import { ownOwner } from "./lock_owner.ts";
import type { LockOwner } from "./lock_owner.ts";

type ProperLockfile = typeof import("proper-lockfile");

/** How long a released lock is offered and kept for the next caller of this process, and how long in a row. */
const IDLE_MS = 5;
const BURST_MS = 50;
/** How long this process then leaves the lock to others: more than the longest pause between their attempts. */
const STAND_BACK_MS = 25;
const STIR_MS = 20_000;
/** How long after the disk refused to free a lock this process tries again. */
const FREE_AGAIN_MS = 1000;
const TOKEN_DIGITS = 32;

interface Held {
  isOurs: () => boolean;
  /** Offers it to the first taker, and takes it back: both say whether that was so. */
  offer: () => boolean;
  retake: () => boolean;
  free: () => void;
  busy: boolean;
  /** Milliseconds of this process's own clock, which nothing sets back. */
  began: number;
  /** Takes back that it is freed after a while. */
  keep: (() => void) | null;
}

export class LockfileLocks implements LockProvider {
  readonly kind = "lockfile";
  readonly #lockfile: ProperLockfile;
  readonly #disk: Disk;
  readonly #layout: Layout;
  readonly #now: () => number;
  readonly #runtime: Runtime;
  readonly #held = new Map<string, Held>();
  readonly #standBackUntil = new Map<string, number>();
  /** Names that are refused once after a burst: who tries again lets timers and signals have their turn first. */
  readonly #pausing = new Set<string>();

  constructor({ disk, layout, now, runtime }: Pick<EngineContext, "disk" | "layout" | "now" | "runtime">) {
    // Only here: on import it hooks into the exit and the signals of the process.
    this.#lockfile = createRequire(import.meta.url)("proper-lockfile") as ProperLockfile;
    this.#disk = disk;
    this.#layout = layout;
    this.#now = now;
    this.#runtime = runtime;
  }

  tryAcquire(name: string): Lock | null {
    const held = this.#held.get(name);
    if (held?.busy) return null;
    try {
      const mine = (held && this.#keep(name, held)) ?? this.#take(name);
      if (!mine) return null;
      mine.busy = true;
      let released = false;
      return {
        release: () => {
          if (released) return;
          released = true;
          this.#release(name, mine);
        },
      };
    } catch (e) {
      throw storageError(e, `take the lock of ${name}`);
    }
  }

  holder(name: string): { pid: number; since: number } | undefined {
    return this.#folder(name).owner(this.#now);
  }

  close(): void {
    for (const [name, held] of this.#held) this.#free(name, held);
    this.#held.clear();
    this.#pausing.clear();
  }

  /** Returns the lock that is kept since the last release, if no process took it for a dead one's meanwhile. */
  #keep(name: string, held: Held): Held | undefined {
    // First: where the disk refuses, the lock is still freed after a while.
    const isOurs = held.retake();
    held.keep?.();
    held.keep = null;
    if (isOurs) return held;
    this.#held.delete(name);
    return undefined;
  }

  #take(name: string): Held | undefined {
    if (this.#pausing.delete(name) || this.#runtime.uptime() < (this.#standBackUntil.get(name) ?? 0)) return undefined;
    ensureDurableFolder(this.#disk, this.#layout.locks);
    const folder = this.#folder(name);
    const owner = ownOwner(
      { disk: this.#disk, runtime: this.#runtime },
      this.#runtime.randomHex(TOKEN_DIGITS),
      this.#now(),
    );
    const held =
      this.#enter(name, folder, owner) ?? (this.#clear(name, folder) ? this.#enter(name, folder, owner) : undefined);
    if (held) this.#held.set(name, held);
    else this.#want(name);
    return held;
  }

  #enter(name: string, folder: LockFolder, owner: LockOwner): Held | undefined {
    let compromised = false;
    try {
      const release = this.#lockfile.lockSync(`${folder.path} ${owner.token}`, {
        lockfilePath: folder.path,
        realpath: false,
        stale: Infinity,
        update: STIR_MS,
        fs: ownedFolderFs(folder, owner),
        onCompromised: () => {
          compromised = true;
        },
      });
      const isOurs = (): boolean => !compromised && folder.has(owner.token);
      const offer = (): boolean => folder.offer(owner.token);
      const retake = (): boolean => folder.retake(owner.token) && isOurs();
      const free = (): void => {
        retake();
        freeOnceMore(release, folder, owner);
      };
      return { isOurs, offer, retake, free, busy: false, began: this.#runtime.uptime(), keep: null };
    } catch (e) {
      const errno = errnoOf(e);
      // ENOENT: another process took the folder for a dead one's before our file was in it.
      if (errno === "ELOCKED" || errno === "EEXIST" || errno === "ENOENT") return undefined;
      throw e;
    }
  }

  #clear(name: string, folder: LockFolder): boolean {
    return folder.clear(this.#now, (token) => this.#layout.sharedFile("quarantine", `lock-${name}-${token}`));
  }

  #release(name: string, held: Held): void {
    held.busy = false;
    if (this.#held.get(name) !== held) return;
    const isShort = this.#runtime.uptime() - held.began < BURST_MS;
    if (isShort && this.#offer(held)) {
      held.keep = this.#runtime.after(IDLE_MS, () => this.#free(name, held));
      return;
    }
    this.#free(name, held);
    if (isShort) return;
    this.#pausing.add(name);
    if (this.#isWanted(name)) this.#standBackUntil.set(name, this.#runtime.uptime() + STAND_BACK_MS);
  }

  #offer(held: Held): boolean {
    try {
      return held.offer();
    } catch {
      // The disk refused: then it is freed for good, as far as that goes.
      return false;
    }
  }

  /** Never throws: it runs on a timer, and after changes that are done. */
  #free(name: string, held: Held): void {
    held.keep?.();
    held.keep = null;
    try {
      held.free();
      this.#held.delete(name);
    } catch {
      // Taken away from us: nothing to free. Else the disk refused, and no other process takes the lock of a live one.
      if (!this.#holds(held)) this.#held.delete(name);
      else held.keep = this.#runtime.after(FREE_AGAIN_MS, () => this.#free(name, held), "idle");
    }
  }

  #holds(held: Held): boolean {
    try {
      return held.isOurs();
    } catch {
      // The disk does not even look: the next caller here asks again.
      return true;
    }
  }

  /** Leaves word that a process waits. Only a hint: without it the others wait a little longer. */
  #want(name: string): void {
    try {
      this.#disk.close(this.#disk.open(this.#wanted(name), "wx"));
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
    }
  }

  #isWanted(name: string): boolean {
    try {
      this.#disk.unlink(this.#wanted(name));
      return true;
    } catch {
      return false;
    }
  }

  #wanted(name: string): string {
    return `${this.#layout.lock(name)}.wanted`;
  }

  #folder(name: string): LockFolder {
    return new LockFolder({ disk: this.#disk, runtime: this.#runtime }, `${this.#layout.lock(name)}.d`);
  }
}

/** proper-lockfile frees once, whether the disk let it or not; after that the folder is left without it. */
function freeOnceMore(release: () => void, folder: LockFolder, owner: LockOwner): void {
  try {
    release();
  } catch (e) {
    if (errnoOf(e) !== "ERELEASED") throw e;
    folder.leave(owner.token);
  }
}

/** The five calls that proper-lockfile makes, for one attempt of one owner. */
function ownedFolderFs(folder: LockFolder, owner: LockOwner): Record<string, (...args: never[]) => unknown> {
  let entered = false;
  let stirred: Date | undefined;
  return {
    mkdirSync: () => {
      folder.enter(owner);
      entered = true;
    },
    rmdirSync: () => folder.leave(owner.token),
    statSync: () => {
      if (entered && !folder.has(owner.token))
        throw Object.assign(new Error("this lock belongs to another owner now"), { code: "ENOENT" });
      return { mtime: stirred ?? new Date(0) };
    },
    utimesSync: (_path: string, _atime: Date, mtime: Date) => {
      // The first is proper-lockfile looking how exact the times are here; the file is new anyway.
      if (stirred) folder.heartbeat(owner);
      stirred = mtime;
    },
    realpathSync: (path: string) => path,
  };
}
