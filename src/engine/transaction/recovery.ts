/** Finishes what transactions that were cut off left in the journal, once in this process for all calls that come meanwhile. */
import { storageError } from "../../files/storage_error.ts";
import { projectById } from "../archive/project_entity.ts";
import type { Restoring } from "../archive/restore.ts";
import { recoveredEntity } from "../archive/restore.ts";
import type { Lock } from "../core/lock.ts";
import { takeLocks } from "../core/lock.ts";
import type { Journal } from "../commit/journal.ts";
import { putOwnParts, rollForward } from "./roll_forward.ts";

interface RecoveryParts extends Restoring {
  readonly journal: Journal;
}

export class Recovery {
  readonly #parts: RecoveryParts;
  /** Transactions that this process is finishing at this moment. */
  #rolling: Promise<void> | null = null;

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
  }

  /**
   * Finishes pending transactions. Where there are none, costs one look and returns null. `again`: also those that could not be
   * finished before. A call that comes meanwhile waits: a write before their lines would be a branch. `isTried`: this call has tried.
   */
  recover(workspace: string, { again = false, isTried = false } = {}): Promise<void> | null {
    if (this.#rolling)
      return again ? this.#rolling.then(async () => void (await this.recover(workspace, { again }))) : this.#rolling;
    const { journal } = this.#parts;
    const due = again ? journal.pending() : journal.due(isTried);
    return due.length === 0 ? null : this.#begin(due, workspace, { waits: again });
  }

  #begin(due: readonly string[], workspace: string, how: { waits: boolean }): Promise<void> {
    this.#rolling = this.#rollForward(due, workspace, how).finally(() => (this.#rolling = null));
    return this.#rolling;
  }

  /**
   * Locks, held while nothing is left in the journal that could be finished. A promise only where there is something to wait for.
   * `meanwhile`: done while another process has the lock.
   */
  lockRecovered(
    workspace: string,
    names: readonly string[],
    meanwhile?: () => void,
    isTried = false,
  ): Lock | Promise<Lock> {
    const lock = takeLocks(this.#parts.context, names, meanwhile);
    const unlessLeft = (taken: Lock): Lock | Promise<Lock> =>
      this.#unlessLeft({ workspace, names, isTried }, taken, () =>
        this.lockRecovered(workspace, names, meanwhile, true),
      );
    return lock instanceof Promise ? lock.then(unlessLeft) : unlessLeft(lock);
  }

  #unlessLeft(
    { workspace, names, isTried }: { workspace: string; names: readonly string[]; isTried: boolean },
    lock: Lock,
    again: () => Lock | Promise<Lock>,
  ): Lock | Promise<Lock> {
    let due: readonly string[] = [];
    try {
      if (this.#rolling === null) {
        due = this.#parts.journal.due(isTried);
        if (due.length === 0) {
          // The lines that are accepted already stand before those of this call.
          for (const left of this.#parts.journal.left()) putOwnParts(this.#parts, left, names);
          return lock;
        }
      }
    } catch (e) {
      lock.release();
      throw storageError(e, "look for transactions");
    }
    // First: the recovery takes these locks as well, and waits for none if another process had them for long before.
    lock.release();
    const left = this.#rolling ?? this.#begin(due, workspace, { waits: false });
    return left.then(again, (e: unknown) => {
      throw storageError(e, "finish a transaction");
    });
  }

  async #rollForward(due: readonly string[], workspace: string, how: { waits: boolean }): Promise<void> {
    const { context } = this.#parts;
    for (const id of await rollForward(this.#parts, due, how))
      // Several calls may wait for this: the one that is answered next tells.
      if (context.projections === "batch") context.notices.push(...(await projectById(this.#parts, id, workspace)));
      else await recoveredEntity(this.#parts, id);
  }
}
