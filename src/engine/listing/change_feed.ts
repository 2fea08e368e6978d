/**
 * Which logs a reader has to look at again (spec/freshness.md). Writers of ours name theirs in the bell, and git shows
 * in its index. Other programs are found by a look at everything, as rarely as the rules allow. Each reader has a feed
 * of its own.
 */
import { ChangeSigns } from "./change_signs.ts";
import type { EngineContext } from "../core/context.ts";

/** Below so many plans and tasks a reader looks at all of them each time: that costs a few milliseconds and misses no program. */
const ALWAYS_LOOKED_AT = 2000;
/** Milliseconds between two looks at everything, at least. */
const LOOK_MS = 1000;
/** A look takes at most so small a part of the time. */
const SHARE = 20;

export interface Changes {
  /** "all", or the keys (`tasks/<id>`, `archive/<id>`) of logs that may be another than before; the log may be gone, too. */
  changed: "all" | ReadonlySet<string>;
  /** Milliseconds since 1970: what other programs wrote before that is known with this call's changes. */
  as_of: number;
}

interface WholeLook {
  startedAt: number;
  ms: number;
  entities: number;
  /** By the clock that never jumps. */
  began: number;
  ended: number;
}

interface FeedOptions {
  alwaysBelow?: number;
  lookMs?: number;
  /** Every writer rings the bell that stands there at first. */
  trustFirst?: boolean;
}

export class ChangeFeed {
  readonly #world: EngineContext;
  readonly #signs: ChangeSigns;
  readonly #alwaysBelow: number;
  readonly #lookMs: number;
  #look: WholeLook | null = null;

  /** The options are for tests. */
  constructor(
    world: EngineContext,
    { alwaysBelow = ALWAYS_LOOKED_AT, lookMs = LOOK_MS, trustFirst = false }: FeedOptions = {},
  ) {
    this.#world = world;
    this.#signs = new ChangeSigns(world, trustFirst);
    this.#alwaysBelow = alwaysBelow;
    this.#lookMs = lookMs;
  }

  /**
   * Returns the logs that may have changed since the last call. Each key is given once: who cannot look at it now keeps
   * it. "all" is given until `looked` was called.
   */
  take(): Changes {
    // Before the reader looks: what comes later shows at the next call.
    const keys = this.#signs.read();
    if (!keys || !this.#isLookGood()) this.#look = null;
    if (!this.#look || !keys) return { changed: "all", as_of: this.#world.now() };
    return { changed: keys, as_of: this.#look.startedAt };
  }

  /** A look at everything was made after `take`: begun at `startedAt` by the workspace's clock, taking `ms`, finding so many. */
  looked(startedAt: number, ms: number, entities: number): void {
    const ended = performance.now();
    this.#look = { startedAt, ms, entities, began: ended - ms, ended };
  }

  /** Whether the last look at everything and the bell tell all together. */
  #isLookGood(): boolean {
    if (!this.#look) return false;
    const { ms, entities, began, ended } = this.#look;
    if (entities < this.#alwaysBelow || !this.#signs.isTrusted(began)) return false;
    return performance.now() - ended < Math.max(this.#lookMs, SHARE * ms);
  }
}
