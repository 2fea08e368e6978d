/**
 * After the last check before "done" has failed: the file that the path names does not hold what was written. Two writers that both believe to
 * hold the lock, or a git checkout in between, can take it away again; then the same bytes go in once more,
 * as long as what they build on is there (LOG rules).
 */
import { TaskfoldError } from "../../errors.ts";
import { storageError } from "../../files/storage_error.ts";
import { appendLines } from "./append_lines.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { acquire } from "../core/lock.ts";
import type { StagedJob } from "./decide.ts";
import type { EngineContext } from "../core/context.ts";

export async function confirmWritten(
  world: EngineContext,
  handle: LoadedEntity,
  written: { offset: number; bytes: Buffer },
  staged: readonly StagedJob[],
): Promise<void> {
  const lock = await acquire(world.locks(), handle.id, { timeoutMs: world.lockTimeoutMs, now: world.now });
  try {
    handle.forget();
    const ops = staged.map((s) => s.op);
    for (let attempt = 0; attempt < 3; attempt++) {
      const text = handle.catchUp() ? readAll(handle) : null;
      const missing =
        text === null ? ops : ops.filter((op) => op.events.some((e) => !text.includes(`"hash":"${e.hash}"`)));
      if (missing.length === 0) {
        // Perhaps in another file than the one that was synced: a copy that somebody put in its place.
        if (world.durability !== "os") handle.log.syncNow();
        return;
      }
      const first = missing[0]!.events[0]!;
      if (text === null || first.prev.some((hash) => !text.includes(`"hash":"${hash}"`))) throw replaced(handle.id);
      if (appendLines(world, handle, [written.bytes]) && world.durability !== "os") handle.log.syncNow();
      handle.forget();
    }
    throw replaced(handle.id);
  } catch (e) {
    handle.forget();
    throw storageError(e, `confirm what was written to ${handle.id}`);
  } finally {
    lock.release();
  }
}

function readAll(handle: LoadedEntity): string {
  return handle.log.withSource((source) => {
    const bytes = Buffer.allocUnsafe(source.size());
    const n = source.read(bytes, 0);
    return bytes.subarray(0, n).toString("latin1");
  });
}

function replaced(id: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    `Expected the log of ${id} to hold what was just written; another one stands in its place, without what this change builds on.`,
    {
      recovery: "Look at the present state, then call again with the same idempotency_key.",
      details: { reason: "LOG_REPLACED" },
    },
  );
}
