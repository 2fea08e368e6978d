/**
 * Calls that change one entity, in turn: steps 2 to 7 of the door (engine.ts). Calls of this process that come while one is written share
 * the next lock, write, sync and rendering.
 */
import type { Warning } from "../errors.ts";
import { isAway } from "../state/archive.ts";
import type { ProjectParts } from "./archive/project_entity.ts";
import { projectEntity } from "./archive/project_entity.ts";
import type { CommitParts, Committed } from "./commit/commit.ts";
import { commit } from "./commit/commit.ts";
import { replayed, syncReplayed } from "./commit/replayed.ts";
import type { Lock } from "./core/lock.ts";
import type { Job } from "./entity/job.ts";
import type { LoadedEntity } from "./entity/loaded_entity.ts";
import type { SharedWrites } from "./commit/shared_writes.ts";
import type { Recovery } from "./transaction/recovery.ts";

/** Most jobs that share a write: what one lock holder may keep others waiting for. */
const MOST_JOBS = 64;
const NONE: Warning[] = [];

export interface QueueParts extends Omit<CommitParts, "logs">, ProjectParts {
  recovery: Recovery;
  /** Where several machines write. */
  shared: SharedWrites | undefined;
}

export class WriteQueue {
  readonly #parts: QueueParts;
  readonly #loaded: LoadedEntity;
  readonly #waiting: Job[] = [];
  #running = false;

  constructor(parts: QueueParts, loaded: LoadedEntity) {
    this.#parts = parts;
    this.#loaded = loaded;
  }

  /** Takes its turn; calls made in the same tick go out together. */
  submit(job: Job): void {
    this.#waiting.push(job);
    if (this.#running) return;
    this.#running = true;
    // A resolved promise and not queueMicrotask, which makes an async resource for each call.
    void Promise.resolve().then(this.#run);
  }

  readonly #run = async (): Promise<void> => {
    while (this.#waiting.length > 0) {
      const jobs = this.#waiting.splice(0, MOST_JOBS);
      try {
        await this.#batch(jobs);
      } catch (e) {
        for (const job of jobs) job.fail(e);
      }
    }
    this.#running = false;
  };

  async #batch(jobs: Job[]): Promise<void> {
    const { context, logs, store, shared } = this.#parts;
    const loaded = this.#loaded;
    const { workspace } = jobs[0]!;
    const taken = shared ? this.#share(shared, workspace, jobs) : this.#commit(workspace, jobs);
    const done = taken instanceof Promise ? await taken : taken;
    const { staged, again, failed, later, written, noticed } = done;
    for (const { job, error } of failed) job.fail(error);
    for (const job of later) jobs.splice(jobs.indexOf(job), 1);
    if (later.length > 0) this.#waiting.unshift(...later);
    // 5 append, second half: durable, and there by path
    if (written) {
      const waiting = logs.finish(written, this.#waiting.length === 0);
      if (waiting) await waiting;
    } else if (again.length > 0) {
      // With `group` the writer's own sync is on its way.
      if (context.durability === "group") context.bell.ring(loaded.folder);
      else syncReplayed(context, loaded, again);
    }
    // 6 project
    const projects = written && context.projections === "batch" && !this.#isHeld(jobs);
    const projected = projects ? await projectEntity(this.#parts, loaded, workspace) : NONE;
    if (written) store.snapshots.saveIfDue(loaded);
    const warnings = noticed.length + projected.length === 0 ? NONE : [...noticed, ...projected];
    // 7 reply
    for (const { job, outcome } of staged) {
      // The engine's own have no caller that waits.
      job.done(warnings.length === 0 ? outcome : { ...outcome, warnings: [...outcome.warnings, ...warnings] });
    }
    for (const job of again) this.#replyAgain(job);
  }

  /** 2 lock, 3 catch up, 4 decide, 5 append. */
  #commit(workspace: string, jobs: readonly Job[]): Committed | Promise<Committed> {
    const loaded = this.#loaded;
    // A lone caller waits for nothing: each await costs a turn of the queue. While another process has the lock, most of its lines
    // can be read already.
    const taken = this.#parts.recovery.lockRecovered(workspace, [loaded.id], () => void loaded.catchUp());
    return taken instanceof Promise ? taken.then((lock) => this.#locked(lock, jobs)) : this.#locked(taken, jobs);
  }

  #locked(lock: Lock, jobs: readonly Job[]): Committed {
    try {
      return commit(this.#parts, this.#loaded, jobs);
    } finally {
      // Before the sync: others write meanwhile, and a later sync covers these bytes too.
      lock.release();
    }
  }

  #share(shared: SharedWrites, workspace: string, jobs: readonly Job[]): Promise<Committed> {
    return shared.write(workspace, [this.#loaded.id], (logs) => commit({ ...this.#parts, logs }, this.#loaded, jobs));
  }

  /** Whether all who call write the files themselves, later. The folder of one that goes to the archive is moved at once. */
  #isHeld(jobs: readonly Job[]): boolean {
    const { entity } = this.#loaded;
    if ((entity && isAway(entity)) || !jobs.every((job) => job.caller.held)) return false;
    for (const job of jobs) job.caller.held!.add(this.#loaded);
    this.#parts.projector.held(this.#loaded);
    return true;
  }

  /** A key that was used before, now that the op is durable. */
  #replyAgain(job: Job): void {
    try {
      job.done(replayed(this.#parts.entities.around(job.workspace), this.#loaded, job));
    } catch (e) {
      job.fail(e);
    }
  }
}
