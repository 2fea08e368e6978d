/** Folds the files of what other machines changed, a little later: a message is seldom alone. */
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

  async #fold(ids: readonly string[]): Promise<void> {
    const workspace = this.#parts.binding?.workspace ?? "";
    for (const id of ids) {
      try {
        const loaded = await recoveredEntity(this.#parts, id);
        if (!loaded?.catchUp() || !loaded.entity) continue;
        await renameOutputs(this.#parts, loaded);
        // No call waits for this: the next one tells.
        this.#parts.context.notices.push(...(await projectEntity(this.#parts, loaded, workspace)));
      } catch (e) {
        // The log has it, and the next write or a rebuild folds it.
        if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
        this.#parts.context.notices.push({ code: "PROJECTION_FAILED", message: (e as Error).message });
      }
    }
  }
}
