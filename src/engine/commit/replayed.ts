/** A call whose idempotency key was used before: the result as it was at that op, and nothing is changed (ENG-2). */
import { TaskfoldError } from "../../errors.ts";
import { canonicalJson } from "../../log/canonical.ts";
import { flipsBefore } from "../entity/flips.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { KeyUse } from "../entity/snapshot.ts";
import type { Job, CallResult, WorkspaceLookup } from "../entity/job.ts";
import { pastOf } from "../entity/past.ts";
import { answer } from "./decide.ts";
import { stateAfter } from "../entity/state_at.ts";
import { markBeside } from "./log_writer.ts";
import type { Appender } from "./shared_writes.ts";
import { keepAside, unknownOutcome, unsyncedFolder } from "./unsynced.ts";
import type { EngineContext } from "../core/context.ts";
import type { Op } from "../../log/types.ts";

/** Call when the op is durable. */
export function replayed(around: WorkspaceLookup, loaded: LoadedEntity, job: Job): CallResult {
  const key = job.key!.key;
  const use = loaded.keys.get(key);
  if (!use)
    throw new TaskfoldError("UNKNOWN_OUTCOME", "The first call with this key was not kept.", {
      recovery: "Call again with the same idempotency_key.",
    });
  const { subject, op } = stateAfter(loaded, job.workspace, use.op);
  const outcome = answer(around, job, subject, pastOf(loaded, subject.entity), op.events, []);
  const message = `The key ${JSON.stringify(key)} was used before with the same input; nothing was changed now.`;
  // Its first caller may have ended before the plan followed.
  const flips = flipsBefore(loaded, op);
  return { ...outcome, flips, warnings: [{ code: "REPLAYED", message }, ...outcome.warnings] };
}

/** Acknowledges the ops that these repeated calls are answered by. */
export function syncReplayed(from: Syncing, loaded: LoadedEntity, jobs: readonly Job[]): void {
  syncOps(from, loaded, () => {
    const uses = jobs.map((job) => loaded.keys.get(job.key!.key)!.op);
    return [...new Set(uses)].map((hash) => stateAfter(loaded, "", hash).op);
  });
}

interface Syncing {
  context: EngineContext;
  logs: Pick<Appender, "syncs">;
}

/**
 * Makes ops durable, known to readers and marked, as their writer does: it may have ended before (VERIFY-100). If the sync fails, the
 * ops are kept aside as any others are: the system may say yes to the next sync all the same.
 */
export function syncOps(from: Syncing, loaded: LoadedEntity, ops: () => readonly Op[]): void {
  const { notifications, durability } = from.context;
  // Readers see the lines, whatever becomes of the sync.
  notifications.notify(loaded.folder);
  if (durability !== "os") syncLines(from, loaded, ops);
  notifications.notify(loaded.folder, markBeside(loaded));
}

function syncLines({ context, logs }: Syncing, loaded: LoadedEntity, ops: () => readonly Op[]): void {
  const { id } = loaded;
  const root = loaded.entity?.root ?? "";
  // No process writes to an archived log again, and another entity of that id must not get the lines.
  const isLive = loaded.folder === context.layout.folder(id);
  const lines = (): Buffer =>
    Buffer.from(
      ops()
        .flatMap((op) => op.events.map((event) => `${canonicalJson(event)}\n`))
        .join(""),
    );
  // The writer of the first of them may have been killed before it synced the names.
  logs.syncs.now(loaded, isLive ? lines : null, [context.layout.root, ...context.layout.wayTo(loaded.folder)]);
  // A sync says yes to nothing while lines are in doubt, and what keeps them may be unsynced itself. The next writer appends these again.
  if (isLive && context.disk.lstat(unsyncedFolder(context, id)) && keepAside(context, id, root, lines()) !== "synced")
    throw unknownOutcome(id, undefined, false);
}

/** The digest is of the tool's name too; the tool that is noted may be that of a transaction's first part. */
export function checkSameInput(job: Pick<Job, "key">, used: KeyUse): void {
  if (used.req === job.key!.req) return;
  throw new TaskfoldError(
    "IDEMPOTENCY_CONFLICT",
    `Expected the key ${JSON.stringify(job.key!.key)} with the input it was first used with (by ${used.tool}), found another input.`,
    {
      recovery: "Use a new key for a new intention.",
    },
  );
}
