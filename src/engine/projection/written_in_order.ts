/** Tells by their times alone whether the folded files of an entity may have been changed since they were written. */
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import { INDEX_FILE, TASK_FILE } from "../../files/layout.ts";

/** The times between two files of one write, at the most, on a machine that does little else. */
const ONE_WRITE_MS = 20;

/**
 * A write brings README.md, then task.yaml as the last of all; git brings them in this order, too. So a later change of
 * one shows. A program that sets a time back is found by a comparison of the texts.
 */
export function areInOrder(disk: Disk, folder: string): boolean {
  const timeOf = (name: string): number | undefined => disk.lstat(join(folder, name))?.mtimeMs;
  const last = timeOf(TASK_FILE);
  const readme = timeOf("README.md");
  if (last === undefined || readme === undefined) return false;
  return readme <= last && last - readme <= ONE_WRITE_MS && (timeOf(INDEX_FILE) ?? 0) <= last;
}
