/**
 * The largest number that an id of each kind has, live or archived. Listing ten thousand names takes as long as ten
 * creations, so it is remembered while both folders stand as they were when looked at last. Two changes in one tick of
 * the file system's clock look like one: the code that takes the next number checks that it is free.
 */
import type { Kind } from "../../state/entity.ts";
import { KINDS } from "../../state/entity.ts";
import type { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";

const PATTERN: Record<Kind, RegExp> = { plan: /^PLAN-(\d{1,9})(?:-|$)/i, task: /^TASK-(\d{1,9})(?:-|$)/i };

interface Newest {
  number: number;
  /** The live id with that number or the largest below it: the one that a creation cut off by a crash may have taken. */
  id: string | undefined;
}

export class IdNumbers {
  readonly #world: Pick<EngineContext, "disk" | "layout">;
  readonly #store: Store;
  readonly #newest: Record<Kind, Newest> = { plan: { number: 0, id: undefined }, task: { number: 0, id: undefined } };
  #seen: string | null = null;

  constructor(world: Pick<EngineContext, "disk" | "layout">, store: Store) {
    this.#world = world;
    this.#store = store;
  }

  /** Looks at both folders; true when another process changed them, so that the names were listed. */
  look(): boolean {
    const now = this.#signature();
    if (now === this.#seen) return false;
    const live = this.#store.names();
    const all = [...live, ...this.#store.archivedNames()];
    for (const kind of KINDS) {
      const number = all.reduce((most, id) => Math.max(most, numberOf(id, kind)), 0);
      const last = live.reduce((most, id) => Math.max(most, numberOf(id, kind)), 0);
      this.#newest[kind] = { number, id: live.find((id) => last > 0 && numberOf(id, kind) === last) };
    }
    this.#seen = now;
    return true;
  }

  newest(kind: Kind): Newest {
    return this.#newest[kind];
  }

  /** The next look lists the names, whatever the folders look like. */
  forget(): void {
    this.#seen = null;
  }

  /** An id was given after the last look, by this process and under the same lock. */
  made(id: string): void {
    if (this.#seen === null) return;
    for (const kind of KINDS) {
      const number = numberOf(id, kind);
      if (number >= this.#newest[kind].number && number > 0) this.#newest[kind] = { number, id };
    }
    this.#seen = this.#signature();
  }

  #signature(): string {
    const { disk, layout } = this.#world;
    const sign = (path: string): string => {
      const stat = disk.stat(path);
      return stat ? `${stat.dev} ${stat.ino} ${stat.mtimeMs} ${stat.ctimeMs}` : "none";
    };
    return `${sign(layout.tasks)} ${sign(layout.archive)}`;
  }
}

/** 12 of TASK-012 and TASK-012-k3f9; 0 of anything else. */
function numberOf(id: string, kind: Kind): number {
  return Number(PATTERN[kind].exec(id)?.[1] ?? 0);
}
