/** The append of those who write rarely and past the committer: adoption, and rebuild when it reads people's files in. */
import { TaskfoldError } from "../../errors.ts";
import { appendLines } from "./append_lines.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { keepUnsynced } from "./unsynced.ts";
import type { EngineContext } from "../core/context.ts";

/**
 * Appends whole ops that go on from the present heads, makes them durable and reads them back. Call while holding the
 * entity's lock, after a catch-up. LOCK_TIMEOUT when the file was replaced meanwhile: nothing was written then.
 */
export function appendNow(world: EngineContext, handle: LoadedEntity, ops: readonly Buffer[]): void {
  const appended = appendLines(world, handle, ops);
  if (!appended)
    throw new TaskfoldError("LOCK_TIMEOUT", `Another program was writing to ${handle.id}. Nothing was written.`, {
      recovery: "Call again.",
    });
  const { offset, bytes } = appended;
  try {
    if (world.durability !== "os") {
      handle.log.syncNow();
      world.disk.syncFolder(handle.folder);
    }
  } catch (e) {
    throw keepUnsynced(world, handle, bytes, e);
  }
  const there = handle.log.holds(offset, bytes);
  handle.forget();
  handle.catchUp();
  if (there) return;
  throw new TaskfoldError("UNKNOWN_OUTCOME", `Expected the log of ${handle.id} to hold what was just written.`, {
    recovery: `taskfold verify ${handle.id}, then call again.`,
  });
}
