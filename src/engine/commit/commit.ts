/**
 * Steps 3 to 5 of the door (engine.ts) for calls that change one entity: catch up, decide, append. An ordinary change is a transaction of one
 * part; calls that share a lock share one write and one sync.
 */
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import type { EngineContext } from "../core/context.ts";
import type { Entities } from "../entities/entities.ts";
import type { Job } from "../entity/job.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { refuseAway, refuseDeleted, refuseUnwritable } from "../entity/writable.ts";
import type { BatchHead, StagedJob } from "./decide.ts";
import { decideAndSeal, expectedNow } from "./decide.ts";
import type { Written } from "./log_writer.ts";
import { checkSameInput } from "./replayed.ts";
import type { Appender } from "./shared_writes.ts";
import type { SystemOpParts } from "./system_ops.ts";
import { systemOpsOf } from "./system_ops.ts";

/** Most bytes that share a write: what one lock holder may keep others waiting for. */
const MOST_BYTES = 4 * 1024 * 1024;
const ATTEMPTS = 5;

export interface CommitParts extends SystemOpParts {
  readonly context: EngineContext;
  readonly entities: Entities;
  readonly logs: Appender;
}

/** Calls that were decided together, by their outcome. */
interface Decided {
  staged: StagedJob[];
  /** Their key was used before. */
  again: Job[];
  failed: { job: Job; error: unknown }[];
  /** There was no room for them. */
  later: Job[];
  noticed: Warning[];
}

export interface Committed extends Decided {
  written: Written | null;
}

/** Call while holding the entity's lock, with nothing left in the journal. The second half of step 5 is the caller's, after the lock. */
export function commit(parts: CommitParts, loaded: LoadedEntity, jobs: readonly Job[]): Committed {
  const { workspace } = jobs[0]!;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // 3 catch up
    parts.logs.repairUnsynced(loaded);
    if (!loaded.catchUp()) parts.entities.gone(loaded, workspace);
    refuseUnwritable(loaded);
    // 4 decide
    const { heads } = loaded.report;
    const { staged, again, failed, later, noticed } = decide(parts, loaded, jobs);
    // 5 append
    const written = staged.length === 0 ? null : append(parts.logs, loaded, heads, staged);
    // Key by key: to spread it costs a microsecond.
    if (written !== "moved") return { staged, again, failed, later, noticed, written };
  }
  throw new TaskfoldError(
    "STORAGE_FAILED",
    `Expected the log of ${loaded.id} to stay in place while it is written, but it is being replaced over and over.`,
    {
      recovery: "Call again when git or the other program is done.",
    },
  );
}

function decide(parts: CommitParts, loaded: LoadedEntity, jobs: readonly Job[]): Decided {
  const { report } = loaded;
  const staged: StagedJob[] = [];
  const again: Job[] = [];
  const failed: { job: Job; error: unknown }[] = [];
  const later: Job[] = [];
  let size = 0;
  let head: BatchHead = { heads: report.heads, seq: report.seq, ops: report.ops, offset: report.offset };
  const { workspace } = jobs[0]!;
  const { jobs: own, warnings: noticed } = systemOpsOf(parts, loaded, workspace);
  const all = own.length === 0 ? jobs : [...own, ...jobs];
  const around = parts.entities.around(workspace);
  // A caller expects the state that it saw, and no caller saw the engine's own ops of this write.
  let seen = own.length > 0 ? expectedNow(loaded) : undefined;
  for (const job of all) {
    // Behind one that found no room: calls keep their order.
    if (later.length > 0) {
      later.push(job);
      continue;
    }
    const used = job.key && loaded.keys.get(job.key.key);
    try {
      if (used) {
        checkSameInput(job, used);
        again.push(job);
        continue;
      }
      // For each call: one before it in the batch may have deleted the entity. A repeated call is answered all the same.
      if (job.tool.fromArchive) refuseDeleted(loaded.entity!, loaded.id);
      else refuseAway(loaded.entity!, loaded.id, workspace);
      const one = decideAndSeal(parts.context, around, loaded, head, job, seen);
      if (size > 0 && size + one.bytes.length > MOST_BYTES) {
        one.undo();
        later.push(job);
        continue;
      }
      if (!own.includes(job)) {
        size += one.bytes.length;
        seen = undefined;
      }
      head = one.head;
      staged.push(one);
    } catch (error) {
      failed.push({ job, error });
    }
  }
  // The engine's own ops go on the way of a caller's, never by themselves.
  if (staged.length <= own.length && staged.every(({ job }) => own.includes(job)))
    for (const one of staged.splice(0).toReversed()) one.undo();
  return { staged, again, failed, later, noticed };
}

function append(logs: Appender, loaded: LoadedEntity, prev: readonly string[], staged: StagedJob[]): Written | "moved" {
  try {
    return logs.append([{ loaded, made: false, prev, staged }]);
  } catch (e) {
    throw storageError(e, `append to the log of ${loaded.id}`);
  }
}
