/**
 * The writer of one entity: concurrent callers of this process share one lock, one write and one fdatasync. Steps 2 to
 * 7 of the door (engine.ts): lock, catch up, decide, append, project, reply.
 */
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import { isAway } from "../../state/archive.ts";
import type { Appended } from "./append_lines.ts";
import { appendLines } from "./append_lines.ts";
import { writeBlobs } from "./blobs.ts";
import { writeContents } from "../entity/contents.ts";
import { isEngineJob } from "../entity/system_op.ts";
import { Durable } from "./durable.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Job, WorkspaceLookup } from "../entity/job.ts";
import { waitFor, type Lock } from "../core/lock.ts";
import { confirmWritten } from "./read_back.ts";
import { checkSameInput, replayed, syncReplayed } from "./replayed.ts";
import { expectedNow, decideAndSeal } from "./decide.ts";
import type { StagedJob, BatchHead } from "./decide.ts";
import { repairUnsynced, unsyncedFolder } from "./unsynced.ts";
import { refuseAway, refuseDeleted, refuseUnwritable } from "../entity/writable.ts";
import type { EngineContext } from "../core/context.ts";

/** Most jobs, and most bytes, that share a write: what one lock holder may keep others waiting for. */
const MOST_JOBS = 64;
const MOST_BYTES = 4 * 1024 * 1024;

export interface CommitHooks {
  around: WorkspaceLookup;
  /** Asked once per batch, under the lock, which is given back if there is something to wait for: what transactions left there. */
  recover: (workspace: string) => Promise<void> | null;
  /** Told once per batch, before anything is decided; gives the engine's own ops, and warnings for the callers. */
  collectSystemOps: (handle: LoadedEntity, workspace: string) => { jobs: Job[]; warnings: Warning[] };
  /** What to say when there is no log where one was; throws. */
  gone: (handle: LoadedEntity, workspace: string) => never;
  /** Step 6, told once per batch; gives the warnings for its callers. */
  project: (handle: LoadedEntity, workspace: string) => Promise<Warning[]>;
  /** Told instead of `project` where those who call write the files later. */
  leaveFiles: (handle: LoadedEntity) => void;
  /** Told once per batch that wrote, when nothing is left to do but to reply. */
  snapshotIfDue: (handle: LoadedEntity) => void;
  /** Told before bytes go out, and after. */
  markDirty: (handle: LoadedEntity) => void;
  wrote: (handle: LoadedEntity) => void;
}

const NONE: Warning[] = [];

interface Decided {
  staged: StagedJob[];
  /** Their key was used before. */
  again: Job[];
  failed: { job: Job; error: unknown }[];
  /** There was no room for them. */
  later: Job[];
  noticed: Warning[];
}

interface Batch extends Pick<Decided, "staged" | "again" | "noticed"> {
  written: Appended | null;
}

export class Committer {
  readonly #world: EngineContext;
  readonly #handle: LoadedEntity;
  readonly #hooks: CommitHooks;
  readonly #waiting: Job[] = [];
  readonly #unsynced: string;
  readonly #durable: Durable;
  #running = false;
  #idle: (() => void)[] = [];

  constructor(world: EngineContext, handle: LoadedEntity, hooks: CommitHooks) {
    this.#world = world;
    this.#handle = handle;
    this.#hooks = hooks;
    this.#unsynced = unsyncedFolder(world, handle.id);
    this.#durable = new Durable(world, handle);
  }

  /** Takes its turn; calls made in the same tick go out together. */
  submit(job: Job): void {
    this.#waiting.push(job);
    if (this.#running) return;
    this.#running = true;
    // A resolved promise and not queueMicrotask, which makes an async resource for each call.
    void Promise.resolve().then(this.#run);
  }

  /** False while something is waiting: with durability `group` also for its sync. */
  get isIdle(): boolean {
    return !this.#running && this.#durable.isSettled;
  }

  /** Resolves when nothing is waiting; with durability `group` also when all is synced. */
  async drain(): Promise<void> {
    if (this.#running) await new Promise<void>((done) => this.#idle.push(done));
    this.#durable.flush();
  }

  /** With durability `group`: syncs at once what waits for that, as its log is about to move. */
  syncNow(): void {
    this.#durable.flush();
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
    for (const done of this.#idle.splice(0)) done();
  };

  async #batch(jobs: Job[]): Promise<void> {
    const [world, handle] = [this.#world, this.#handle];
    // 2 lock
    // A caller who is alone waits for nothing on its way: each await costs a turn of the queue.
    let lock = world.locks().tryAcquire(handle.id) ?? (await this.#wait());
    for (let left = this.#unfinished(lock, jobs); left; left = this.#unfinished(lock, jobs)) {
      await left;
      lock = world.locks().tryAcquire(handle.id) ?? (await this.#wait());
    }
    let batch: Batch;
    try {
      batch = this.#underLock(jobs);
    } finally {
      // Before the sync: others write meanwhile, and whoever syncs later syncs these bytes too.
      lock.release();
    }
    const { staged, again, written, noticed } = batch;
    // 5 append, second half: durable, and there by path
    if (written) {
      const syncing = this.#durable.make(written.bytes, this.#waiting.length === 0);
      const isSame = syncing === null || (await syncing);
      if (!isSame || !handle.log.holds(written.offset, written.bytes))
        await confirmWritten(world, handle, written, staged);
    } else if (again.length > 0) {
      // With `group` the writer's own sync is on its way.
      if (world.durability === "group") world.bell.ring(handle.folder);
      else syncReplayed(world, handle, again);
    }
    // 6 project
    const projects = written && world.projections === "batch" && !this.#isHeld(jobs);
    const projected = projects ? await this.#hooks.project(handle, jobs[0]!.workspace) : NONE;
    if (written) this.#hooks.snapshotIfDue(handle);
    const warnings = noticed.length + projected.length === 0 ? NONE : [...noticed, ...projected];
    // 7 reply
    for (const { job, outcome } of staged) {
      // The engine's own have nobody who waits.
      job.done(warnings.length === 0 ? outcome : { ...outcome, warnings: [...outcome.warnings, ...warnings] });
    }
    for (const job of again) this.#replyAgain(job);
  }

  /** Whether all who call write the files themselves, later. The folder of one that goes to the archive is moved at once. */
  #isHeld(jobs: readonly Job[]): boolean {
    const { entity } = this.#handle;
    if ((entity && isAway(entity)) || !jobs.every((job) => job.caller.held)) return false;
    for (const job of jobs) job.caller.held!.add(this.#handle);
    this.#hooks.leaveFiles(this.#handle);
    return true;
  }

  #wait(): Promise<Lock> {
    const { locks, lockTimeoutMs: timeoutMs, now } = this.#world;
    // What the others wrote so far is most of what there is to catch up with.
    const meanwhile = (): void => void this.#handle.catchUp();
    return waitFor(locks(), this.#handle.id, { timeoutMs, now, meanwhile });
  }

  /** What a transaction left goes first, into whichever logs it belongs. */
  #unfinished(lock: Lock, jobs: Job[]): Promise<void> | null {
    try {
      const left = this.#hooks.recover(jobs[0]!.workspace);
      if (left) lock.release();
      return left;
    } catch (e) {
      lock.release();
      throw storageError(e, "look for transactions");
    }
  }

  #underLock(jobs: Job[]): Batch {
    const handle = this.#handle;
    for (let attempt = 0; attempt < 5; attempt++) {
      // 3 catch up
      repairUnsynced(this.#world, handle, this.#unsynced);
      if (!handle.catchUp()) this.#hooks.gone(handle, jobs[0]!.workspace);
      refuseUnwritable(handle);
      // 4 decide
      const { staged, again, failed, later, noticed } = this.#decide(jobs);
      // 5 append
      const written = staged.length === 0 ? null : this.#append(staged);
      if (written === "moved") continue;
      for (const { job, error } of failed) job.fail(error);
      // Not sooner: until here they may be decided again with the others, or refused with them.
      for (const job of later) jobs.splice(jobs.indexOf(job), 1);
      if (later.length > 0) this.#waiting.unshift(...later);
      // Key by key: to spread it costs a microsecond.
      return { staged, again, noticed, written };
    }
    throw new TaskfoldError(
      "STORAGE_FAILED",
      `Expected the log of ${handle.id} to stay in place while it is written, but it is being replaced over and over.`,
      {
        recovery: "Call again when git or the other program is done.",
      },
    );
  }

  #decide(jobs: readonly Job[]): Decided {
    const handle = this.#handle;
    const { report } = handle;
    const staged: StagedJob[] = [];
    const again: Job[] = [];
    const failed: { job: Job; error: unknown }[] = [];
    const later: Job[] = [];
    let size = 0;
    let tip: BatchHead = { heads: report.heads, seq: report.seq, ops: report.ops, offset: report.offset };
    const { workspace } = jobs[0]!;
    const { jobs: own, warnings: noticed } = this.#hooks.collectSystemOps(handle, workspace);
    const all = own.length === 0 ? jobs : [...own, ...jobs];
    // What a caller expects is the state it saw, and nobody saw the engine's own ops of this write.
    let seen = own.length > 0 ? expectedNow(handle) : undefined;
    for (const job of all) {
      // Behind one that found no room: calls keep their order.
      if (later.length > 0) {
        later.push(job);
        continue;
      }
      const used = job.key && handle.keys.get(job.key.key);
      try {
        if (used) {
          checkSameInput(job, used);
          again.push(job);
          continue;
        }
        // Here and not once for all: a call before it in the same batch may have deleted it, and a repeated call may still be answered.
        if (job.tool.fromArchive) refuseDeleted(handle.entity!, handle.id);
        else refuseAway(handle.entity!, handle.id, workspace);
        const one = decideAndSeal(this.#world, this.#hooks.around, handle, tip, job, seen);
        if (size > 0 && size + one.bytes.length > MOST_BYTES) {
          one.undo();
          later.push(job);
          continue;
        }
        if (!isEngineJob(job)) {
          size += one.bytes.length;
          seen = undefined;
        }
        tip = one.tip;
        staged.push(one);
      } catch (error) {
        failed.push({ job, error });
      }
    }
    // The engine's own ops go on the way of a caller's, never by themselves.
    if (staged.length <= own.length && staged.every((s) => isEngineJob(s.job)))
      for (const one of staged.splice(0).toReversed()) one.undo();
    return { staged, again, failed, later, noticed };
  }

  /** "moved": the file was replaced since it was looked at; everything is taken back and decided again. */
  #append(staged: StagedJob[]): Appended | "moved" {
    const handle = this.#handle;
    const takeBack = (): void => {
      for (const one of staged.toReversed()) one.undo();
    };
    let written: Appended | null;
    try {
      this.#hooks.markDirty(handle);
      for (const { blobs, contents } of staged) {
        writeBlobs(this.#world, handle, blobs);
        writeContents(this.#world, handle, contents);
      }
      written = appendLines(
        this.#world,
        handle,
        staged.map((s) => s.bytes),
      );
    } catch (e) {
      takeBack();
      throw storageError(e, `append to the log of ${handle.id}`);
    }
    if (!written) {
      takeBack();
      handle.forget();
      return "moved";
    }
    const { closing } = written;
    staged.forEach((one, i) => handle.appended(one.op, one.bytes.length + (i === 0 ? closing : 0)));
    this.#hooks.wrote(handle);
    return written;
  }

  /** A key that was used before, now that the op is durable. */
  #replyAgain(job: Job): void {
    try {
      job.done(replayed(this.#hooks.around, this.#handle, job));
    } catch (e) {
      job.fail(e);
    }
  }
}
