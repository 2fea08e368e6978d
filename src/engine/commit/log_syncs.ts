/**
 * Syncs of logs, and the lines that a failed one left in doubt (DUR rules). If a sync fails, the next one may say yes to nothing. So the
 * lines themselves are kept, in a file that the next writer appends again (unsynced.ts), or in memory while no file takes them.
 */
import { join } from "node:path";
import type { TaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { storageError } from "../../files/storage_error.ts";
import { FileLog } from "../../log/file_log.ts";
import type { EngineContext } from "../core/context.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { dropUnsynced, keepAside, keptOf, keptUnsynced, unknownOutcome, unsyncedFolder } from "./unsynced.ts";

/** State of a log that this process writes. */
interface SyncState {
  unsynced: string;
  /** Of the entity whose lines wait. Kept apart, as an entity whose sync failed is forgotten. */
  root: string;
  /** Written with durability `group` and not synced yet, or in doubt while no file takes them. */
  pending: Buffer[];
  cancel: (() => void) | null;
}

const GROUP_MS = 20;
/** How long the lines that no file took wait for the next try. */
const AGAIN_MS = 1000;
const LF = Buffer.from("\n");

export class LogSyncs {
  readonly #context: EngineContext;
  readonly #put: (loaded: LoadedEntity, lines: readonly Buffer[]) => boolean;
  readonly #states = new WeakMap<LoadedEntity, SyncState>();
  /** Logs with lines that wait for the sync of durability `group`, or for a file that takes them. */
  readonly #waiting = new Set<LoadedEntity>();
  /** Those of which a sync failed and no file took the lines, and why (DUR-97). A sync says yes to nothing then. */
  readonly #doubts = new Map<LoadedEntity, unknown>();

  /** `put` appends lines to the log; false where the file is another than the one that was read. */
  constructor(context: EngineContext, put: (loaded: LoadedEntity, lines: readonly Buffer[]) => boolean) {
    this.#context = context;
    this.#put = put;
  }

  /** Whether a sync that failed left lines of this log in doubt. */
  isDoubtful(id: string): boolean {
    if ([...this.#doubts.keys()].some((one) => one.id === id)) return true;
    return this.#context.disk.lstat(unsyncedFolder(this.#context, id)) !== undefined;
  }

  /**
   * Appends what earlier syncs left in doubt and syncs it. Call while holding the lock, before catching up. Each write looks, which costs
   * about 2 microseconds: this writer may have built on the bytes, and nothing in the log shows their doubt.
   */
  repair(loaded: LoadedEntity): void {
    const context = this.#context;
    const folder = this.#stateOf(loaded).unsynced;
    const known = this.#doubtOf(loaded);
    if (known !== undefined) this.#keepWaiting(loaded, known);
    const doubt = this.#doubtOf(loaded);
    if (doubt !== undefined) throw storageError(doubt, `keep what a failed sync of ${loaded.id} left in doubt`);
    if (!context.disk.lstat(folder)) return;
    try {
      const found = keptUnsynced(context, loaded.id, folder);
      if (!found) return;
      // Git has taken the log away: to write it anew is not this call's to decide, and the bytes wait.
      if (found.length > 0 && !loaded.catchUp()) return;
      const kept = keptOf(context, loaded, found);
      if (kept.length > 0) {
        // A disk that lost the doubtful bytes gives zeros in their place, without a line feed at their end.
        if (!this.#put(loaded, [LF, ...kept.map(({ bytes }) => bytes)])) return;
        this.#syncKept(loaded);
      }
      dropUnsynced(context, folder, kept);
      loaded.forget();
    } catch (e) {
      loaded.forget();
      throw storageError(e, `write again what a failed sync of ${loaded.id} left in doubt`);
    }
  }

  /** Lines that are kept aside have their file still if this fails. */
  #syncKept(loaded: LoadedEntity): void {
    try {
      loaded.log.syncNow();
    } catch (e) {
      this.#keepWaiting(loaded, e);
      throw e;
    }
  }

  /** Whether nothing of this log waits. */
  isSynced(loaded: LoadedEntity): boolean {
    return !this.#waiting.has(loaded);
  }

  /** Syncs at once what waits for that, as the log is about to move. */
  flush(loaded: LoadedEntity): void {
    const { cancel } = this.#stateOf(loaded);
    if (!cancel) return;
    cancel();
    this.#syncGroup(loaded);
  }

  /** As a workspace closes: what no file takes even now is in the log alone. */
  flushAll(): void {
    // One of which the lines are kept nowhere comes back into the set.
    const waiting = [...this.#waiting];
    for (const loaded of waiting) {
      this.flush(loaded);
      this.#stateOf(loaded).cancel?.();
    }
  }

  /**
   * Syncs a log at once, and names on its way. If that fails, the next sync may say yes to nothing. So the lines that `doubtful` gives
   * are kept as those of any write are, and the outcome is unknown. Null: no log may get them again.
   */
  now(loaded: LoadedEntity, doubtful: (() => Buffer) | null, folders: readonly string[] = []): void {
    const doubt = this.#doubtOf(loaded);
    if (doubt !== undefined) {
      // The log is forgotten once its lines are kept, and the disk may refuse to give them again.
      const bytes = doubtful?.();
      if (!this.#keepWaiting(loaded, doubt)) throw this.#keep(loaded, bytes, doubt);
      loaded.catchUp();
    }
    try {
      loaded.log.syncNow();
      for (const folder of folders) this.#context.disk.syncFolder(folder);
    } catch (e) {
      throw this.#keep(loaded, doubtful?.(), e);
    }
  }

  /**
   * Makes all lines of a log last, and the names on its way. A process that was killed may have written the last of them and synced
   * nothing, and what is about to happen relies on them (DUR-113).
   */
  makeLast(loaded: LoadedEntity): void {
    const { disk, durability, layout } = this.#context;
    const { id, folder, log } = loaded;
    if (durability === "os" || disk.lstat(log.path)?.kind !== "file") return;
    const lines = (): Buffer => {
      const bytes = disk.readFile(log.path);
      return bytes.subarray(0, bytes.lastIndexOf(LF) + 1);
    };
    // No process writes to an archived log again, and another entity of that id must not get the lines.
    this.now(loaded, folder === layout.folder(id) ? lines : null, [layout.root, ...layout.wayTo(folder)]);
  }

  /** As `now`, without waiting. Gives whether the file that was synced is still the one that is open. */
  async later(loaded: LoadedEntity, bytes: Buffer): Promise<boolean> {
    try {
      return await loaded.log.sync();
    } catch (e) {
      throw this.#keep(loaded, bytes, e);
    }
  }

  /** Syncs these lines a moment later, with those that come meanwhile (durability `group`). */
  inGroup(loaded: LoadedEntity, bytes: Buffer): void {
    this.#hold(loaded, bytes);
    this.#wait(loaded, GROUP_MS);
  }

  /**
   * Keeps lines whose sync failed, and gives the error that callers get: they retry with the same key. That sync may have been the last
   * that would write lines of level `group`, whose own then says yes to nothing (DUR-5).
   */
  #keep(loaded: LoadedEntity, bytes: Buffer | undefined, cause: unknown): TaskfoldError {
    if (!bytes) return unknownOutcome(loaded.id, cause, false);
    this.#hold(loaded, bytes);
    this.#waiting.add(loaded);
    return unknownOutcome(loaded.id, cause, this.#keepWaiting(loaded, cause));
  }

  #hold(loaded: LoadedEntity, bytes: Buffer): void {
    const state = this.#stateOf(loaded);
    state.root = loaded.entity?.root ?? state.root;
    state.pending.push(bytes);
  }

  /** Of one log, which several parts of this process may have open. Gives whether all that waited is in files now, synced. */
  #keepWaiting({ folder }: LoadedEntity, cause: unknown): boolean {
    const waiting = [...this.#waiting].filter((one) => one.folder === folder);
    const kept = waiting.map((one) => {
      this.#stateOf(one).cancel?.();
      return this.#keepPending(one, cause);
    });
    return kept.every((how) => how === "synced");
  }

  /** This process holds the lines until a file takes them. */
  #keepPending(loaded: LoadedEntity, cause: unknown): ReturnType<typeof keepAside> {
    const bytes = this.#takePending(loaded);
    const how = keepAside(this.#context, loaded.id, this.#stateOf(loaded).root, bytes);
    loaded.forget();
    if (how === "nowhere") {
      this.#doubts.set(loaded, cause);
      this.#stateOf(loaded).pending.push(bytes);
      this.#wait(loaded, AGAIN_MS);
    }
    return how;
  }

  /** Why lines of this log are in doubt that no file took; undefined if there are none. */
  #doubtOf({ folder }: LoadedEntity): unknown {
    for (const [one, cause] of this.#doubts) if (one.folder === folder) return cause;
    return undefined;
  }

  #wait(loaded: LoadedEntity, ms: number): void {
    this.#stateOf(loaded).cancel ??= this.#context.runtime.after(ms, () => this.#syncGroup(loaded));
    this.#waiting.add(loaded);
  }

  /** Takes the lines that wait: they wait no more. */
  #takePending(loaded: LoadedEntity): Buffer {
    const state = this.#stateOf(loaded);
    state.cancel = null;
    this.#waiting.delete(loaded);
    this.#doubts.delete(loaded);
    return Buffer.concat(state.pending.splice(0));
  }

  #syncGroup(loaded: LoadedEntity): void {
    if (this.#doubts.has(loaded)) return void this.#keepPending(loaded, this.#doubts.get(loaded));
    try {
      this.#syncWhereItIs(loaded);
      this.#takePending(loaded);
    } catch (e) {
      // No caller waits for this; the marker makes the next writer append the bytes again.
      this.#keepPending(loaded, e);
    }
  }

  /** Another process may have moved the log to the archive since these lines were answered (DUR-5). */
  #syncWhereItIs({ id, folder, log }: LoadedEntity): void {
    const { disk, layout } = this.#context;
    const archived = layout.archived(id);
    if (log.isOpen || disk.lstat(folder) || !disk.lstat(archived)) return log.syncNow();
    const moved = new FileLog(disk, join(archived, LOG_FILE));
    try {
      moved.syncNow();
    } finally {
      moved.close();
    }
  }

  #stateOf(loaded: LoadedEntity): SyncState {
    let state = this.#states.get(loaded);
    if (!state) {
      state = { unsynced: unsyncedFolder(this.#context, loaded.id), root: "", pending: [], cancel: null };
      this.#states.set(loaded, state);
    }
    return state;
  }
}
