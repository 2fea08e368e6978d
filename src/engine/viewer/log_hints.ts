/**
 * When a look at logs is due, and at which: the signs that a watch of events goes by (watch.ts). No log is read here, so a start costs
 * the same for logs of any length.
 */
import { FileWatcher } from "../../files/file_watcher.ts";
import { LogWatcher, MOST_WATCHED } from "../../files/log_watcher.ts";
import type { Journal } from "../commit/journal.ts";
import type { EngineContext } from "../core/context.ts";
import type { Store } from "../entity/store.ts";
import { BellReader } from "../listing/bell_reader.ts";

interface Hinted {
  context: EngineContext;
  store: Store;
  journal: Journal;
  /** How many logs there are. */
  size: () => number;
}

/** `all`: whichever; else `part/name` of logs that may have changed since the last call. */
export type DueLogs = "all" | readonly string[];

export class LogHints {
  readonly #from: Hinted;
  readonly #logs: LogWatcher;
  readonly #bell: BellReader;
  readonly #bellFile: FileWatcher;
  #isRung = false;
  #isTold = false;
  #journal = "";
  #looked = Number.NEGATIVE_INFINITY;
  #lookMs = 0;
  #wake: () => void = nothing;

  constructor(from: Hinted) {
    const { context, store } = from;
    const { disk, layout } = context;
    this.#from = from;
    const names = (part: string): string[] => (part === "tasks" ? store.names() : store.archivedNames());
    const parts = { tasks: layout.tasks, archive: layout.archive };
    this.#logs = new LogWatcher(disk, layout.coco, parts, names, () => this.tell());
    this.#bell = new BellReader(disk, layout.bell);
    this.#bellFile = new FileWatcher(disk, layout.bell, () => {
      this.#isRung = true;
      this.tell();
    });
  }

  /** Ends a pause, or the next one at once. */
  tell(): void {
    this.#isTold = true;
    this.#wake();
  }

  /** Until something may have changed, or a look at all logs is due. */
  pause(): Promise<void> {
    const ms = this.#looked + this.#interval - performance.now();
    return new Promise((done) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wake = nothing;
        this.#isTold = false;
        done();
      };
      const timer = setTimeout(end, Math.max(0, ms));
      this.#wake = end;
      if (this.#isTold) end();
    });
  }

  take(): DueLogs {
    // All of them each time: each keeps what it saw last.
    const rung = this.#isRung ? this.#bell.read() : [];
    this.#isRung = false;
    const isDue = this.#logs.mustLook || performance.now() - this.#looked >= this.#interval;
    if (isDue || rung === null || this.#isJournalOther()) return this.#all();
    return [...new Set([...rung, ...this.#logs.take()])];
  }

  /** So long the look at all logs took that `take` asked for. */
  tookMs(ms: number): void {
    this.#lookMs = ms;
  }

  close(): void {
    this.#logs.close();
    this.#bellFile.close();
    this.#wake();
  }

  get #interval(): number {
    return this.#logs.intervalAfter(this.#lookMs);
  }

  /** Watches begin before the look: what is written after it is told. */
  #all(): DueLogs {
    this.#bellFile.look();
    this.#bell.read();
    if (this.#from.size() > MOST_WATCHED) this.#logs.close();
    else this.#logs.look();
    this.#logs.take();
    this.#looked = performance.now();
    return "all";
  }

  /** Lines that are accepted and not yet in their logs count as being there (TXN-5). */
  #isJournalOther(): boolean {
    const before = this.#journal;
    this.#journal = this.#from.journal.pending().join(" ");
    return before !== this.#journal;
  }
}

const nothing = (): void => undefined;
