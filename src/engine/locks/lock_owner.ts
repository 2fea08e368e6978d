/**
 * The holder of a lock of kind `lockfile`, written into the lock so that others can tell a slow holder from a dead one.
 * A live holder never loses its lock, even if it hangs.
 */
import type { EngineContext } from "../core/context.ts";
import { unlessRefused } from "../../files/storage_error.ts";

/** The machine, whose processes its locks are between. */
export type Machine = Pick<EngineContext, "disk" | "runtime">;

export interface LockOwner {
  /** Random, never the same twice: the name of the owner's file carries it too. */
  token: string;
  pid: number;
  /** Machine, its start and process namespace: only within one of them does a pid say anything. */
  host: string;
  /** When that process began, as the system counts it; empty where it does not say. A pid is given again, this is not. */
  started: string;
  /** Milliseconds since 1970. */
  since: number;
}

export function ownOwner(machine: Machine, token: string, since: number): LockOwner {
  const { pid } = machine.runtime;
  return { token, pid, host: thisHost(machine), started: ownStart(machine), since };
}

/** When this process began, as the system counts it; empty where it does not say. */
export function ownStart({ disk, runtime }: Machine): string {
  return processOf(disk, runtime.pid)?.started ?? "";
}

/** undefined: not written to its end, or by another program. */
export function parseOwner(text: string): LockOwner | undefined {
  try {
    const value = JSON.parse(text) as Partial<LockOwner> | null;
    const { token, pid, host, started, since } = value ?? {};
    if (typeof token !== "string" || typeof host !== "string" || typeof started !== "string") return undefined;
    if (!Number.isInteger(pid) || typeof since !== "number") return undefined;
    return { token, pid: pid!, host, started, since };
  } catch (e) {
    if (e instanceof SyntaxError) return undefined;
    throw e;
  }
}

export function isOfThisHost(machine: Machine, owner: LockOwner): boolean {
  return owner.host === thisHost(machine);
}

/** Whether a process of this host is gone. In doubt it is not: a wait that ends in LOCK_TIMEOUT is no harm. */
export function isGone({ disk, runtime }: Machine, owner: Pick<LockOwner, "pid" | "started">): boolean {
  if (!runtime.isRunning(owner.pid)) return true;
  const found = processOf(disk, owner.pid);
  if (!found) return false;
  // Where the system says when a process began, an owner of this host has written it down: one that did not is none.
  return found.ended || owner.started !== found.started;
}

/**
 * Two machines may share a name and a disk: the start of each has a number of its own. Containers of one machine share that
 * number, and the namespace of their pids tells them apart. Only Linux says either.
 */
function thisHost({ disk, runtime }: Machine): string {
  if (process.platform !== "linux") return runtime.host;
  const space = disk.outside.stat("/proc/self/ns/pid")?.ino;
  return [runtime.host, bootId(disk), space].filter((part) => part !== undefined).join(" ");
}

/** Undefined where /proc is hidden. */
function bootId(disk: Machine["disk"]): string | undefined {
  return unlessRefused(() => disk.outside.readFile("/proc/sys/kernel/random/boot_id", 64).toString("latin1").trim());
}

/** Linux only; undefined elsewhere, and where /proc is hidden. */
function processOf(disk: Machine["disk"], pid: number): { started: string; ended: boolean } | undefined {
  if (process.platform !== "linux") return undefined;
  return unlessRefused(() => {
    const text = disk.outside.readFile(`/proc/${pid}/stat`, 64 * 1024).toString("latin1");
    // The second field is the program's name in brackets, which may hold anything, brackets too.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // Killed and not yet waited for by its parent (a zombie): it will never write again.
    return { started: fields[19] ?? "", ended: fields[0] === "Z" || fields[0] === "X" };
  });
}
