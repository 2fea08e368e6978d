/** The range of an OS lock, whose length says its holder (DUR-60): made by the holder, and read off the system by others. */
import type { Disk } from "../../disk.ts";

type Native = Pick<typeof import("fs-native-extensions").default, "tryLock" | "unlock">;

/** Length of the text that a holder writes into the file where the system has no ranges. */
export const OWNER_BYTES = 64;
/** Process numbers of Linux are smaller. Elsewhere they may be larger, but rarely are. */
const PIDS = 2 ** 22;
/** Seconds count from 2020 on, so that they fit above a process number in a length of 53 bits. */
const EPOCH_S = Date.UTC(2020) / 1000;
const SECONDS = 2 ** 31;
/** A range of this length tells nothing of its holder. */
export const ALL = Number.MAX_SAFE_INTEGER;
export const HAS_RANGES = process.platform !== "darwin" && process.pid < PIDS;

export interface Holder {
  pid: number;
  /** Milliseconds since 1970. */
  since?: number;
}

/** Of this process from `now` on. The second 0 stands for a clock that is set to no such time. */
export function rangeFrom(now: number): number {
  if (!HAS_RANGES) return ALL;
  const second = Math.floor(now / 1000) - EPOCH_S;
  return (second > 0 && second < SECONDS ? second : 0) * PIDS + process.pid + 1;
}

export function holderOf(range: number): Holder {
  const pid = (range - 1) % PIDS;
  const second = (range - 1 - pid) / PIDS;
  return second === 0 ? { pid } : { pid, since: (second + EPOCH_S) * 1000 };
}

/**
 * Returns where the holder's range ends, 0 when the lock is free. It halves the range, in 53 tries of a microsecond,
 * only where a caller is about to give up. `ALL` when all of it is held, or if the holder changed meanwhile. `shared`: for a
 * descriptor that is open for reading alone.
 */
export function heldUpTo(native: Native, fd: number, shared = false): number {
  const isFree = (from: number): boolean => {
    if (!native.tryLock(fd, from, 1, { shared })) return false;
    native.unlock(fd, from, 1);
    return true;
  };
  let held = -1;
  let free = ALL;
  if (isFree(0)) return 0;
  while (free - held > 1) {
    const middle = held + Math.floor((free - held) / 2);
    if (isFree(middle)) free = middle;
    else held = middle;
  }
  return free < ALL && (isFree(held) || !isFree(free)) ? ALL : free;
}

/** The holder by what it wrote into the file. */
export function signerOf(disk: Pick<Disk, "read">, fd: number): Holder | undefined {
  const owner = Buffer.alloc(OWNER_BYTES);
  const n = disk.read(fd, owner, 0);
  const match = /^(\d+) (\d+) /.exec(owner.subarray(0, n).toString("latin1"));
  return match ? { pid: Number(match[1]), since: Number(match[2]) } : undefined;
}
