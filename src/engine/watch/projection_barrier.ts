/**
 * Whether the files folded from a log show an op already. An op can be read before they do: its writer syncs it first, and
 * writes them then, `task.yaml` last of all (WATCH-10).
 */
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import { readRegular } from "../../files/atomic.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Runtime } from "../../runtime.ts";
import type { EngineContext } from "../core/context.ts";
import type { Placed } from "../entity/by_time.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";

/** Milliseconds that ops are waited for at most. */
const MAX_MS = 1000;

export class ProjectionBarrier {
  readonly #disk: Disk;
  readonly #runtime: Runtime;
  /**
   * By folder: what its files showed when they were waited for in vain. Until they show another moment, no caller waits
   * again.
   */
  readonly #left = new Map<string, number>();

  constructor({ disk, runtime }: Pick<EngineContext, "disk" | "runtime">) {
    this.#disk = disk;
    this.#runtime = runtime;
  }

  /** Waits until the files show every op of the page, or for so long that no process seems to write them. */
  async wait(page: readonly Placed[], pause: (ms: number) => Promise<void>, isOver: () => boolean): Promise<void> {
    const behind = new Map([...lastRevisions(page)].filter(([loaded, revision]) => !this.#isShown(loaded, revision)));
    const start = this.#runtime.uptime();
    for (let waited = 0; behind.size > 0 && waited < MAX_MS && !isOver(); waited = this.#runtime.uptime() - start) {
      await pause(Math.max(1, waited / 5));
      for (const [loaded, revision] of behind) if (this.#isShown(loaded, revision)) behind.delete(loaded);
    }
    for (const { folder } of behind.keys()) this.#left.set(folder, this.#revision(folder));
  }

  #isShown({ folder, log }: LoadedEntity, revision: number): boolean {
    const is = this.#revision(folder);
    if (is >= revision || this.#left.get(folder) === is) return true;
    // It went to the archive, files and all.
    return this.#disk.lstat(log.path) === undefined;
  }

  /** 0: that cannot be known. */
  #revision(folder: string): number {
    try {
      const text = readRegular(this.#disk, join(folder, TASK_FILE))?.toString("utf8") ?? "";
      return Number(/^revision: (\d{1,15})$/m.exec(text)?.[1] ?? 0);
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
      return 0;
    }
  }
}

/** Of each log whose end is on the page: the others are behind so far that their files are not. */
function lastRevisions(page: readonly Placed[]): Map<LoadedEntity, number> {
  return new Map(
    page
      .filter(({ loaded, op }) => loaded.report.heads.includes(op.last))
      .map(({ loaded }) => [loaded, loaded.report.ops]),
  );
}
