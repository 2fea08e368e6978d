/** When bytes that were appended count as kept: at once, together with others, or never by us (DUR rules). */
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { keepUnsynced } from "./unsynced.ts";
import type { EngineContext } from "../core/context.ts";

const GROUP_MS = 20;

export class Durable {
  readonly #world: EngineContext;
  readonly #handle: LoadedEntity;
  /** Written with durability `group` and not synced yet. */
  #pending: Buffer[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(world: EngineContext, handle: LoadedEntity) {
    this.#world = world;
    this.#handle = handle;
  }

  /**
   * A promise only where there is something to wait for: whether the file that was synced is still the one that is open.
   * `alone`: no other call of this process waits for its turn.
   */
  make(bytes: Buffer, alone: boolean): Promise<boolean> | null {
    if (this.#world.durability === "os") return null;
    if (this.#world.durability === "group") {
      this.#pending.push(bytes);
      this.#timer ??= setTimeout(() => this.#syncPending(), GROUP_MS);
      return null;
    }
    const failed = (e: unknown): never => {
      throw keepUnsynced(this.#world, this.#handle, bytes, e);
    };
    if (!alone) return this.#handle.log.sync().catch(failed);
    try {
      // Nobody has anything to do meanwhile, and the synchronous call is the faster one.
      this.#handle.log.syncNow();
      return null;
    } catch (e) {
      return failed(e);
    }
  }

  /** Whether nothing waits for a sync. */
  get isSettled(): boolean {
    return this.#timer === null;
  }

  /** Syncs what still waits for it. */
  flush(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#syncPending();
  }

  #syncPending(): void {
    this.#timer = null;
    const bytes = Buffer.concat(this.#pending.splice(0));
    try {
      this.#handle.log.syncNow();
    } catch (e) {
      // Nobody waits for this; the marker makes the next writer append the bytes again.
      keepUnsynced(this.#world, this.#handle, bytes, e);
    }
  }
}
