/**
 * The sign of a file or folder: by it a reader knows that the file is as it was at the last look (FRESH-12). Each place that keeps
 * something for as long as a file does not change compares by this sign.
 */
import type { FileStat } from "../disk.ts";
import type { Runtime } from "../runtime.ts";

/**
 * The members of a stat that tell one state of a file from another. A program can set size and mtime back, and the number of an inode
 * may be given to the next file. No program sets ctime.
 */
export type FileSign = Pick<FileStat, "dev" | "ino" | "size" | "mtimeMs" | "ctimeMs">;

/** The tick of the clock of a file system is shorter than this, except on the oldest ones. */
const TICK_MS = 100;
/** By no more than this do the clocks of this machine and of a file server disagree (DUR-24). */
export const CLOCKS_MS = 60_000;
/** Signs that are remembered. Few places ask, and a sign that was dropped counts as new. */
const MAX_SEEN = 256;

type Clocks = Pick<Runtime, "now" | "uptime">;

/** When each sign was seen first, by the clock that never jumps. A process has one runtime, but tests and simulations have several. */
const seen = new WeakMap<Clocks, Map<string, number>>();

/** Whether a file is as it was; true as well if neither is there. */
export function same(a: FileSign | null | undefined, b: FileSign | null | undefined): boolean {
  if (!a || !b) return !a && !b;
  return sameExceptCtime(a, b) && a.ctimeMs === b.ctimeMs;
}

/** The same for a file that the caller itself gave another name or exchanged: that is a change of ctime. */
export function sameExceptCtime(a: FileSign, b: FileSign): boolean {
  return a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.dev === b.dev;
}

/** The sign as text, to be kept or joined with others; empty if there is no file. */
export function signOf(stat: FileSign | undefined): string {
  return stat ? `${stat.dev} ${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}` : "";
}

/**
 * Whether any further change of this file shows in its sign. Two changes within one tick have the same times. A file server stamps by a
 * clock of its own. So this process relies on the sign of a young file once it has known that for longer than a tick, or than `forMs`.
 */
export function isSettled({ runtime }: { runtime: Clocks }, stat: FileSign, forMs = TICK_MS): boolean {
  if (runtime.now() - Math.max(stat.mtimeMs, stat.ctimeMs) > CLOCKS_MS) return true;
  return runtime.uptime() - firstSeen(runtime, signOf(stat)) > forMs;
}

/** The same of several. Each is looked at, for a young file grows old from its first look on. */
export function areSettled(machine: { runtime: Clocks }, stats: readonly (FileSign | undefined)[]): boolean {
  return !stats.map((stat) => stat === undefined || isSettled(machine, stat)).includes(false);
}

function firstSeen(runtime: Clocks, sign: string): number {
  let times = seen.get(runtime);
  if (!times) seen.set(runtime, (times = new Map()));
  const before = times.get(sign);
  if (before !== undefined) return before;
  if (times.size === MAX_SEEN) times.delete(times.keys().next().value!);
  const now = runtime.uptime();
  times.set(sign, now);
  return now;
}

/** A sign in a record that outlives a restart of the machine. It has no device: the system may number devices anew when it starts. */
export type RecordedSign = readonly [size: number, mtimeMs: number, ino: number, ctimeMs: number];

export function recordedSign({ size, mtimeMs, ino, ctimeMs }: FileSign): RecordedSign {
  return [size, mtimeMs, ino, ctimeMs];
}

/** Null stands for a file that is not there. */
export function sameRecorded(a: RecordedSign | null, b: RecordedSign | null): boolean {
  if (a === null || b === null) return a === b;
  return a.every((value, n) => value === b[n]);
}

/** The numbers of an index of git: seconds and nanoseconds, and the last 32 bits of the others. */
export interface IndexedSign {
  size: number;
  ino: number;
  mtime: readonly [sec: number, nsec: number];
  ctime: readonly [sec: number, nsec: number];
}

/** Whether a file is as it was when git wrote its index. */
export function sameIndexed(sign: FileSign, { size, ino, mtime, ctime }: IndexedSign): boolean {
  const isSame = (ms: number, [sec, nsec]: readonly [number, number]): boolean =>
    Math.abs(ms - (sec * 1000 + nsec / 1e6)) < STAT_STEP_MS;
  const isLow = (number: number, low: number): boolean => number % 2 ** 32 === low;
  return isLow(sign.size, size) && isLow(sign.ino, ino) && isSame(sign.mtimeMs, mtime) && isSame(sign.ctimeMs, ctime);
}

/** Node gives times as fractions of a millisecond, some 200 nanoseconds apart. */
const STAT_STEP_MS = 0.001;
