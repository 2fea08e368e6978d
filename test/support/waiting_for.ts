import type { LockingContext, LockProvider } from "../../src/engine/core/lock.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";

/** Settings that these locks are waited for by. */
export function waitingFor(locks: LockProvider): LockingContext {
  return { locks: () => locks, lockTimeoutMs: 10_000, now: Date.now, runtime: nodeRuntime };
}
