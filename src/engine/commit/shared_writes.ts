/** Writes of a workspace whose log several machines share: decided here, and in a log once the shared log has them (SHARED rules). */
import type { MoreLocks } from "../core/lock.ts";
import type { LogWriter } from "./log_writer.ts";

/** Where decided ops go: the logs, or first what takes them to the other machines. */
export type Appender = Pick<LogWriter, "append" | "repairUnsynced" | "syncNow">;

export type Decide<T> = (logs: Appender, more: MoreLocks) => T;

export interface SharedWrites {
  /**
   * Decides while no other machine can come in between. `decide` is called under these locks, caught up, perhaps several times. Ops
   * that it appends are in their logs when this returns; until then `more` is held, too. `since`: when the first of the calls came in,
   * by `runtime.uptime()`.
   */
  write: <T>(workspace: string, locks: readonly string[], decide: Decide<T>, since?: number) => Promise<T>;
}
