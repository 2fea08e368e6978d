/**
 * Events as they land, of every writer: this process, another one, git. Nothing is kept for a slow reader. Events that
 * it has not been given stand in the logs, and are read from there when it asks (WATCH rules).
 */
import { isTaskfoldError } from "../../errors.ts";
import type { LogWatcher } from "../../files/log_watcher.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { FileLog } from "../../log/file_log.ts";
import type { TaskfoldEvent } from "../../events/generated/event_types.ts";
import { byTime, inPlace } from "../entity/by_time.ts";
import type { Placed } from "../entity/by_time.ts";
import type { SeenLogs } from "../query/cursors.ts";
import { Delta, printed } from "../query/delta.ts";
import { folderOf, logPath, placeOf } from "../entity/entity_on_disk.ts";
import { HashSet } from "../core/hash_set.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Listing } from "../listing/listing.ts";
import type { Journal } from "../commit/journal.ts";
import type { PendingLogs } from "../transaction/journal_lines.ts";
import { pendingLogs } from "../transaction/journal_lines.ts";
import { typed } from "../entity/reply.ts";
import type { Store } from "../entity/store.ts";
import { LogSigns } from "./log_signs.ts";
import { OtherFiles } from "./other_files.ts";
import { ProjectionBarrier } from "./projection_barrier.ts";
import { opsSinceOf } from "../entity/ops_since.ts";
import type { SeenLog, OpsSince } from "../entity/ops_since.ts";
import type { WatchChange, WatchOptions } from "./watch_options.ts";
import type { EngineContext } from "../core/context.ts";
import { HASH_LENGTH } from "../../log/envelope.ts";
import { scan } from "../../log/scan.ts";
import type { LineView } from "../../log/scan.ts";
import type { ByteSource } from "../../log/source.ts";

/** Most ops read ahead of a reader. */
const PAGE = 200;

/** The events that were read of one log. */
interface News {
  key: string;
  loaded: LoadedEntity;
  opsSince: OpsSince;
  /** More than one page holds. */
  more: boolean;
  /** Ops that were not given before. */
  fresh: Placed[];
}

/** The watched parts: all logs of a workspace, and the lines on their way into them. */
export interface Watched {
  context: EngineContext;
  store: Store;
  listing: Listing;
  journal: Journal;
}

export class Watch implements AsyncIterableIterator<TaskfoldEvent> {
  readonly #context: EngineContext;
  readonly #store: Store;
  readonly #options: WatchOptions;
  readonly #journal: Journal;
  readonly #ended: (watch: Watch) => void;
  readonly #signs: LogSigns;
  /** Every event that stood in a log when the watch began, and the last one of every op given since. */
  readonly #known = new HashSet();
  readonly #seen = new Map<string, SeenLog>();
  readonly #heads = new Map<string, string>();
  readonly #buffer: TaskfoldEvent[] = [];
  readonly #delta: Delta;
  readonly #shown: ProjectionBarrier;
  /** Files of other programs, if the reader asked for them. */
  readonly #files: OtherFiles | undefined;
  /** The logs that the reader had seen before the watch began, until that is made up for. */
  #behind: SeenLogs | null = null;
  readonly #end = (): void => this.close();
  #pending: PendingLogs | null;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** Reads the hashes of all events there are, so that what lands from now on is known to be new. */
  constructor({ context, store, listing, journal }: Watched, options: WatchOptions, ended: (watch: Watch) => void) {
    this.#context = context;
    this.#store = store;
    this.#journal = journal;
    this.#options = options;
    this.#ended = ended;
    this.#pending = pendingLogs(context, journal);
    this.#delta = new Delta(context, this.#pending ?? { store, listing }, "");
    this.#shown = new ProjectionBarrier(context);
    if (options.since !== undefined) this.#behind = this.#delta.seenBy(options.since);
    const { polling = false, files = false, onChange } = options;
    this.#signs = new LogSigns(context, store, polling);
    if (options.signal?.aborted) {
      this.#closed = true;
      return;
    }
    options.signal?.addEventListener("abort", this.#end);
    this.#lookAtAll();
    for (const key of this.#pending?.keys ?? []) this.#logs.requeue(key);
    for (const key of this.#logs.take()) this.#learn(key);
    if (files && onChange)
      this.#files = new OtherFiles(context, { polling, names: () => store.names() }, () => this.#signs.tell());
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next event; waits for it, and keeps the process alive while it does. */
  next(): Promise<IteratorResult<TaskfoldEvent, undefined>> {
    const queued = this.#last.then(() => this.#next());
    this.#last = queued.then(nothing, nothing);
    return queued;
  }

  return(): Promise<IteratorResult<TaskfoldEvent, undefined>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the iteration: who waits for an event hears that there is none. */
  close(): void {
    this.#closed = true;
    this.#options.signal?.removeEventListener("abort", this.#end);
    this.#signs.close();
    this.#files?.close();
    this.#buffer.length = 0;
    this.#ended(this);
  }

  async #next(): Promise<IteratorResult<TaskfoldEvent, undefined>> {
    for (;;) {
      const event = this.#buffer.shift();
      if (event) return { done: false, value: event };
      if (this.#closed) return { done: true, value: undefined };
      const notified = this.#signs.notified();
      const isDue = notified === null || this.#signs.isLookDue;
      const began = this.#context.runtime.uptime();
      if (isDue) this.#lookAtAll();
      if (isDue || this.#files?.isHinted) this.#lookAtFiles();
      if (isDue && this.#files) this.#signs.tookMs(this.#context.runtime.uptime() - began);
      for (const key of notified ?? []) this.#logs.requeue(key);
      if (this.#behind) this.#behind = await this.#readBehind(this.#behind);
      else if (this.#logs.hasStale) await this.#read();
      else await this.#signs.pause();
    }
  }

  get #logs(): LogWatcher {
    return this.#signs.logs;
  }

  #lookAtAll(): void {
    lookAt("look at the logs", () =>
      this.#signs.lookBy(() => {
        this.#logs.look();
        this.#lookAhead();
      }),
    );
  }

  #lookAtFiles(): void {
    const ids = lookAt("look at the files of other programs", () => this.#files?.look()) ?? [];
    if (ids.length > 0) this.#options.onChange?.(ids.map((id) => ({ id, what: "changed" })));
  }

  /** Lines that are accepted and not yet in their logs count as being there (TXN-5). */
  #lookAhead(): void {
    const before = this.#pending;
    this.#pending = pendingLogs(this.#context, this.#journal);
    if (before?.names === this.#pending?.names) return;
    for (const key of [...(before?.keys ?? []), ...(this.#pending?.keys ?? [])]) this.#logs.requeue(key);
  }

  #learn(key: string): void {
    // By its path: a writer of this process may still hold the file that git has replaced.
    const { disk } = this.#context;
    const place = placeOf(key);
    const log = new FileLog(disk, logPath(this.#context, place), {
      extra: this.#pending?.context.pendingLines?.get(folderOf(this.#context, place)),
    });
    const seen = readable(() => log.withSource((source) => learnEvents(source, this.#known)));
    if (seen) this.#seen.set(key, seen);
  }

  /** Reads a page of what came after the cursor that the watch began with; null when that is all. */
  async #readBehind(seen: SeenLogs): Promise<SeenLogs | null> {
    const { page, after } = this.#delta.next(seen, PAGE);
    for (const { op } of page) this.#known.add(op.last);
    await this.#tell(page);
    return page.length === 0 ? null : after(page.length, 0);
  }

  /** Reads a page of what the logs that may have changed have that was not given. */
  async #read(): Promise<void> {
    this.#lookAhead();
    const news: News[] = [];
    const changes: WatchChange[] = [];
    for (const key of this.#logs.take()) {
      const found = readable(() => this.#newsOf(key));
      // A read of that entity tells its faults; here it is tried again with the next look.
      if (found === undefined) this.#logs.forget(key);
      else if (found !== null) news.push(found);
      const what = this.#change(key, found);
      if (what) changes.push({ id: placeOf(key).id, what });
    }
    const page = new Map<string, Placed>();
    for (const placed of news.flatMap(({ fresh }) => fresh).toSorted(byTime)) {
      // Git may have left one log in two folders.
      if (page.size < PAGE && !page.has(placed.op.last)) page.set(placed.op.last, placed);
    }
    for (const last of page.keys()) this.#known.add(last);
    for (const one of news) this.#give(one);
    await this.#tell([...page.values()]);
    if (this.#closed) return;
    if (changes.length > 0) this.#options.onChange?.(changes);
  }

  /**
   * Puts the ops of a page before the reader once the files show them. So a view that reads a file on an event finds it
   * there.
   */
  async #tell(page: readonly Placed[]): Promise<void> {
    const events = page.flatMap(printed);
    if (this.#context.projections === "batch") {
      await this.#shown.wait(
        page,
        (ms) => this.#signs.pause(ms),
        () => this.#closed,
      );
    }
    if (!this.#closed) this.#buffer.push(...typed(events));
  }

  /** How a log is another one than at the last reading. */
  #change(key: string, news: News | null | undefined): WatchChange["what"] | undefined {
    const isKnown = this.#seen.has(key);
    const before = this.#heads.get(key);
    if (news) {
      this.#heads.set(key, news.loaded.head);
      if (!isKnown) return "new";
      return before === news.loaded.head ? undefined : "changed";
    }
    this.#heads.delete(key);
    this.#seen.delete(key);
    return isKnown ? "gone" : undefined;
  }

  /** Null when there is no log. */
  #newsOf(key: string): News | null {
    const loaded = this.#find(key);
    if (!loaded?.catchUp()) return null;
    const { opsSince, more } = this.#opsSinceOf(key, loaded);
    const fresh = inPlace(key, loaded, opsSince).filter(({ op }) => !this.#known.has(op.last));
    return { key, loaded, opsSince, more, fresh };
  }

  #opsSinceOf(key: string, loaded: LoadedEntity): { opsSince: OpsSince; more: boolean } {
    const seen = this.#seen.get(key) ?? { heads: [] };
    try {
      const opsSince = opsSinceOf([loaded], seen, PAGE);
      return { opsSince, more: opsSince.ops.length === PAGE };
    } catch (e) {
      // Git put another history in its place. Which of it was given before, the hashes tell.
      if (!isTaskfoldError(e) || e.code !== "CURSOR_EXPIRED") throw e;
      return { opsSince: opsSinceOf([loaded], { heads: [] }, Infinity), more: false };
    }
  }

  /** Notes how far a log has been given. */
  #give({ key, opsSince, more, fresh }: News): void {
    const left = fresh.find(({ op }) => !this.#known.has(op.last));
    this.#seen.set(key, opsSince.after(left ? left.index : opsSince.ops.length));
    if (left || more) this.#logs.requeue(key);
  }

  #find(key: string): LoadedEntity | undefined {
    const { part, id } = placeOf(key);
    const store = this.#pending?.keys.has(key) ? this.#pending.store : this.#store;
    return part === "tasks" ? store.find(id) : store.findArchived(id);
  }
}

function lookAt<T>(doing: string, look: () => T): T {
  try {
    return look();
  } catch (e) {
    throw storageError(e, doing);
  }
}

/** Undefined when the log cannot be read now. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (e) {
    if (isTaskfoldError(e) ? e.code === "INTERNAL" : errnoOf(e) === undefined) throw e;
    return undefined;
  }
}

const nothing = (): void => undefined;

// The hashes of all events that stand in a log, without replaying it: a tenth of the cost. Whether they are in effect
// does not matter here: what stood there before a watcher began to look has not happened since.
const BEFORE_BY = Buffer.from('{"by":"');
const BEFORE_HASH = Buffer.from('","hash":"');
const QUOTE = 0x22;

/** Adds them to `known`, and gives the last one as what was seen, for a straight log to be read on from. */
export function learnEvents(source: ByteSource, known: HashSet): SeenLog {
  let last: { hash: string; offset: number } | null = null;
  scan(source, { offset: 0, line: 1 }, (view) => {
    const hash = view.ended && !view.tooLong ? hashOf(view) : null;
    if (hash !== null) {
      known.add(hash);
      last = { hash, offset: view.offset };
    }
    return true;
  });
  const end = last as { hash: string; offset: number } | null;
  return end === null ? { heads: [] } : { heads: [end.hash], at: end.offset };
}

/** Of the line as this engine writes it, where it stands behind `by`; of any other by its value. */
function hashOf({ bytes, start, end }: LineView): string | null {
  const startsAsOurs = bytes.compare(BEFORE_BY, 0, BEFORE_BY.length, start, start + BEFORE_BY.length) === 0;
  const quote = startsAsOurs ? bytes.indexOf(QUOTE, start + BEFORE_BY.length) : -1;
  const at = quote + BEFORE_HASH.length;
  if (quote >= 0 && at + HASH_LENGTH < end && bytes.compare(BEFORE_HASH, 0, BEFORE_HASH.length, quote, at) === 0)
    return bytes.toString("latin1", at, at + HASH_LENGTH);
  try {
    const value = JSON.parse(bytes.toString("utf8", start, end)) as { hash?: unknown } | null;
    const hash = value?.hash;
    return typeof hash === "string" && hash.length === HASH_LENGTH ? hash : null;
  } catch (e) {
    // Not a line of ours: nothing that could be given as an event.
    if (e instanceof SyntaxError) return null;
    throw e;
  }
}
