/** Reads people's files into the log without a caller's change to go with: for `rebuild` (PEOPLE-8). */
import type { Warning } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import { sealOp } from "../log/envelope.ts";
import type { Payload } from "../log/types.ts";
import { appendNow } from "./append_now.ts";
import type { EngineParts } from "./parts.ts";
import type { Handle } from "./handle.ts";
import { acquire } from "./lock.ts";
import { repairUnsynced, unsyncedFolder } from "./unsynced.ts";
import { isoTime } from "./world.ts";
import { refuseDeleted, refuseUnwritable } from "./writable.ts";

/** Takes the entity's lock only when there is something to write; refuses what a write would refuse. */
export async function readInPeople(engine: EngineParts, handle: Handle): Promise<Warning[]> {
  const { world, people } = engine;
  const before = people.news(handle);
  if (before.drafts.length === 0) return before.warnings;
  const lock = await acquire(world.locks(), handle.id, { timeoutMs: world.lockTimeoutMs, now: world.now });
  try {
    repairUnsynced(world, handle, unsyncedFolder(world, handle.id));
    handle.catchUp();
    refuseUnwritable(handle);
    refuseDeleted(handle.entity!, handle.id);
    const { drafts, warnings } = people.news(handle);
    if (drafts.length === 0) return warnings;
    engine.writing(handle.id);
    const { heads, seq } = handle.report;
    const stamp = { taskId: handle.id, by: "system", ts: isoTime(world.now()), tool: "engine", opId: world.newId() };
    const { bytes } = sealOp({ ...stamp, heads, seq, drafts: drafts as { type: string; payload: Payload }[] });
    appendNow(world, handle, [bytes]);
    return warnings;
  } catch (e) {
    throw storageError(e, `read people's files of ${handle.id} in`);
  } finally {
    lock.release();
  }
}
