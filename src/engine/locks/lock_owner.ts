/**
 * The holder of a lock of kind `lockfile`, written into the lock so that others can tell a slow holder from a dead one.
 * A live holder never loses its lock, even if it hangs.
 */
import { hostname } from "node:os";
import type { Disk } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";

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

export function ownOwner(disk: Disk, token: string, since: number): LockOwner {
  return { token, pid: process.pid, host: thisHost(disk), started: ownStart(disk), since };
}

/** When this process began, as the system counts it; empty where it does not say. */
export function ownStart(disk: Disk): string {
  return processOf(disk, process.pid)?.started ?? "";
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

export function isOfThisHost(disk: Disk, owner: LockOwner): boolean {
  return owner.host === thisHost(disk);
}

/** Whether a process of this host is gone. In doubt it is not: a wait that ends in LOCK_TIMEOUT is no harm. */
export function isGone(disk: Disk, owner: Pick<LockOwner, "pid" | "started">): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (e) {
    // EPERM: it is there and belongs to another user.
    return errnoOf(e) === "ESRCH";
  }
  const found = processOf(disk, owner.pid);
  if (!found) return false;
  // Where the system says when a process began, an owner of this host has written it down: one that did not is none.
  return found.ended || owner.started !== found.started;
}

/**
 * Two machines may share a name and a disk: the start of each has a number of its own. Containers of one machine share that
 * number, and the namespace of their pids tells them apart. Only Linux says either.
 */
function thisHost(disk: Disk): string {
  if (process.platform !== "linux") return hostname();
  const space = disk.outside.stat("/proc/self/ns/pid")?.ino;
  return [hostname(), bootId(disk), space].filter((part) => part !== undefined).join(" ");
}

/** Undefined where /proc is hidden. */
function bootId(disk: Disk): string | undefined {
  try {
    return disk.outside.readFile("/proc/sys/kernel/random/boot_id", 64).toString("latin1").trim();
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}

/** Linux only; undefined elsewhere, and where /proc is hidden. */
function processOf(disk: Disk, pid: number): { started: string; ended: boolean } | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const text = disk.outside.readFile(`/proc/${pid}/stat`, 64 * 1024).toString("latin1");
    // The second field is the program's name in brackets, which may hold anything, brackets too.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    // Killed and not yet waited for by its parent (a zombie): it will never write again.
    return { started: fields[19] ?? "", ended: fields[0] === "Z" || fields[0] === "X" };
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}
