/** Step 4 of the door (change.ts), for calls that share a lock and a write. Each is decided on the state after those before it. */
import type { Warning } from "../../errors.ts";
import type { EngineContext } from "../core/context.ts";
import type { Entities } from "../entities/entities.ts";
import type { Job, Unchanged } from "../entity/job.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { refuseAway, refuseDeleted } from "../entity/writable.ts";
import type { BatchHead, StagedJob } from "./decide.ts";
import { decideAndSeal, expectedNow } from "./decide.ts";
import { checkSameInput } from "./replayed.ts";
import type { SystemOpParts } from "./system_ops.ts";
import { systemOpsOf } from "./system_ops.ts";

/** Most bytes that share a write: what one lock holder may keep others waiting for. */
const MAX_BYTES = 4 * 1024 * 1024;

export interface DecideParts extends SystemOpParts {
  readonly context: EngineContext;
  readonly entities: Entities;
}

/** Calls that were decided together, by their outcome. */
export interface Decided {
  staged: StagedJob[];
  /** They had nothing to change. */
  unchanged: Unchanged[];
  /** Their key was used before. */
  again: Job[];
  failed: { job: Job; error: unknown }[];
  /** There was no room for them. */
  later: Job[];
  noticed: Warning[];
}

/** Call while holding the lock of the entity, which is caught up. */
export function decideBatch(parts: DecideParts, loaded: LoadedEntity, jobs: readonly Job[]): Decided {
  const { report } = loaded;
  const staged: StagedJob[] = [];
  const unchanged: Unchanged[] = [];
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
      if (job.tool.archive === "from") refuseDeleted(loaded.entity!, loaded.id);
      else refuseAway(loaded.entity!, loaded.id, workspace);
      const one = decideAndSeal(parts.context, around, loaded, head, job, seen);
      if (!one.op) {
        unchanged.push(one);
        continue;
      }
      if (size > 0 && size + one.bytes.length > MAX_BYTES) {
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
  return { staged, unchanged, again, failed, later, noticed };
}
