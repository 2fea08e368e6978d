/**
 * Locks that one process may hold all at once, while git changes the work tree for it (GIT-100). It takes the lock `.git`, says so in
 * `locks/held`, and waits until each lock was free once. Every writer looks for that file when it has got its lock. So a writer either
 * came before, and the holder waits for it, or it sees the file and gives its lock back. Where no process holds all, that look is the cost.
 *
 * A dead holder's file says nothing: the lock `.git` went with its process, and the next writer removes the file.
 */
import { removeQuietly, readRegular, writeAtomic } from "../../files/atomic.ts";
import { ensureDurableFolder, listFolder } from "../../files/folders.ts";
import { storageError, unlessRefused } from "../../files/storage_error.ts";
import type { EngineContext } from "../core/context.ts";
import type { Lock, LockHolder, LockingContext, LockProvider, WorkspaceHold, WorkspaceLocks } from "../core/lock.ts";
import { acquire, HOLD_VARIABLE, isWriters, WORKSPACE_LOCK } from "../core/lock.ts";

/** Name of the lock of the process that holds all others. No id begins with a dot. */
const GIT_LOCK = ".git";
/** The command is cut to `MAX_COMMAND` characters. */
const MAX_BYTES = 4096;
const MAX_COMMAND = 200;
const LOCK_FILE = /^(.+)\.lock(?:\.d)?$/;
const FILES = ".files";

interface HeldFile {
  token: string;
  pid: number;
  since: number;
  command: string;
}

type HoldingContext = Pick<EngineContext, "disk" | "layout" | "now" | "runtime" | "lockTimeoutMs">;

export class HoldableLocks implements WorkspaceLocks {
  readonly kind: LockProvider["kind"];
  readonly #inner: LockProvider;
  readonly #context: HoldingContext;
  /** The hold whose writer this process is. */
  #token = process.env[HOLD_VARIABLE] ?? "";
  /** Whether a process held all locks at the last look: then that is looked at first, and no lock is made and given back. */
  #wasHeld = false;

  constructor(inner: LockProvider, context: HoldingContext) {
    this.#inner = inner;
    this.#context = context;
    this.kind = inner.kind;
  }

  tryAcquire(name: string, isNext = false): Lock | null {
    // A caller that has a lock already is waited for: to keep the next one from it would keep both waiting.
    if (isNext || !isWriters(name)) return this.#inner.tryAcquire(name);
    if (this.#wasHeld && this.#isHeld()) return null;
    const lock = this.#inner.tryAcquire(name);
    if (!lock) return null;
    try {
      if (!this.#isHeld()) return lock;
    } catch (e) {
      lock.release();
      throw storageError(e, "look whether git works");
    }
    lock.release();
    return null;
  }

  holder(name: string): LockHolder | undefined {
    const held = isWriters(name) && this.#wasHeld ? this.#heldFile() : undefined;
    if (!held) return this.#inner.holder(name);
    const { pid, since, command } = held;
    return { pid, since, command };
  }

  close(): void {
    this.#inner.close();
  }

  async hold(command: string, token: string): Promise<WorkspaceHold> {
    const { disk, layout, now, runtime, lockTimeoutMs } = this.#context;
    const path = layout.held;
    // git started this process for a holder that waits for it.
    if (this.#heldFile()?.token === token) return { isThere: () => true, release: () => undefined };
    const ends = runtime.uptime() + lockTimeoutMs;
    const by = (locks: LockProvider): LockingContext => ({ locks: () => locks, lockTimeoutMs, now, runtime });
    const own = await acquire(by(this.#ofHolders()), GIT_LOCK);
    const before = this.#token;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#token = before;
      // A file that stays says nothing once its lock is free.
      if (unlessRefused(() => this.#heldFile())?.token === token) removeQuietly(disk, path);
      own.release();
    };
    try {
      const held: HeldFile = { token, pid: runtime.pid, since: now(), command: command.slice(0, MAX_COMMAND) };
      ensureDurableFolder(disk, layout.locks);
      writeAtomic(disk, path, `${JSON.stringify(held)}\n`);
      this.#token = token;
      const inner = by(this.#inner);
      for (const name of this.#namesInOrder()) {
        const timeoutMs = Math.max(0, ends - runtime.uptime());
        (await acquire(inner, name, { timeoutMs })).release();
      }
      return { isThere: () => this.#heldFile()?.token === token, release };
    } catch (e) {
      release();
      throw storageError(e, "hold the workspace");
    }
  }

  /** Locks that a process may have, in the order in which callers take several. So no caller takes one that was looked at already. */
  #namesInOrder(): string[] {
    const { disk, layout } = this.#context;
    const names = listFolder(disk, layout.locks).flatMap((file) => LOCK_FILE.exec(file)?.[1] ?? []);
    const writers = [...new Set(names)].filter((name) => name !== GIT_LOCK && isWriters(name)).toSorted();
    const isFiles = (name: string): boolean => name.endsWith(FILES);
    const ids = writers.filter((name) => name !== WORKSPACE_LOCK && !isFiles(name));
    return [WORKSPACE_LOCK, ...ids, ...writers.filter(isFiles)];
  }

  /** For a second holder, whose refusal names the first one's command. */
  #ofHolders(): LockProvider {
    const inner = this.#inner;
    return {
      kind: inner.kind,
      tryAcquire: (name) => inner.tryAcquire(name),
      holder: (name) => this.#heldFile() ?? inner.holder(name),
      close: () => undefined,
    };
  }

  #isHeld(): boolean {
    const { disk, layout } = this.#context;
    this.#wasHeld = disk.lstat(layout.held) !== undefined && this.#isByAnother();
    return this.#wasHeld;
  }

  #isByAnother(): boolean {
    if (this.#token !== "" && this.#heldFile()?.token === this.#token) return false;
    const lock = this.#inner.tryAcquire(GIT_LOCK);
    if (!lock) return true;
    // Under the lock: no new holder has written the file meanwhile.
    removeQuietly(this.#context.disk, this.#context.layout.held);
    lock.release();
    return false;
  }

  #heldFile(): HeldFile | undefined {
    const { disk, layout } = this.#context;
    try {
      const found = JSON.parse(readRegular(disk, layout.held, MAX_BYTES)?.toString("utf8") ?? "null") as unknown;
      const { token, pid, since, command } = (found ?? {}) as Partial<HeldFile>;
      if (typeof token !== "string" || typeof pid !== "number") return undefined;
      return { token, pid, since: Number(since), command: String(command) };
    } catch (e) {
      if (e instanceof SyntaxError) return undefined;
      throw e;
    }
  }
}
