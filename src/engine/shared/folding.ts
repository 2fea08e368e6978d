/** Folds the files of what other machines changed, a little later: a message is seldom alone. */
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { projectById } from "../archive/project_entity.ts";
import { recoveredEntity } from "../archive/restore.ts";
import type { EngineParts } from "../parts.ts";
import { unwaited } from "../core/unwaited.ts";
import { renameOutputs } from "./outputs.ts";
import { presentIn } from "./log_home.ts";

const FOLD_MS = 25;

export class Folding {
  readonly #parts: EngineParts;
  readonly #due = new Set<string>();
  #cancel: (() => void) | null = null;
  #working: Promise<void> | null = null;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Entities whose changes dead processes of this machine applied and did not fold. */
  addStale(): void {
    this.#parts.dirty.takeOver();
    this.add(this.#parts.dirty.takeStale());
  }

  add(ids: readonly string[]): void {
    if (ids.length === 0 || this.#parts.context.projections !== "batch") return;
    for (const id of ids) this.#due.add(id);
    this.#cancel ??= this.#parts.context.runtime.after(FOLD_MS, () =>
      unwaited(this.#parts.context, "PROJECTION_FAILED", () => this.finish()),
    );
  }

  /** Everything that was added is folded when this returns. */
  async finish(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    while (this.#working) await this.#working;
    if (this.#due.size === 0) return;
    this.#working = this.#fold().finally(() => (this.#working = null));
    await this.#working;
  }

  async #foldOne(id: string, workspace: string): Promise<Warning[]> {
    await recoveredEntity(this.#parts, id);
    const loaded = presentIn(this.#parts, id);
    const warnings: Warning[] = [];
    try {
      if (loaded?.entity) await renameOutputs(this.#parts, loaded);
    } finally {
      warnings.push(...(await projectById(this.#parts, id, workspace)));
    }
    return warnings;
  }

  async #fold(): Promise<void> {
    const workspace = this.#parts.binding?.workspace ?? "";
    for (const id of this.#due) {
      this.#due.delete(id);
      try {
        // No call waits for this: the next one tells.
        this.#parts.context.notices.push(...(await this.#foldOne(id, workspace)));
      } catch (e) {
        // The log has it. The next write, the next process or a rebuild folds it.
        this.#parts.dirty.projected(id, false);
        if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
        this.#parts.context.notices.push({ code: "PROJECTION_FAILED", message: (e as Error).message });
      }
    }
  }
}
