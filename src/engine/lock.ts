/**
 * Locks between processes, behind a small interface. A lock keeps writers from getting in each other's way; it is not
 * what safety rests on: two holders cost a merge, never data, because every event names the heads it saw.
 */
import { TaskfoldError } from "../errors.ts";

export interface Lock {
  release: () => void;
}

export interface LockProvider {
  readonly kind: "os" | "lockfile";
  /** The lock of that name, or null when somebody else has it. */
  tryAcquire: (name: string) => Lock | null;
  /** Who has it, as far as is known: for the message of LOCK_TIMEOUT. */
  holder: (name: string) => { pid: number; since: number } | undefined;
  close: () => void;
}

export interface Waiting {
  timeoutMs: number;
  now: () => number;
}

/**
 * Waits for a lock with growing, jittered pauses, at most `timeoutMs`. A definite no: nothing has been written when
 * it throws LOCK_TIMEOUT.
 */
export async function acquire(locks: LockProvider, name: string, waiting: Waiting): Promise<Lock> {
  const first = locks.tryAcquire(name);
  if (first) return first;
  // Not by the workspace's clock: that one may stand still or be set back, and then nobody would ever give up.
  const started = performance.now();
  for (let attempt = 0; ; attempt++) {
    const waited = Math.trunc(performance.now() - started);
    if (waited >= waiting.timeoutMs) throw timeout(locks, name, waited, waiting.now());
    await pause(attempt);
    const lock = locks.tryAcquire(name);
    if (lock) return lock;
  }
}

/** First give way to others in this process, then sleep: 1 ms at the start, 16 ms at the most, never in step with others. */
function pause(attempt: number): Promise<void> {
  if (attempt < 4) return new Promise((done) => setImmediate(done));
  const ms = Math.min(16, 2 ** Math.min(4, (attempt - 4) / 4)) * (0.5 + Math.random());
  return new Promise((done) => setTimeout(done, ms));
}

function timeout(locks: LockProvider, name: string, waited: number, now: number): TaskfoldError {
  const holder = locks.holder(name);
  const who = holder
    ? `process ${holder.pid} has held it for ${Math.max(0, now - holder.since)} ms`
    : "somebody holds it";
  return new TaskfoldError(
    "LOCK_TIMEOUT",
    `Expected the lock of ${name} within ${waited} ms; ${who}. Nothing was written.`,
    {
      recovery: "Call again; if the holder hangs, end that process: the lock goes with it.",
      ...(holder ? { details: { pid: holder.pid, held_ms: Math.max(0, now - holder.since) } } : {}),
    },
  );
}
