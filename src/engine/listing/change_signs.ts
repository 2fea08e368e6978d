/** Signs that folders changed, for one reader: the bell, git's index and HEAD, and rings that failed. */
import type { EngineContext } from "../core/context.ts";
import { BellReader } from "./bell_reader.ts";
import { gitSign } from "./git_index.ts";

export class ChangeSigns {
  readonly #world: Pick<EngineContext, "disk" | "layout" | "bell">;
  readonly #bell: BellReader;
  #git = "";
  #lost = 0;

  constructor(world: Pick<EngineContext, "disk" | "layout" | "bell">, trustFirst: boolean) {
    this.#world = world;
    this.#bell = new BellReader(world.disk, world.layout.bell, trustFirst);
  }

  /** Returns the keys rung since the last call; null where they do not tell all, and the reader has to look at everything. */
  read(): ReadonlySet<string> | null {
    // All three each time: what comes later shows at the next call.
    const keys = this.#bell.read();
    const isSwapped = this.#hasGitChanged();
    const isLost = this.#hasLost();
    return isSwapped || isLost ? null : keys;
  }

  /** Whether every writer rings, for a reader who looked at everything from this moment on. */
  isTrusted(lookedAt: number): boolean {
    return this.#bell.isTrusted(lookedAt);
  }

  #hasGitChanged(): boolean {
    const before = this.#git;
    this.#git = gitSign(this.#world.disk, this.#world.layout.root);
    return this.#git === "" || this.#git !== before;
  }

  #hasLost(): boolean {
    const before = this.#lost;
    this.#lost = this.#world.bell.lost;
    return this.#lost !== before;
  }
}
