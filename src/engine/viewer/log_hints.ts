/**
 * When the viewer looks at logs, and at which. Its rows find by the stat of each log what changed, and need no events. A watch of events
 * (watch.ts) reads the hash of each event at its start. Here a start costs the same for logs of any length.
 */
import { MAX_WATCHED } from "../../files/log_watcher.ts";
import type { Journal } from "../commit/journal.ts";
import type { EngineContext } from "../core/context.ts";
import type { Store } from "../entity/store.ts";
import { LogSigns } from "../watch/log_signs.ts";
import { Slices } from "./slices.ts";

interface Hinted {
  context: EngineContext;
  store: Store;
  journal: Journal;
  polling: boolean;
  /** How many logs there are. */
  size: () => number;
}

/** `all`: whichever; else `part/name` of logs that may have changed since the last call. */
export type DueLogs = "all" | readonly string[];

export class LogHints extends LogSigns {
  readonly #from: Hinted;
  #isBegun = false;
  #isClosed = false;
  #journal = "";

  constructor(from: Hinted) {
    super(from.context, from.store, from.polling);
    this.#from = from;
  }

  /** Begins the watches on all logs, where there are few enough: after the first rows, and in slices, so that no request waits for them. */
  async begin(): Promise<void> {
    if (this.#isBegun) return;
    this.#isBegun = true;
    if (this.#from.size() > MAX_WATCHED) return;
    const slices = new Slices(this.#from.context);
    for (const _ of this.logs.begin()) {
      await slices.pause();
      if (this.#isClosed) return;
    }
    // It finds what changed between the first rows and the watch of its folder.
    this.lookNext();
  }

  take(): DueLogs {
    // All of them each time: each keeps what it saw last.
    const [notified, isDue, isOther] = [this.notified(), this.isLookDue, this.#isJournalOther()];
    if (!isDue && notified !== null && !isOther) return [...new Set([...notified, ...this.logs.take()])];
    // After the first time watches begin before the look: what is written after it is told.
    this.lookBy(() => {
      if (this.#from.size() > MAX_WATCHED) this.logs.close();
      else if (this.#isBegun) this.logs.look();
    });
    this.logs.take();
    return "all";
  }

  override close(): void {
    this.#isClosed = true;
    super.close();
  }

  /** Lines that are accepted and not yet in their logs count as being there (TXN-5). */
  #isJournalOther(): boolean {
    const before = this.#journal;
    this.#journal = this.#from.journal.pending().join(" ");
    return before !== this.#journal;
  }
}
