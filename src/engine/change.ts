/**
 * The door (engine.ts) for calls that change one entity: steps 2 to 7, in one line. Calls that share a lock share one write, one sync
 * and one rendering. create.ts and transact.ts take the same steps for a new entity and for several.
 */
import type { Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import { isArchivedOrDeleted } from "../state/archive.ts";
import type { Restoring } from "./archive/restore.ts";
import { projectEntity } from "./archive/project_entity.ts";
import type { DecideParts, Decided } from "./commit/decide_batch.ts";
import { decideBatch } from "./commit/decide_batch.ts";
import { markBeside } from "./commit/log_writer.ts";
import type { Written } from "./commit/log_writer.ts";
import { replayed, syncReplayed } from "./commit/replayed.ts";
import type { Appender, SharedWrites } from "./commit/shared_writes.ts";
import { checkAccepted } from "./entity/binding.ts";
import type { RootBinding } from "./entity/binding.ts";
import type { Job } from "./entity/job.ts";
import type { LoadedEntity } from "./entity/loaded_entity.ts";
import { refuseUnwritable } from "./entity/writable.ts";
import type { Recovery } from "./transaction/recovery.ts";

/** How often a log may be replaced while it is written. */
const ATTEMPTS = 5;
const NONE: Warning[] = [];

export interface ChangeParts extends DecideParts, Restoring {
  root: RootBinding;
  recovery: Recovery;
  /** Where several machines write. */
  shared: SharedWrites | undefined;
}

/** Calls that were decided, and what is in the log of them. */
interface Appended extends Decided {
  written: Written | null;
}

/** Answers calls of one workspace. Those that found no room in the write are returned. `waiting`: other calls of this process, as they come. */
export async function change(
  parts: ChangeParts,
  loaded: LoadedEntity,
  jobs: readonly Job[],
  waiting: readonly Job[],
): Promise<readonly Job[]> {
  const { context, entities, logs, root, shared, store } = parts;
  const { workspace } = jobs[0]!;
  let taken = jobs;
  let later: readonly Job[] = [];
  try {
    // 1 validate, second half. Once for all of them: a look costs microseconds.
    root.look();
    checkAccepted(root.accepted, workspace);
    const appending = shared
      ? shared.write(workspace, [loaded.id], (into) => underLock(parts, into, loaded, jobs), firstOf(jobs))
      : locked(parts, loaded, jobs);
    // A lone caller waits for nothing: each await costs a turn of the queue.
    const done = appending instanceof Promise ? await appending : appending;
    const { staged, unchanged, again, failed, written, noticed } = done;
    for (const { job, error } of failed) job.fail(error);
    if (done.later.length > 0) {
      later = done.later;
      taken = jobs.filter((job) => !later.includes(job));
    }

    // 5 append, second half: durable, and there by path
    if (written) {
      const syncing = logs.finish(written, later.length + waiting.length === 0);
      if (syncing) await syncing;
    } else if (again.length > 0) {
      // With `group` the writer's own sync is on its way.
      if (context.durability === "group") context.notifications.notify(loaded.folder, markBeside(loaded));
      else syncReplayed(parts, loaded, again);
    }

    // 6 project. A call that is repeated may be the first to know that its change is in the log.
    const isDue = written !== null || (again.length > 0 && parts.dirty.mayBeBehind(loaded.id));
    const projects = isDue && context.projections === "batch" && !isHeld(parts, loaded, taken);
    const projected = projects ? await projectEntity(parts, loaded, workspace) : NONE;
    if (written) store.snapshots.saveIfDue(loaded);

    // 7 reply
    const warnings = noticed.length + projected.length === 0 ? NONE : [...noticed, ...projected];
    for (const { job, outcome } of staged) {
      // The engine's own have no caller that waits.
      job.done(warnings.length === 0 ? outcome : { ...outcome, warnings: [...outcome.warnings, ...warnings] });
    }
    for (const { job, outcome } of unchanged) job.done(outcome);
    for (const job of again) {
      // A key that was used before, now that the op is durable.
      try {
        job.done(replayed(entities.around(job.workspace), loaded, job));
      } catch (e) {
        job.fail(e);
      }
    }
  } catch (e) {
    for (const job of taken) job.fail(e);
  }
  return later;
}

function locked(parts: ChangeParts, loaded: LoadedEntity, jobs: readonly Job[]): Appended | Promise<Appended> {
  // 2 lock. While another process has the lock, most of its lines can be read already.
  const taken = parts.recovery.lockRecovered(jobs[0]!.workspace, [loaded.id], () => void loaded.catchUp());
  const withLock = (lock: { release: () => void }): Appended => {
    try {
      return underLock(parts, parts.logs, loaded, jobs);
    } finally {
      // Before the sync: others write meanwhile, and a later sync covers these bytes too.
      lock.release();
    }
  };
  return taken instanceof Promise ? taken.then(withLock) : withLock(taken);
}

/** Call while holding the entity's lock, with nothing left in the journal. */
function underLock(parts: ChangeParts, logs: Appender, loaded: LoadedEntity, jobs: readonly Job[]): Appended {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // 3 catch up
    logs.syncs.repair(loaded);
    if (!loaded.catchUp()) parts.entities.gone(loaded, jobs[0]!.workspace);
    // Looked at once, for both: each look costs microseconds.
    const live = parts.context.disk.lstat(parts.context.layout.tasks);
    refuseUnwritable(loaded, live);
    parts.context.notices.push(...parts.store.wentAway.look({ live }));

    // 4 decide
    const prev = loaded.report.heads;
    const { staged, unchanged, again, failed, later, noticed } = decideBatch(parts, loaded, jobs);

    // 5 append
    let written: Written | "moved" | null;
    try {
      written = staged.length === 0 ? null : logs.append([{ loaded, made: false, prev, staged }]);
    } catch (e) {
      throw storageError(e, `append to the log of ${loaded.id}`);
    }
    // Key by key: to spread it costs a microsecond.
    if (written !== "moved") return { staged, unchanged, again, failed, later, noticed, written };
  }
  throw new TaskfoldError(
    "STORAGE_FAILED",
    `Expected the log of ${loaded.id} to stay in place while it is written, but it is being replaced over and over.`,
    {
      recovery: "Call again when git or the other program is done.",
    },
  );
}

/** Whether all who call write the files themselves, later. The folder of one that goes to the archive is moved at once. */
function isHeld({ projector }: ChangeParts, loaded: LoadedEntity, jobs: readonly Job[]): boolean {
  const { entity } = loaded;
  if ((entity && isArchivedOrDeleted(entity)) || !jobs.every((job) => job.caller.held)) return false;
  for (const job of jobs) job.caller.held!.add(loaded);
  projector.held(loaded);
  return true;
}

/** When the first of their calls came in. */
function firstOf(jobs: readonly Job[]): number | undefined {
  const times = jobs.flatMap(({ since }) => since ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
