/** The locks of the machine, of which other processes seem to hold some. */
import type { LockProvider } from "../../src/engine/core/lock.ts";
import { machineLocks } from "../../src/engine/locks/machine_locks.ts";
import type { WorkspaceOptions } from "../../src/testing.ts";

/** `isHeld` is asked each time that a lock is wanted. */
export function gatedLocks(isHeld: (name: string) => boolean): NonNullable<WorkspaceOptions["lockProvider"]> {
  return (context) => {
    const locks = machineLocks(context);
    const tryAcquire: LockProvider["tryAcquire"] = (name) => (isHeld(name) ? null : locks.tryAcquire(name));
    return { kind: locks.kind, tryAcquire, holder: (name) => locks.holder(name), close: () => locks.close() };
  };
}
