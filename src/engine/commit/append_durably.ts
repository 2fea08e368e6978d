/** Lines that a program holds as bytes, appended to one log and durable when this returns: for programs that write rarely. */
import { TaskfoldError } from "../../errors.ts";
import type { EngineContext } from "../core/context.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { LinesWrite, LogWriter } from "./log_writer.ts";
import { markBeside } from "./log_writer.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/**
 * Call while holding the lock and caught up. LOCK_TIMEOUT when the file was replaced meanwhile: nothing was written then. UNKNOWN_OUTCOME
 * when the log does not hold the lines afterwards.
 */
export function appendDurably(
  { context, logs }: { context: EngineContext; logs: LogWriter },
  loaded: LoadedEntity,
  lines: readonly Buffer[],
  how: Pick<LinesWrite, "begun" | "makes"> = {},
): void {
  const appended = logs.append({ to: loaded, lines, ...how });
  if (appended === "moved")
    throw new TaskfoldError("LOCK_TIMEOUT", `Another program was writing to ${loaded.id}. Nothing was written.`, {
      recovery: "Call again.",
    });
  const { offset, bytes } = appended;
  if (context.durability !== "os") logs.syncs.now(loaded, () => Buffer.concat(lines), [loaded.folder]);
  const there = loaded.log.holds(offset, bytes);
  loaded.forget();
  loaded.catchUp();
  if (there) {
    if (loaded.entity) context.notifications.notify(loaded.folder, markBeside(loaded));
    return;
  }
  throw new TaskfoldError(
    "UNKNOWN_OUTCOME",
    `Expected the log of ${loaded.id} to hold what was just written.`,
    remedy`${TASKFOLD} verify ${loaded.id}, then call again.`,
  );
}
