/** Writes of a workspace whose log several machines share: decided here, and in a log once the shared log has them (SHARED rules). */
import type { MoreLocks } from "../core/lock.ts";
import type { LogSyncs } from "./log_syncs.ts";
import type { LogWrite, Written } from "./log_writer.ts";

/** Where decided ops go: the logs, or first what takes them to the other machines. */
export interface Appender {
  append(writes: readonly LogWrite[], txn?: string | null): Written | "moved";
  readonly syncs: Pick<LogSyncs, "repair" | "now">;
}

export type Decide<T> = (logs: Appender, more: MoreLocks) => T;

export interface SharedWrites {
  /**
   * Decides while no other machine can come in between. `decide` is called under these locks, caught up, perhaps several times. Ops
   * that it appends are in their logs when this returns; until then `more` is held, too. `since`: when the first of the calls came in,
   * by `runtime.uptime()`.
   */
  write: <T>(workspace: string, locks: readonly string[], decide: Decide<T>, since?: number) => Promise<T>;
}
