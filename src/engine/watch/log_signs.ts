/**
 * Signs that logs may have changed: watches on their folders, the notification file, and the time for a look at all of them. A watch of events
 * (watch.ts) and the viewer (log_hints.ts) read them. Each looks in its own way, and no log is read here.
 */
import { FileWatcher } from "../../files/file_watcher.ts";
import { LogWatcher } from "../../files/log_watcher.ts";
import type { Runtime } from "../../runtime.ts";
import type { EngineContext } from "../core/context.ts";
import type { Store } from "../entity/store.ts";
import { NotificationReader } from "../listing/notification_reader.ts";

export class LogSigns {
  readonly logs: LogWatcher;
  /** Names the logs that processes of ours changed, also where there are too many folders to watch. */
  readonly #notifications: NotificationReader;
  readonly #notificationsFile: FileWatcher;
  readonly #runtime: Runtime;
  #isRung = false;
  #isSignalled = false;
  #looked = Number.NEGATIVE_INFINITY;
  #lookMs = 0;
  #wake: () => void = nothing;

  constructor(context: EngineContext, store: Store, polling = false) {
    const { disk, layout, runtime } = context;
    this.#runtime = runtime;
    const names = (part: string): string[] => (part === "tasks" ? store.names() : store.archivedNames());
    const parts = { tasks: layout.tasks, archive: layout.archive };
    this.logs = new LogWatcher(disk, layout.coco, parts, names, () => this.tell(), polling);
    this.#notifications = new NotificationReader(context);
    this.#notificationsFile = new FileWatcher(disk, layout.notifications, () => {
      this.#isRung = true;
      this.tell();
    });
  }

  /** Ends a pause, or the next one at once. */
  tell(): void {
    this.#isSignalled = true;
    this.#wake();
  }

  /** Until something may have changed, or so many milliseconds; without a number until a look at all logs is due. */
  pause(ms = this.#looked + this.#interval - this.#runtime.uptime()): Promise<void> {
    return new Promise((done) => {
      const end = (): void => {
        cancel();
        this.#wake = nothing;
        this.#isSignalled = false;
        done();
      };
      const cancel = this.#runtime.after(Math.max(0, ms), end);
      this.#wake = end;
      if (this.#isSignalled) end();
    });
  }

  /** Keys of the logs that writers named since the last call; null where only a look tells. */
  notified(): Iterable<string> | null {
    if (!this.#isRung) return [];
    this.#isRung = false;
    return this.#notifications.read();
  }

  get isLookDue(): boolean {
    return this.logs.mustLook || this.#runtime.uptime() - this.#looked >= this.#interval;
  }

  /** A look at all logs. The notification file comes first: what is notified after it is read by itself. */
  lookBy(look: () => void): void {
    const start = this.#runtime.uptime();
    this.#notificationsFile.look();
    this.#notifications.read();
    look();
    this.#looked = this.#runtime.uptime();
    this.#lookMs = this.#looked - start;
  }

  /** The next look at all logs is due now. */
  lookNext(): void {
    this.#looked = Number.NEGATIVE_INFINITY;
  }

  /** So long the look took whose reader goes on with it by itself. */
  tookMs(ms: number): void {
    this.#lookMs = ms;
  }

  close(): void {
    this.logs.close();
    this.#notificationsFile.close();
    this.tell();
  }

  get #interval(): number {
    return this.logs.intervalAfter(this.#lookMs);
  }
}

const nothing = (): void => undefined;
