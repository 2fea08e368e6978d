/**
 * Which logs have to be looked at again (spec/freshness.md), for all that a process keeps of many plans and tasks. Writers of ours
 * name their logs in the notification file, and git shows in its index. A look at everything finds the writes of other programs
 * (files/look_again.ts says when).
 */
import { holdsFor } from "../../files/look_again.ts";
import type { EngineContext } from "../core/context.ts";
import { NotificationReader } from "./notification_reader.ts";
import { gitSign } from "../core/git_sign.ts";

/** "all", or the keys (`tasks/<id>`, `archive/<id>`) of logs that may be another than before; the log may be gone, too. */
export type Changed = "all" | ReadonlySet<string>;

interface FeedOptions {
  /** Milliseconds that a look at everything holds for at least. */
  lookMs?: number;
  /** Every writer appends to the notification file that stands there at first. */
  trustFirst?: boolean;
}

/** The signs of change, read once for all readers of a process: the notification file, git's index and HEAD, and notifications that failed. */
export class ChangeFeed {
  readonly lookMs: number;
  readonly #context: Pick<EngineContext, "disk" | "layout" | "notifications" | "runtime">;
  readonly #notifications: NotificationReader;
  readonly #readers: FeedReader[] = [];
  #git = "";
  #lost = 0;

  /** The options are for tests. */
  constructor(
    context: Pick<EngineContext, "disk" | "layout" | "notifications" | "runtime">,
    { lookMs = holdsFor("all"), trustFirst = false }: FeedOptions = {},
  ) {
    this.#context = context;
    this.#notifications = new NotificationReader(context, trustFirst);
    this.lookMs = lookMs;
  }

  /** Returns a reader that knows nothing yet. Among fewer entities than `alwaysBelow` it looks at everything each time. */
  reader({ alwaysBelow = 0 } = {}): FeedReader {
    const reader = new FeedReader(this, alwaysBelow);
    this.#readers.push(reader);
    return reader;
  }

  /** The state of git's index and HEAD when the signs were read last; empty if no reader may rely on it. */
  get git(): string {
    return this.#git;
  }

  uptime(): number {
    return this.#context.runtime.uptime();
  }

  /** Whether every writer notifies, for a reader that looked at everything from this moment on. */
  isTrusted(lookedAt: number): boolean {
    return this.#notifications.isTrusted(lookedAt);
  }

  /** Reads the signs and tells every reader. A later change shows at the next call. */
  read(): void {
    // All three each time: each keeps what it saw last.
    const keys = this.#notifications.read();
    const isSwapped = this.#hasGitChanged();
    const isLost = this.#hasLost();
    const changed = keys === null || isSwapped || isLost ? "all" : keys;
    if (changed !== "all" && changed.size === 0) return;
    for (const reader of this.#readers) reader.tell(changed);
  }

  #hasGitChanged(): boolean {
    const before = this.#git;
    this.#git = gitSign(this.#context, this.#context.layout.root);
    return this.#git === "" || this.#git !== before;
  }

  #hasLost(): boolean {
    const before = this.#lost;
    this.#lost = this.#context.notifications.lost;
    return this.#lost !== before;
  }
}

interface WholeLook {
  entities: number;
  /** By the clock that never jumps. */
  began: number;
  ended: number;
}

/** One reader of the feed, with the changes that it has not looked at yet. */
class FeedReader {
  readonly #feed: ChangeFeed;
  readonly #alwaysBelow: number;
  #unreported: "all" | Set<string> = "all";
  #look: WholeLook | null = null;

  constructor(feed: ChangeFeed, alwaysBelow: number) {
    this.#feed = feed;
    this.#alwaysBelow = alwaysBelow;
  }

  /** Keeps these changes until the reader asks. */
  tell(changed: Changed): void {
    if (changed === "all") this.#unreported = "all";
    else if (this.#unreported !== "all") for (const key of changed) this.#unreported.add(key);
  }

  /**
   * Returns the logs that may have changed since the last call. Each key is given once: a reader that cannot look at it
   * now keeps it. "all" is given until `looked` was called.
   */
  take(): Changed {
    this.#feed.read();
    const unreported = this.#unreported;
    if (unreported === "all") this.#look = null;
    this.#unreported = new Set();
    return this.#look && unreported !== "all" ? unreported : "all";
  }

  /**
   * Whether the last look at everything and the keys since then tell all. `isUnchanged`: another sign of the reader shows
   * that no program changed anything, so the age of the look does not count.
   */
  isFresh(isUnchanged = false): boolean {
    if (!this.#look || !this.#feed.isTrusted(this.#look.began)) return false;
    const { began, ended, entities } = this.#look;
    if (entities < this.#alwaysBelow) return false;
    return isUnchanged || this.#feed.uptime() - ended < Math.max(this.#feed.lookMs, holdsFor("all", ended - began));
  }

  /** Notes a look at everything that took `ms` until now and found so many. Call after `take`. */
  looked(ms: number, entities: number): void {
    const ended = this.#feed.uptime();
    this.#look = { entities, began: ended - ms, ended };
  }

  /** The next `take` gives "all". */
  forget(): void {
    this.#look = null;
  }
}

export type { FeedReader };
