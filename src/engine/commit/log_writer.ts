/**
 * The one way into the logs of an open workspace (LOG, DUR and TXN rules). A change adds ops to one log, or to several logs that the
 * journal keeps together. `append` is its first half, under the locks: files that the ops name, the journal, the lines. `finish` is
 * its second half, after the locks: others write during the sync. Programs that hold ops as bytes call `appendNow` or `appendBehind`.
 * All of them append through `#put`. `create` and `replace` write a whole file.
 */
import { basename, join } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { effectiveHashes } from "../entity/effective_hashes.ts";
import { appendTo, FileLog } from "../../log/file_log.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type { Content } from "../../tools/define.ts";
import { counted } from "../../state/counted.ts";
import type { AcknowledgedChange } from "../core/change_notifications.ts";
import { ROOT_CHARACTERS } from "../core/change_notifications.ts";
import type { EngineContext } from "../core/context.ts";
import type { Lock } from "../core/lock.ts";
import { acquire } from "../core/lock.ts";
import { keptName, quarantine } from "../core/quarantine.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Store } from "../entity/store.ts";
import type { WorkspaceIndex } from "../listing/workspace_index.ts";
import type { DirtyMarks } from "../projection/dirty.ts";
import { unreadOutcome } from "./unread_outcome.ts";
import { writeBlobs, writeContents } from "./named_files.ts";
import type { StagedJob } from "./decide.ts";
import type { Journal } from "./journal.ts";
import { dropUnsynced, keepAside, keptUnsynced, unknownOutcome, unsyncedFolder } from "./unsynced.ts";
import { replaceLog, writeEmptyLog, writeNewLog } from "./whole_log.ts";

/** The ops that a write adds to one log. */
export interface LogWrite {
  /** A draft while the log is to be made; after that the loaded entity of the new log. */
  loaded: LoadedEntity;
  made: boolean;
  /** Heads that the first op builds on. */
  prev: readonly string[];
  /** In the order of the log. */
  staged: readonly StagedJob[];
}

/** A log of which no more is known than where it ends. */
export interface LogEnd {
  id: string;
  folder: string;
  log: FileLog;
}

/** A write whose first half is done. */
export interface Written {
  /** Logs that are not synced yet. */
  logs: Marked[];
  /** The transaction, if the journal has it. */
  txn: string | null;
}

interface Appended {
  offset: number;
  /** As they went out: `closing` of them end what stood there without LF. */
  bytes: Buffer;
  closing: 0 | 1;
}

/** Lines in a log, and the mark that tells of them when they are durable. */
interface Marked extends Appended {
  write: LogWrite;
  mark: AcknowledgedChange;
}

/** Parts that each write keeps up to date. */
interface WriterParts {
  context: EngineContext;
  store: Store;
  dirty: DirtyMarks;
  index: WorkspaceIndex;
  journal: Journal;
}

/** State of a log that this process writes. */
interface WriteState {
  unsynced: string;
  /** Written with durability `group` and not synced yet, or in doubt while no file takes them. */
  pending: Buffer[];
  cancel: (() => void) | null;
}

/** No write of ours is longer. A longer tail is ended, and `resolve` takes it out. */
const MAX_TORN = 16 * 1024 * 1024;
const GROUP_MS = 20;
/** How long the lines that no file took wait for the next try. */
const AGAIN_MS = 1000;
const LF = Buffer.from("\n");

/** The file of a log is not the one that was read: the caller looks again and decides again. */
class Moved extends Error {}

export class LogWriter {
  readonly #context: EngineContext;
  readonly #parts: WriterParts;
  readonly #states = new WeakMap<LoadedEntity, WriteState>();
  /** Logs with lines that wait for the sync of durability `group`, or for a file that takes them. */
  readonly #waiting = new Set<LoadedEntity>();
  /** Those of which a sync failed and no file took the lines, and why (DUR-97). A sync says yes to nothing then. */
  readonly #doubts = new Map<LoadedEntity, unknown>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#context = parts.context;
  }

  /**
   * First half, under the locks of all logs, which were caught up when the ops were decided. "moved": a log was replaced since, nothing was
   * written, and the ops are taken back from the state in memory. `txn`: the journal is to keep the logs together by this id.
   */
  append(writes: readonly LogWrite[], txn: string | null = null): Written | "moved" {
    const { journal } = this.#parts;
    const logs: Written["logs"] = [];
    let reached = 0;
    try {
      for (const { loaded } of writes) this.#parts.dirty.mark(loaded.id);
      for (const write of writes) this.#writeNamed(write);
      if (txn !== null) journal.write(txn, writes.map(journalPart));
      for (const write of writes) {
        if (write.made) this.#make(write);
        else logs.push(this.#add(write));
        reached++;
      }
      this.#context.telemetry?.written(eventsOf(writes));
      return { logs, txn };
    } catch (e) {
      if (reached > 0 || !this.#takeBack(txn, e)) throw this.#pending(writes, txn, e);
      for (const { staged } of writes.toReversed()) for (const one of staged.toReversed()) one.undo();
      if (!(e instanceof Moved)) throw e;
      writes[0]!.loaded.forget();
      return "moved";
    }
  }

  /** Whether the files that the paths name have what was appended, synced or not. */
  isInPlace({ logs }: Written): boolean {
    return logs.every(holds);
  }

  /**
   * Lines that are kept elsewhere and folded when a caller looks: an entity in memory reads them as another process's. Nothing is
   * synced. Call while holding the lock of the log, whose end is known. False: the log was replaced, and the caller finds out what it has.
   */
  appendBehind(end: LogEnd, lines: readonly Buffer[]): boolean {
    this.#parts.dirty.mark(end.id);
    const bytes = lines.length === 1 ? lines[0]! : Buffer.concat(lines);
    const offset = this.#put(end, bytes);
    if (offset === null) return false;
    const isThere = end.log.holds(offset, bytes);
    end.log.close();
    return isThere;
  }

  /** The log of a new entity, durable when it returns. Files that it names are there when the log is. */
  create(loaded: LoadedEntity, bytes: Buffer, contents: readonly Content[] = []): void {
    writeNewLog(this.#context, loaded, bytes, contents);
  }

  /** An empty log for a folder that another program kept without one. `appendNow` gives it its first lines. */
  createEmpty(loaded: LoadedEntity): void {
    writeEmptyLog(this.#context, loaded.log.path);
  }

  /** Other bytes in the place of a log: the only way by which lines leave it. `before`: its bytes, from which these were made. */
  replace(folder: string, bytes: Buffer, before?: Buffer): void {
    replaceLog(this.#context, folder, bytes, before);
  }

  /** Whether a sync that failed left lines of this log in doubt. */
  isDoubtful(id: string): boolean {
    if ([...this.#doubts.keys()].some((one) => one.id === id)) return true;
    return this.#context.disk.lstat(unsyncedFolder(this.#context, id)) !== undefined;
  }

  /**
   * Second half, after the locks: durable, and there by path; only then the journal goes. Null: done, and nothing to wait for.
   * `alone`: no other call of this process waits for its turn.
   */
  finish(written: Written, alone: boolean): Promise<void> | null {
    const { logs, txn } = written;
    const [only] = logs;
    if (only === undefined || logs.length > 1 || txn !== null) return this.#finishAll(written);
    const syncing = this.#sync(only, alone);
    if (syncing !== null || !holds(only)) return this.#confirmed(only, syncing);
    this.#ringDurable(only);
    return null;
  }

  async #finishAll({ logs, txn }: Written): Promise<void> {
    try {
      const isSame = await Promise.all(logs.map((log) => this.#syncLater(log)));
      for (const [i, log] of logs.entries()) {
        if (!isSame[i] || !holds(log)) await this.#confirm(log);
        this.#ringDurable(log);
      }
    } catch (e) {
      if (txn !== null) this.#parts.journal.leave(txn);
      throw e;
    }
    if (txn !== null) this.#parts.journal.done(txn);
  }

  /**
   * Both halves at once, while holding the lock and caught up: for programs that write rarely and hold ops as bytes. LOCK_TIMEOUT when
   * the file was replaced meanwhile: nothing was written then. `begun`: so many of their first bytes stand at the end of the log.
   */
  appendNow(loaded: LoadedEntity, ops: readonly Buffer[], begun = 0): void {
    const appended = this.#putLines(loaded, ops, begun);
    if (!appended)
      throw new TaskfoldError("LOCK_TIMEOUT", `Another program was writing to ${loaded.id}. Nothing was written.`, {
        recovery: "Call again.",
      });
    const { offset, bytes } = appended;
    if (this.#context.durability !== "os") this.syncNow(loaded, () => Buffer.concat(ops), [loaded.folder]);
    const there = loaded.log.holds(offset, bytes);
    loaded.forget();
    loaded.catchUp();
    if (there) {
      if (loaded.entity) this.#context.notifications.notify(loaded.folder, markOf(loaded));
      return;
    }
    throw new TaskfoldError("UNKNOWN_OUTCOME", `Expected the log of ${loaded.id} to hold what was just written.`, {
      recovery: `taskfold verify ${loaded.id}, then call again.`,
    });
  }

  /**
   * Appends what earlier syncs left in doubt and syncs it. Call while holding the lock, before catching up. Each write looks, which costs
   * about 2 microseconds: this writer may have built on the bytes, and nothing in the log shows their doubt.
   */
  repairUnsynced(loaded: LoadedEntity): void {
    const context = this.#context;
    const folder = this.#stateOf(loaded).unsynced;
    const known = this.#doubtOf(loaded);
    if (known !== undefined) this.#keepWaiting(loaded, known);
    const doubt = this.#doubtOf(loaded);
    if (doubt !== undefined) throw storageError(doubt, `keep what a failed sync of ${loaded.id} left in doubt`);
    if (!context.disk.lstat(folder)) return;
    try {
      const kept = keptUnsynced(context, loaded.id, folder);
      if (!kept) return;
      if (kept.length > 0) {
        // Git has taken the log away: to write it anew is not this call's to decide, and the bytes wait.
        if (!loaded.catchUp()) return;
        // A disk that lost the doubtful bytes gives zeros in their place, without a line feed at their end.
        if (!this.#putLines(loaded, [LF, ...kept.map(({ bytes }) => bytes)])) return;
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
   * are kept as those of any write are, and the outcome is unknown.
   */
  syncNow(loaded: LoadedEntity, doubtful: (cause: unknown) => Buffer, folders: readonly string[] = []): void {
    const doubt = this.#doubtOf(loaded);
    if (doubt !== undefined) {
      if (!this.#keepWaiting(loaded, doubt)) throw this.#keep(loaded, doubtful(doubt), doubt);
      // A file has them now, and who keeps lines forgets what it read.
      loaded.catchUp();
    }
    try {
      loaded.log.syncNow();
      for (const folder of folders) this.#context.disk.syncFolder(folder);
    } catch (e) {
      throw this.#keep(loaded, doubtful(e), e);
    }
  }

  /** Bytes that ops name: in place and synced before the ops. Those of a new entity are written with its folder. */
  #writeNamed({ loaded, made, staged }: LogWrite): void {
    if (made) return;
    for (const { blobs, contents } of staged) {
      if (blobs.length > 0) writeBlobs(this.#context, loaded, blobs);
      if (contents.length > 0) writeContents(this.#context, loaded, contents);
    }
  }

  #make(write: LogWrite): void {
    const { store, index } = this.#parts;
    const { loaded, staged } = write;
    const { id } = loaded;
    const bytes = Buffer.concat(staged.map((one) => one.bytes));
    const contents = staged.flatMap((one) => one.contents);
    this.create(loaded, bytes, contents);
    try {
      index.created(id, staged[0]!.op.events[0]!.op.key ?? null);
      write.loaded = store.add(id);
      write.loaded.catchUp();
      this.#context.notifications.notify(write.loaded.folder, markOf(write.loaded));
    } catch (e) {
      throw unreadOutcome(id, e);
    }
  }

  #add(write: LogWrite): Marked {
    const { loaded, staged, prev } = write;
    const lines = staged.map((one) => one.bytes);
    // If locks exclude no process, a look while the ops were decided may have found more.
    const isLast = loaded.report.heads.join() === prev.join();
    // Acknowledged as they are: then one line of the notification file says both.
    const isDurable = this.#context.durability !== "fsync";
    const appended = isLast ? this.#putLines(loaded, lines, 0, !isDurable) : null;
    if (!appended) throw new Moved(`The log of ${loaded.id} is another one than the ops build on.`);
    const { offset, bytes, closing } = appended;
    try {
      staged.forEach((one, i) => loaded.appended(one.op, one.bytes.length + (i === 0 ? closing : 0)));
    } catch (e) {
      if (isDurable) this.#context.notifications.notify(loaded.folder);
      loaded.forget();
      throw unreadOutcome(loaded.id, e);
    }
    const mark = markOf(loaded);
    if (isDurable) this.#context.notifications.notify(loaded.folder, mark);
    this.#parts.store.wrote(loaded);
    return { write, offset, bytes, closing, mark };
  }

  /** Puts whole lines behind the last whole line, or goes on behind their first bytes. Null: the file is not the one that was read. */
  #putLines(loaded: LoadedEntity, lines: readonly Buffer[], begun = 0, notifies = true): Appended | null {
    if (begun === 0 && !this.#setTornAside(loaded)) return null;
    const closing = begun === 0 && loaded.log.unended ? 1 : 0;
    const all = closing ? [LF, ...lines] : lines;
    const whole = all.length === 1 ? all[0]! : Buffer.concat(all);
    const bytes = begun === 0 ? whole : whole.subarray(begun);
    const offset = this.#put(loaded, bytes, notifies);
    return offset === null ? null : { offset, bytes, closing };
  }

  /** Every byte that is appended to a log goes through here; readers of this machine hear of it. Null as `#putLines`. */
  #put({ log, folder }: LogEnd, bytes: Buffer, notifies = true): number | null {
    const offset = appendTo(log, bytes);
    if (offset !== null && notifies) this.#context.notifications.notify(folder);
    return offset;
  }

  /**
   * Moves a torn tail to the quarantine (DUR-50): one line that is no JSON hides the whole log from a strict reader. Lock files may
   * have two holders, and to cut a log under another writer would take its line.
   */
  #setTornAside(loaded: LoadedEntity): boolean {
    const context = this.#context;
    const { torn } = loaded.report;
    if (!torn || torn.length > MAX_TORN || context.locks().kind !== "os") return true;
    let kept = "";
    const isCut = loaded.cutTorn((bytes) => {
      kept = basename(quarantine(context, keptName(loaded.id, LOG_FILE), bytes));
    });
    if (!isCut) return false;
    context.notifications.notify(loaded.folder);
    context.notices.push({
      code: "SET_ASIDE",
      message: `The last ${counted(torn.length, "byte")} in the log of ${loaded.id} were no whole line; they were moved to .coco/registry/quarantine/${kept}.`,
      recovery: "A write was cut off there. If it was yours, look at the present state and call again.",
    });
    return true;
  }

  /** True when no log and no journal has anything of it: then it never was. */
  #takeBack(txn: string | null, cause: unknown): boolean {
    if (txn === null) return true;
    // Its first log may have its lines, where nothing shows them now.
    if (isTaskfoldError(cause) && cause.code === "UNKNOWN_OUTCOME") return false;
    try {
      this.#parts.journal.takeBack(txn);
      return true;
    } catch {
      // The journal may still hold it, so it may still count.
      return false;
    }
  }

  /** Accepted and not finished: what is in memory is dropped, the next writer puts the lines where they belong. */
  #pending(writes: readonly LogWrite[], txn: string | null, cause: unknown): TaskfoldError {
    if (txn !== null) this.#parts.journal.leave(txn);
    for (const { loaded } of writes) loaded.forget();
    return new TaskfoldError(
      "UNKNOWN_OUTCOME",
      "Expected every log to take its lines of the transaction; the journal was written, but a log append failed.",
      {
        cause,
        recovery:
          "Call again with the same idempotency_key: the next write finishes what was begun, and it is applied once.",
        details: { reason: "TXN_PENDING" },
      },
    );
  }

  /** A promise only where there is something to wait for: whether the file that was synced is still the one that is open. */
  #sync(log: Marked, alone: boolean): Promise<boolean> | null {
    const { bytes } = log;
    const { loaded } = log.write;
    const { durability } = this.#context;
    if (durability === "os") return null;
    if (durability === "group") {
      this.#stateOf(loaded).pending.push(bytes);
      this.#wait(loaded, GROUP_MS);
      return null;
    }
    if (!alone) return this.#syncLater(log);
    // No other call has anything to do meanwhile, and the synchronous call is the faster one.
    this.syncNow(loaded, () => bytes);
    return null;
  }

  async #syncLater({ bytes, write: { loaded } }: Marked): Promise<boolean> {
    if (this.#context.durability === "os") return true;
    try {
      return await loaded.log.sync();
    } catch (e) {
      throw this.#keep(loaded, bytes, e);
    }
  }

  /**
   * Keeps lines whose sync failed, and gives the error that callers get: they retry with the same key. That sync may have been the last
   * that would write lines of level `group`, whose own then says yes to nothing (DUR-96).
   */
  #keep(loaded: LoadedEntity, bytes: Buffer, cause: unknown): TaskfoldError {
    this.#stateOf(loaded).pending.push(bytes);
    this.#waiting.add(loaded);
    return unknownOutcome(loaded.id, cause, this.#keepWaiting(loaded, cause));
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
    const how = keepAside(this.#context, loaded.id, bytes);
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

  /** Another process may have moved the log to the archive since these lines were answered (DUR-98). */
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

  #stateOf(loaded: LoadedEntity): WriteState {
    let state = this.#states.get(loaded);
    if (!state) {
      state = { unsynced: unsyncedFolder(this.#context, loaded.id), pending: [], cancel: null };
      this.#states.set(loaded, state);
    }
    return state;
  }

  async #confirmed(log: Marked, syncing: Promise<boolean> | null): Promise<void> {
    const isSame = syncing === null || (await syncing);
    if (!isSame || !holds(log)) await this.#confirm(log);
    this.#ringDurable(log);
  }

  /** The change is about to be acknowledged. A mark of a change that a power failure may take would tell of a loss that is none. */
  #ringDurable({ write: { loaded }, mark }: Marked): void {
    if (this.#context.durability === "fsync") this.#context.notifications.notify(loaded.folder, mark);
  }

  /**
   * The file that the path names does not hold what was written. Two writers that both believe to hold the lock, or a git checkout in
   * between, can take it away again. The same bytes go in once more, as long as what they build on is there (LOG rules).
   */
  async #confirm({ bytes, write: { loaded, staged } }: Marked): Promise<void> {
    const context = this.#context;
    let lock: Lock | undefined;
    try {
      lock = await acquire(context, loaded.id);
      loaded.forget();
      for (let attempt = 0; attempt < 3; attempt++) {
        // By its lines, and not by its text: behind half a line of another process a whole one is no line.
        const events = loaded.catchUp() ? effectiveHashes(loaded.log) : null;
        const isMissing = (hash: string): boolean => !events?.has(hash);
        const missing = staged.find(({ op }) => op.events.some(({ hash }) => isMissing(hash)));
        if (missing === undefined) {
          // Perhaps in another file than the one that was synced: a copy that another program put in its place.
          this.#syncAgain(loaded, bytes);
          return;
        }
        if (!events || missing.op.events[0]!.prev.some(isMissing)) throw replaced(loaded.id);
        if (this.#putLines(loaded, [bytes])) this.#syncAgain(loaded, bytes);
        loaded.forget();
      }
      throw replaced(loaded.id);
    } catch (e) {
      loaded.forget();
      throw unreadOutcome(loaded.id, e);
    } finally {
      lock?.release();
    }
  }

  #syncAgain(loaded: LoadedEntity, bytes: Buffer): void {
    if (this.#context.durability !== "os") this.syncNow(loaded, () => bytes);
  }
}

function markOf({ report, entity }: LoadedEntity): AcknowledgedChange {
  return { hash: report.heads.at(-1)!, revision: report.ops, root: entity!.root.slice(0, ROOT_CHARACTERS) };
}

function eventsOf(writes: readonly LogWrite[]): number {
  return writes.reduce((sum, { staged }) => staged.reduce((n, { op }) => n + op.events.length, sum), 0);
}

function journalPart({ loaded: { id }, made, prev, staged }: LogWrite) {
  return { id, made, prev: [...prev], ops: staged.map(({ op, bytes }) => ({ hash: op.hash, bytes })) };
}

/** A look that the system refuses says no: then the whole log is read. */
function holds({ offset, bytes, write: { loaded } }: Marked): boolean {
  try {
    return loaded.log.holds(offset, bytes);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

function replaced(id: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    `Expected the log of ${id} to hold what was just written; another one stands in its place, without what this change builds on.`,
    {
      recovery: "Look at the present state, then call again with the same idempotency_key.",
      details: { reason: "LOG_REPLACED" },
    },
  );
}
