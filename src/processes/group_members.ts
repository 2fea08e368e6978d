/**
 * Processes of a group that run, and signals to them. On Linux the session counts, which begins with the group: processes that
 * made groups of their own belong to it still.
 */
import { nodeDisk } from "../disk.ts";
import { errnoOf, unlessRefused } from "../files/storage_error.ts";

const MAX_STAT = 4096;
/** Ended, and not yet collected by its parent. */
const ENDED = new Set(["Z", "X"]);
/** The 22nd field of the line, counted from the third. */
const START = 19;

/** Whether the group has a process, ended ones included: one call to the system. */
export function hasProcess(group: number): boolean {
  return signalled(-group, 0);
}

/** When a process began, as the system counts it; undefined where there is none, and where the system does not tell. */
export function beganAt(pid: number): string | undefined {
  if (process.platform !== "linux") return undefined;
  return statOf(String(pid))?.[START];
}

/** Processes of other users are told of as gone: only their user can end them. */
export function hasRunning(group: number): boolean {
  // An orphan that ended stays in its group until the first process collects it, which some containers never do.
  const members = runningIn(group);
  return members === undefined ? hasProcess(group) : members.length > 0;
}

export function signalAll(group: number, signal: NodeJS.Signals): void {
  signalled(-group, signal);
  for (const pid of runningIn(group) ?? []) signalled(pid, signal);
}

/** Whether there is such a process, of whatever user. In doubt there is. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (e) {
    // EPERM: it is there and belongs to another user.
    return errnoOf(e) !== "ESRCH";
  }
}

/** False where there is no such process or group, or where it belongs to another user. */
function signalled(to: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(to, signal);
  } catch (e) {
    if (!["ESRCH", "EPERM"].includes(errnoOf(e) ?? "")) throw e;
    return false;
  }
}

/** Undefined where the system does not tell: not Linux, or no /proc. */
function runningIn(group: number): number[] | undefined {
  if (process.platform !== "linux") return undefined;
  const names = unlessRefused(() => nodeDisk.readdir("/proc"));
  if (!names?.includes(String(process.pid))) return undefined;
  return names.filter((name) => /^\d+$/.test(name) && isRunningIn(group, name)).map(Number);
}

function isRunningIn(group: number, pid: string): boolean {
  const [state = "", , pgrp, session] = statOf(pid) ?? [];
  return (Number(pgrp) === group || Number(session) === group) && !ENDED.has(state);
}

/** Fields of /proc/PID/stat from the third on. */
function statOf(pid: string): string[] | undefined {
  const stat = unlessRefused(() => nodeDisk.outside.readFile(`/proc/${pid}/stat`, MAX_STAT).toString("latin1"));
  // The name in brackets may hold brackets and blanks itself.
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}
