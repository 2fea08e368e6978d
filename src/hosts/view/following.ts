/** Follows the shared log while pages are served: what other machines write comes into the folder, where the pages see it (VIEWER-70). */
import type { SharedAccess } from "../../engine/shared/shared_access.ts";
import { isTaskfoldError } from "../../errors.ts";
import type { SharedSide } from "../../views/viewer/api.ts";
import { pause } from "./pause.ts";

/** Milliseconds between two looks. Changes come without one: a look finds out whether the shared log can still be asked. */
const LOOK_MS = 5000;

export class Following {
  readonly #shared: Pick<SharedAccess, "catchUp" | "fetch" | "status">;
  readonly #log: (message: string) => void;
  readonly #ended = new AbortController();
  #side: SharedSide | null = null;

  constructor(shared: Pick<SharedAccess, "catchUp" | "fetch" | "status">, log: (message: string) => void) {
    this.#shared = shared;
    this.#log = log;
  }

  /** Null until the first look has its answer. */
  get side(): SharedSide | null {
    return this.#side;
  }

  /** Fetches what events of this plan or task name and this machine lacks. The pages say of what no server gives that it is not here. */
  async fetch(id: string): Promise<void> {
    if (this.#side === "away") return;
    try {
      await this.#shared.fetch(id);
    } catch (e) {
      if (!isTaskfoldError(e)) throw e;
    }
  }

  /** `tell` hears of each change of `side`. */
  async run(tell: () => Promise<void>): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const why = await this.#look();
      if (signal.aborted) return;
      const side = why === undefined ? "followed" : "away";
      if (side === "away" && this.#side !== "away") this.#log(`pages show what this machine has. ${why}`);
      if (side === "followed" && this.#side === "away") this.#log("pages follow the shared log again.");
      const isOther = side !== this.#side;
      this.#side = side;
      if (isOther) await tell();
      await pause(LOOK_MS, signal);
    }
  }

  end(): void {
    this.#ended.abort();
  }

  /** Why the shared log is not followed; undefined where it is. */
  async #look(): Promise<string | undefined> {
    try {
      if (await this.#shared.catchUp()) return undefined;
      // In mode strict this throws the reason.
      const { trouble } = await this.#shared.status();
      return trouble?.message ?? "No server answers.";
    } catch (e) {
      return e instanceof Error ? e.message : String(e);
    }
  }
}
