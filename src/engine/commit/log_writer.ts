/**
 * The one way into the logs of an open workspace (LOG, DUR and TXN rules). `append` puts lines behind the end of logs, and `replace` puts a
 * whole file in the place of one. A change appends ops to one log, or to several that the journal keeps together. `append` is the first
 * half of that, under the locks: files that the ops name, the journal, the lines. `finish` is the second half, after the locks: others
 * write during the sync. A program that holds lines as bytes appends them to one log. Every append goes through `#put`.
 */
import { basename } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { effectiveHashes } from "../entity/effective_hashes.ts";
import type { FileLog } from "../../log/file_log.ts";
import { appendTo } from "../../log/file_log.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Content } from "../../state/named_bytes.ts";
import { counted } from "../../state/counted.ts";
import type { AcknowledgedChange } from "../core/change_notifications.ts";
import { ROOT_CHARACTERS } from "../core/change_notifications.ts";
import type { EngineContext } from "../core/context.ts";
import type { Lock } from "../core/lock.ts";
import { acquire } from "../core/lock.ts";
import { keptName, quarantine } from "../core/quarantine.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import { comparedUpTo } from "../entity/went_back.ts";
import type { Store } from "../entity/store.ts";
import type { WorkspaceIndex } from "../listing/workspace_index.ts";
import type { DirtyMarks } from "../projection/dirty.ts";
import { unreadOutcome } from "./unread_outcome.ts";
import { writeBlobs, writeContents } from "./named_files.ts";
import type { StagedJob } from "./decide.ts";
import type { Journal } from "./journal.ts";
import { LogSyncs } from "./log_syncs.ts";
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

/** Where lines stand in a log, and the bytes as they went out. */
export interface AppendedLines {
  offset: number;
  bytes: Buffer;
}

interface Appended extends AppendedLines {
  /** So many of the bytes end what stood there without LF. */
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

/** Whole lines for the end of one log, as bytes. A loaded entity was caught up; of another log no more is known than where it ends. */
export interface LinesWrite {
  to: LoadedEntity | LogEnd;
  lines: readonly Buffer[];
  /** So many of their first bytes stand at the end of the log already: a write of them was cut off there. */
  begun?: number;
  /** Another program may have kept the folder without a log: then there is to be one. */
  makes?: boolean;
}

/** A log that is written as a whole, for a new entity or in the place of one that repair put in order. `contents`: files that it names. */
export type WholeLog =
  | { made: LoadedEntity; bytes: Buffer; contents?: readonly Content[] }
  /** `before`: the bytes from which these were made. */
  | { folder: string; bytes: Buffer; before?: Buffer | undefined };

/** No write of ours is longer. A longer tail is ended, and `resolve` takes it out. */
const MAX_TORN = 16 * 1024 * 1024;
const LF = Buffer.from("\n");

/** The file of a log is not the one that was read: the caller looks again and decides again. */
class Moved extends Error {}

export class LogWriter {
  readonly #context: EngineContext;
  readonly #parts: WriterParts;
  /** Syncs of these logs, and the lines that a failed one left in doubt. */
  readonly syncs: LogSyncs;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#context = parts.context;
    this.syncs = new LogSyncs(parts.context, (loaded, lines) => this.#putLines(loaded, lines) !== null);
  }

  /**
   * First half, under the locks of all logs, which were caught up when the ops were decided. "moved": a log was replaced since, nothing was
   * written, and the ops are taken back from the state in memory. `txn`: the journal is to keep the logs together by this id.
   */
  append(writes: readonly LogWrite[], txn?: string | null): Written | "moved";
  /** The same for lines, which an entity in memory reads as another process's. Nothing is synced. Call while holding the lock of the log. */
  append(lines: LinesWrite): AppendedLines | "moved";
  append(given: readonly LogWrite[] | LinesWrite, txn: string | null = null): Written | AppendedLines | "moved" {
    return "lines" in given ? this.#appendLines(given) : this.#appendOps(given, txn);
  }

  #appendOps(writes: readonly LogWrite[], txn: string | null): Written | "moved" {
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
      if (isTaskfoldError(e) && e.code === "UNKNOWN_OUTCOME") this.#behind(writes);
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

  #appendLines({ to, lines, begun, makes = false }: LinesWrite): AppendedLines | "moved" {
    this.#parts.dirty.mark(to.id);
    if (!(to instanceof LoadedEntity)) {
      const bytes = lines.length === 1 ? lines[0]! : Buffer.concat(lines);
      const offset = this.#put(to, bytes);
      return offset === null ? "moved" : { offset, bytes };
    }
    if (makes && !this.#context.disk.lstat(to.log.path)) {
      writeEmptyLog(this.#context, to.log.path);
      to.catchUp();
    }
    return this.#putLines(to, lines, begun) ?? "moved";
  }

  /** Durable when it returns. This is the only way by which lines leave a log. Files that a new log names are there when the log is. */
  replace(log: WholeLog): void {
    if ("made" in log) writeNewLog(this.#context, log.made, log.bytes, log.contents ?? []);
    else replaceLog(this.#context, log.folder, log.bytes, log.before);
  }

  /**
   * Second half, after the locks: durable, and there by path; only then the journal goes. Null: done, and nothing to wait for.
   * `alone`: no other call of this process waits for its turn.
   */
  finish(written: Written, alone: boolean): Promise<void> | null {
    const { logs, txn } = written;
    const [only] = logs;
    if (only === undefined || logs.length > 1 || txn !== null) return this.#finishAll(written);
    try {
      const syncing = this.#sync(only, alone);
      if (syncing !== null || !holds(only)) return this.#confirmed(only, syncing);
    } catch (e) {
      this.#behind([only.write]);
      throw e;
    }
    this.#ringDurable(only);
    return null;
  }

  /** The lines may be in the logs, and this call writes no files: the next call does, or the next process (DUR-116). */
  #behind(writes: readonly LogWrite[]): void {
    for (const { loaded } of writes) this.#parts.dirty.projected(loaded.id, false);
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
      this.#behind(logs.map(({ write }) => write));
      throw e;
    }
    if (txn !== null) this.#parts.journal.done(txn);
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
    this.replace({ made: loaded, bytes, contents });
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
    const offset = appendTo(log, bytes, this.#isAlone());
    if (offset !== null && notifies) this.#context.notifications.notify(folder);
    return offset;
  }

  /** Lock files may have two holders, and to cut a log under another writer would take its line. */
  #isAlone(): boolean {
    return this.#context.locks().kind === "os";
  }

  /** Moves a torn tail to the quarantine (DUR-50): one line that is no JSON hides the whole log from a strict reader. */
  #setTornAside(loaded: LoadedEntity): boolean {
    const context = this.#context;
    const { torn } = loaded.report;
    if (!torn || torn.length > MAX_TORN || !this.#isAlone()) return true;
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
    this.#behind(writes);
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
      this.syncs.inGroup(loaded, bytes);
      return null;
    }
    if (!alone) return this.#syncLater(log);
    // No other call has anything to do meanwhile, and the synchronous call is the faster one.
    this.syncs.now(loaded, () => bytes);
    return null;
  }

  async #syncLater({ bytes, write: { loaded } }: Marked): Promise<boolean> {
    return this.#context.durability === "os" || this.syncs.later(loaded, bytes);
  }

  async #confirmed(log: Marked, syncing: Promise<boolean> | null): Promise<void> {
    try {
      const isSame = syncing === null || (await syncing);
      if (!isSame || !holds(log)) await this.#confirm(log);
    } catch (e) {
      this.#behind([log.write]);
      throw e;
    }
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
    if (this.#context.durability !== "os") this.syncs.now(loaded, () => bytes);
  }
}

/** The mark of an acknowledged change, as other processes read it. */
export function markOf(loaded: LoadedEntity): AcknowledgedChange {
  const { report, entity } = loaded;
  const root = entity!.root.slice(0, ROOT_CHARACTERS);
  return {
    hash: report.heads.at(-1)!,
    revision: report.ops,
    root,
    compared: Math.max(report.ops, comparedUpTo(loaded)),
  };
}

/** The mark of a change whose writer compared nothing. It takes the place of no other mark, so each loss is still told. */
export function markBeside(loaded: LoadedEntity): AcknowledgedChange | undefined {
  return loaded.entity ? { ...markOf(loaded), compared: 0 } : undefined;
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
