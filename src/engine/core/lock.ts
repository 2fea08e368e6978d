/**
 * Locks between processes, behind a small interface. A lock keeps writers from getting in each other's way. Safety does not
 * rest on it: two holders cost a merge, never data, because every event names the heads it saw.
 */
import { TaskfoldError } from "../../errors.ts";
import type { Runtime } from "../../runtime.ts";
import { fraction, sleep } from "../../runtime.ts";
import type { LockWaitOutcome, TelemetryPort } from "./telemetry/telemetry.ts";

/** Name of the lock under which ids are given and entities made. No id has a dot, so none is this name or `<id>.files`. */
export const WORKSPACE_LOCK = ".workspace";

/** Name of the lock of those who write the folded files of an entity, or move its folder. It comes after the lock of its log. */
export function filesLock(id: string): string {
  return `${id}.files`;
}

/** Name of the lock of the process of this machine that takes in or publishes. It writes logs under their own locks. */
export const SHARED_LOCK = ".shared";

/** Name of the lock under which one process at a time runs a packet (PACKET-143). */
export function packetLock(id: string): string {
  return `${id}${PACKET}`;
}

const PACKET = ".packet";

/** Whether the holder of that lock writes files of the work tree. */
export function isWriters(name: string): boolean {
  return name !== SHARED_LOCK && !name.endsWith(PACKET);
}

export interface Lock {
  release: () => void;
}

/** A process that has a lock, as far as is known. `command`: of git, for which it holds all of them. */
export interface LockHolder {
  pid: number;
  since?: number;
  command?: string;
}

/** The environment variable by which programs that git starts for a holder know its token: they write all the same. */
export const HOLD_VARIABLE = "TASKFOLD_GIT_RUN";

/** All locks of writers, held by one process while git works for it. */
export interface WorkspaceHold {
  /** False where a command has removed the folder of locks: from then on writers did not wait. */
  isThere: () => boolean;
  release: () => void;
}

export interface LockProvider {
  readonly kind: "os" | "lockfile";
  /** The lock of that name, or null if another holder has it. `isNext`: the caller has a lock already. */
  tryAcquire: (name: string, isNext?: boolean) => Lock | null;
  /** The holder, as far as is known: for the message of LOCK_TIMEOUT. */
  holder: (name: string) => LockHolder | undefined;
  close: () => void;
  /** Told of each wait. */
  readonly telemetry?: Pick<TelemetryPort, "lockWait">;
}

/** The locks of an open workspace. */
export interface WorkspaceLocks extends LockProvider {
  /** Holds all locks of writers for a command of git. LOCK_TIMEOUT where one of them does not get free in time: then none is held. */
  hold: (command: string, token: string) => Promise<WorkspaceHold>;
}

/** Locks whose waits are told. */
export function observedLocks(locks: WorkspaceLocks, telemetry: TelemetryPort): WorkspaceLocks {
  return {
    kind: locks.kind,
    tryAcquire: (name, isNext) => locks.tryAcquire(name, isNext),
    holder: (name) => locks.holder(name),
    hold: (command, token) => locks.hold(command, token),
    close: () => locks.close(),
    telemetry,
  };
}

/** The locks of an open workspace, made at the first write: reading needs none. */
export class LazyLocks {
  readonly #make: () => WorkspaceLocks;
  #made: WorkspaceLocks | undefined;

  constructor(make: () => WorkspaceLocks) {
    this.#make = make;
  }

  readonly get = (): WorkspaceLocks => (this.#made ??= this.#make());

  close(): void {
    this.#made?.close();
  }
}

/** The settings that a lock is taken by. */
export interface LockingContext {
  readonly locks: () => LockProvider;
  readonly lockTimeoutMs: number;
  readonly now: () => number;
  readonly runtime: Pick<Runtime, "uptime" | "after" | "nextTurn" | "nap" | "randomHex">;
}

interface Waiting {
  /** Where other locks took some of the time. */
  timeoutMs?: number;
  /** Done after each sleep: what can be done without the lock need not be done while holding it. */
  meanwhile?: () => void;
  /** Whether the caller has a lock already. */
  isNext?: boolean;
}

/**
 * Waits for a lock with jittered pauses, at most `lockTimeoutMs`. A definite no: nothing has been written when it throws
 * LOCK_TIMEOUT.
 */
export async function acquire(context: LockingContext, name: string, waiting: Waiting = {}): Promise<Lock> {
  return context.locks().tryAcquire(name, waiting.isNext) ?? waitFor(context, name, waiting);
}

/** The same for a caller that has just seen that another holder has it. */
async function waitFor(context: LockingContext, name: string, waiting: Waiting): Promise<Lock> {
  const { runtime, now } = context;
  const { timeoutMs = context.lockTimeoutMs } = waiting;
  const locks = context.locks();
  // Not by the workspace's clock: if that one stands still or is set back, no caller would ever give up.
  const started = runtime.uptime();
  const tell = locks.telemetry?.lockWait(name);
  let outcome: LockWaitOutcome = "not acquired";
  try {
    for (let attempt = 0; ; attempt++) {
      const waited = Math.trunc(runtime.uptime() - started);
      if (waited >= timeoutMs) throw timeout(locks, name, waited, now());
      const slept = await pause(runtime, attempt, locks.kind);
      // In a nap's time there is a line or two: to read them once more under the lock costs less than to look each time.
      if (slept) waiting.meanwhile?.();
      const lock = locks.tryAcquire(name, waiting.isNext);
      if (!lock) continue;
      outcome = "acquired";
      return lock;
    }
  } finally {
    tell?.(outcome);
  }
}

/**
 * Takes several locks, all or none, and waits for one at a time, in the order given. Every caller takes the workspace's lock
 * first and then those of entities by id. So no two callers wait for each other.
 */
export async function acquireAll(
  context: LockingContext,
  names: readonly string[],
  more: Pick<Waiting, "meanwhile"> = {},
): Promise<Lock> {
  const { runtime, lockTimeoutMs } = context;
  const held: Lock[] = [];
  const release = (): void => {
    for (const lock of held.splice(0).toReversed()) lock.release();
  };
  const started = runtime.uptime();
  try {
    for (const name of names) {
      const left = Math.max(0, lockTimeoutMs - (runtime.uptime() - started));
      held.push(await acquire(context, name, { ...more, timeoutMs: left, isNext: held.length > 0 }));
    }
    return { release };
  } catch (e) {
    release();
    throw e;
  }
}

/** Locks that turn out to be needed while others are held already. */
export class MoreLocks {
  readonly #locks: LockProvider;
  readonly #names: Set<string>;
  readonly #held: Lock[] = [];

  /** `names`: those that are held. */
  constructor(locks: LockProvider, names: readonly string[]) {
    this.#locks = locks;
    this.#names = new Set(names);
  }

  /** Takes those that are not held; false where one is not free. To wait out of the order could have two callers wait for each other. */
  tryAdd(names: readonly string[]): boolean {
    for (const name of names) {
      if (this.#names.has(name)) continue;
      const lock = this.#locks.tryAcquire(name);
      if (!lock) return false;
      this.#held.push(lock);
      this.#names.add(name);
    }
    return true;
  }

  release(): void {
    for (const lock of this.#held.splice(0).toReversed()) lock.release();
  }
}

/** One lock or several; a promise only where there is something to wait for. `meanwhile`: as in `Waiting`. */
export function takeLocks(
  context: LockingContext,
  names: readonly string[],
  meanwhile?: () => void,
): Lock | Promise<Lock> {
  const [name] = names;
  const more = meanwhile ? { meanwhile } : {};
  if (name === undefined || names.length > 1) return acquireAll(context, names, more);
  return context.locks().tryAcquire(name) ?? waitFor(context, name, more);
}

/** About the time that a change holds the lock. A nap stops the whole process, for less than a sync does. */
const NAP_MS = 0.1;
const FIRST_NAPS = 3;
/**
 * Sleeping lets the other processes work: if all of them are awake, the holder waits for a processor. The longer the sleep,
 * the fewer are awake, and the more each gets done while its caches are warm. With 30 ms in place of 12, eight processes on
 * two processors make 5 to 15 in a hundred more changes. Each takes a sixth less processor time. One change in a hundred
 * waits for 40 ms, not 20. With lock files the sleep has to be shorter than the time that a holder stands back for
 * (lockfile_lock.ts).
 */
const SLEEP_MS = { os: 30, lockfile: 12 };
const NAPS_AFTER_SLEEP = 100;
const LONG_MS = 16;

/**
 * Waits once more. The first waits are naps, for a holder that is nearly done. Then comes one sleep, which leaves the
 * processor to callers that are awake. Naps follow, because a caller that has waited so long is next. At last the holder
 * seems to stand still, and every wait is a sleep. Returns whether it was a sleep.
 */
async function pause(
  runtime: LockingContext["runtime"],
  attempt: number,
  kind: LockProvider["kind"],
): Promise<boolean> {
  // Never in step with others.
  const jittered = (ms: number): number => ms * (0.5 + fraction(runtime));
  if (attempt === FIRST_NAPS || attempt > NAPS_AFTER_SLEEP) {
    const ms = attempt === FIRST_NAPS ? SLEEP_MS[kind] : LONG_MS;
    await sleep(runtime, jittered(ms));
    return true;
  }
  runtime.nap(jittered(NAP_MS));
  // Other work of this process has its turn before a second row of naps: the holder may be here, too.
  // With lock files it has its turn at once, because the lock may be refused only for that (lockfile_lock.ts).
  if (attempt > FIRST_NAPS || kind === "lockfile") await new Promise<void>((done) => runtime.nextTurn(done));
  return false;
}

function timeout(locks: LockProvider, name: string, waited: number, now: number): TaskfoldError {
  const holder = locks.holder(name);
  const held = holder?.since === undefined ? undefined : Math.max(0, now - holder.since);
  const command = holder?.command === undefined ? "" : ` for ${JSON.stringify(holder.command)}`;
  const what = command === "" ? "it" : "the workspace";
  const who = holder
    ? `process ${holder.pid} ${held === undefined ? `holds ${what}` : `has held ${what} for ${held} ms`}${command}`
    : "another process holds it";
  return new TaskfoldError(
    "LOCK_TIMEOUT",
    `Expected the lock of ${name} within ${waited} ms; ${who}. Nothing was written.`,
    {
      recovery:
        command === ""
          ? "Call again; if the holder hangs, end that process: the lock goes with it."
          : "Call again when that command of git has ended; to end it lets writers go on.",
      ...(holder
        ? {
            details: {
              pid: holder.pid,
              ...(held === undefined ? {} : { held_ms: held }),
              ...(holder.command === undefined ? {} : { command: holder.command }),
            },
          }
        : {}),
    },
  );
}
