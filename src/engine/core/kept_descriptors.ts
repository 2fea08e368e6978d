/**
 * How many descriptors one open workspace keeps for speed: a log or a lock that stays open saves some 25 microseconds a write. Where the
 * system allows a process few of them, they are needed for the work itself.
 */
import type { Disk } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";

export interface KeptDescriptors {
  /** Logs that stay open for appending. */
  logs: number;
  /** Files of locks without a holder. */
  locks: number;
}

const MOST: KeptDescriptors = { logs: 128, locks: 512 };
/** The process's own, the folders that lead to files, and those of the changes under way. */
const OTHERS = 128;
const LIMITS_FILE = "/proc/self/limits";
const OPEN_FILES = /^Max open files +(\d+)/m;

let kept: KeptDescriptors | undefined;

/** Asked once: Node raises its limit to the highest that it may have before it runs anything. */
export function keptDescriptors(disk: Disk): KeptDescriptors {
  return (kept ??= keptWithin(openFiles(disk)));
}

export function keptWithin(limit: number): KeptDescriptors {
  const share = Math.max(Math.floor((limit - OTHERS) / 4), 1);
  return { logs: Math.min(MOST.logs, share), locks: Math.min(MOST.locks, share) };
}

/** Infinity where there is no limit, or the system does not tell of it. */
function openFiles(disk: Disk): number {
  try {
    const found = OPEN_FILES.exec(disk.outside.readFile(LIMITS_FILE, 64 * 1024).toString("latin1"))?.[1];
    return found === undefined ? Infinity : Number(found);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return Infinity;
  }
}
