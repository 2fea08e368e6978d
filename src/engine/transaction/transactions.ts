/** The transactions of one open workspace: those it makes, and those that somebody left unfinished. */
import { storageError } from "../../files/storage_error.ts";
import type { CreateIndex } from "../listing/create_index.ts";
import type { DirtyMarks } from "../commit/dirty.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { IdNumbers } from "../listing/id_numbers.ts";
import type { CheckedCall, Job, CallResult } from "../entity/job.ts";
import { Journal } from "./journal.ts";
import type { Readable } from "../entities/readable.ts";
import type { Lock } from "../core/lock.ts";
import { rollForward } from "./roll_forward.ts";
import type { Transacting } from "./transact.ts";
import { transact } from "./transact.ts";
import { callsOf } from "./txn_plan.ts";

type Source = Readable & Pick<Transacting, "people">;

interface TxnDeps extends Pick<Transacting, "style" | "isBound" | "bind" | "caughtUp" | "project"> {
  creates: CreateIndex;
  numbers: IdNumbers;
  dirty: DirtyMarks;
  /** The live entity of that id, its folder where its log says. */
  placed: (id: string) => Promise<LoadedEntity | undefined>;
}

export class Transactions {
  readonly #from: Source;
  readonly #means: TxnDeps;
  readonly journal: Journal;
  readonly #under = new Set<Promise<unknown>>();
  /** What this process is finishing at this moment. */
  #rolling: Promise<void> | null = null;

  constructor(from: Source, means: TxnDeps) {
    this.#from = from;
    this.#means = means;
    this.journal = new Journal(from.world);
  }

  /** Whether the tool says that this one is an ordinary call: told at once, so that it keeps its turn among others. */
  isOrdinary(call: CheckedCall): boolean {
    if (call.tool.effect === "txn") return false;
    try {
      return callsOf(this.#from, call, () => "") === null;
    } catch {
      // Refused or not, that is for `run` to say: a repeated call is answered before anything is refused.
      return false;
    }
  }

  /** Null: the tool says that this one is an ordinary call. */
  async run(call: CheckedCall, key: Job["key"]): Promise<CallResult | null> {
    // What is under way may be the very call that is repeated here.
    await this.recover(call.workspace);
    const work = transact(this.#transacting(), call, key);
    this.#under.add(work);
    try {
      return await work;
    } finally {
      this.#under.delete(work);
    }
  }

  /**
   * Finishes what transactions that were cut off left in the journal. One look, and nothing to wait for, where there is
   * nothing. `again`: also what could not be finished before. Every call that comes while one is being finished waits for it,
   * whichever call began that: the lines are not in their logs yet, and what is written before them would be a branch.
   */
  recover(workspace: string, { again = false } = {}): Promise<void> | null {
    if (this.#rolling)
      return again ? this.#rolling.then(async () => void (await this.recover(workspace, { again }))) : this.#rolling;
    const due = again ? this.journal.pending() : this.journal.due();
    if (due.length === 0) return null;
    this.#rolling = this.#rollForward(due, workspace).finally(() => (this.#rolling = null));
    return this.#rolling;
  }

  /** A lock, held while nothing is left in the journal that could be finished. */
  async lockRecovered(workspace: string, take: () => Promise<Lock>): Promise<Lock> {
    for (;;) {
      const lock = await take();
      try {
        const left = this.recover(workspace);
        if (left === null) return lock;
        lock.release();
        await left;
      } catch (e) {
        lock.release();
        throw storageError(e, "finish a transaction");
      }
    }
  }

  /** Waits for those under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#under);
  }

  async #rollForward(due: readonly string[], workspace: string): Promise<void> {
    const { world, store } = this.#from;
    const { dirty, project, placed } = this.#means;
    const writing = (id: string): void => dirty.mark(id);
    const ids = await rollForward({ world, store, journal: this.journal, writing }, due);
    for (const id of ids) {
      const handle = await placed(id);
      if (handle?.catchUp() && world.projections === "batch") await project(handle, workspace);
    }
  }

  #transacting(): Transacting {
    const { world, store, entities, bases, listing, people } = this.#from;
    const { creates, numbers, dirty, placed: _placed, ...means } = this.#means;
    return {
      ...means,
      settled: (workspace, take) => this.lockRecovered(workspace, take),
      world,
      store,
      entities,
      bases,
      listing,
      people,
      numbers,
      journal: this.journal,
      index: creates,
      writing: (id) => dirty.mark(id),
      made: (id, key) => {
        creates.made(id, key);
        numbers.made(id);
        const handle = store.add(id);
        handle.catchUp();
        return handle;
      },
      wrote: (handle) => store.wrote(handle),
    };
  }
}
