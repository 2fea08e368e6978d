/** Folds the files of what other machines changed, a little later: a message is seldom alone. */
import type { Warning } from "../../errors.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { projectEntity } from "../archive/project_entity.ts";
import { recoveredEntity } from "../archive/restore.ts";
import type { EngineParts } from "../parts.ts";
import { renameOutputs } from "./outputs.ts";

const FOLD_MS = 25;

export class Folding {
  readonly #parts: EngineParts;
  readonly #due = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> | null = null;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** Adds plans and tasks whose files a dead process of this machine left behind. */
  addStale(): void {
    this.#parts.dirty.takeOver();
    this.add(this.#parts.dirty.takeStale());
  }

  add(ids: readonly string[]): void {
    if (ids.length === 0 || this.#parts.context.projections !== "batch") return;
    for (const id of ids) this.#due.add(id);
    this.#timer ??= setTimeout(() => void this.finish(), FOLD_MS);
  }

  /** Everything that was added is folded when this returns. */
  async finish(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#working) await this.#working;
    if (this.#due.size === 0) return;
    const ids = [...this.#due];
    this.#due.clear();
    this.#working = this.#fold(ids).finally(() => (this.#working = null));
    await this.#working;
  }

  async #foldOne(id: string, workspace: string): Promise<Warning[]> {
    const { store, projector } = this.#parts;
    const wasArchived = store.hasArchived(id);
    const warnings: Warning[] = [];
    const live = await recoveredEntity(this.#parts, id);
    if (live?.catchUp() && live.entity) {
      await renameOutputs(this.#parts, live);
      warnings.push(...(await projectEntity(this.#parts, live, workspace)));
    }
    // Another machine may go on with what was deleted or put away here.
    const archived = wasArchived ? store.findArchived(id) : undefined;
    if (!archived?.catchUp() || !archived.entity) return warnings;
    projector.forget(archived);
    warnings.push(...(await projector.project(archived, workspace)));
    projector.forget(archived);
    return warnings;
  }

  async #fold(ids: readonly string[]): Promise<void> {
    const workspace = this.#parts.binding?.workspace ?? "";
    for (const id of ids) {
      try {
        // No call waits for this: the next one tells.
        this.#parts.context.notices.push(...(await this.#foldOne(id, workspace)));
      } catch (e) {
        // The log has it, and the next write or a rebuild folds it.
        if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
        this.#parts.context.notices.push({ code: "PROJECTION_FAILED", message: (e as Error).message });
      }
    }
  }
}
