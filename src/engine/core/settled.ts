/** Times of files, by which a reader knows that one is as it was. */
import type { FileStat } from "../../disk.ts";
import type { Runtime } from "../../runtime.ts";

/** Longer than a tick of any file system's clock but the oldest ones'. */
const TICK_MS = 100;

/**
 * Whether a further change of this file or folder shows in its time. Not by the workspace's clock, for the file system has its own.
 */
export function hasSettled({ runtime }: { runtime: Pick<Runtime, "now"> }, { mtimeMs }: FileStat): boolean {
  return Math.abs(runtime.now() - mtimeMs) > TICK_MS;
}
