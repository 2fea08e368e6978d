/** How far the logs of a workspace went: a log may grow while a stage runs, and nothing else may happen to it. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { unlessRefused } from "../../files/storage_error.ts";

export interface LogEnd {
  /** Bytes. */
  size: number;
  /** Of the last 4 KiB. Each event names those before it by their hashes, so these bytes vouch for the whole. */
  sha256: string;
}

/** Folders of plans and tasks. */
const HOMES = [".coco/tasks", ".coco/archive"] as const;
const TAIL = 4096;
const LF = 0x0a;

/** By path from the root on. */
export function logEnds(disk: Disk, root: string): Map<string, LogEnd> {
  const folders = HOMES.flatMap((home) =>
    (unlessRefused(() => disk.entries(join(root, home))) ?? [])
      .filter(({ kind }) => kind === "folder")
      .map(({ name }) => `${home}/${name}`),
  );
  return new Map(
    folders.flatMap((folder): [string, LogEnd][] => {
      const path = `${folder}/${LOG_FILE}`;
      const end = unlessRefused(() => readEnd(disk, join(root, path)));
      return end ? [[path, end]] : [];
    }),
  );
}

function readEnd(disk: Disk, path: string): LogEnd {
  const fd = disk.open(path, "r");
  try {
    const { size } = disk.fstat(fd);
    const tail = Buffer.alloc(Math.min(size, TAIL));
    disk.read(fd, tail, size - tail.length);
    // Half a line that a killed process left never counts, and the next writer cuts it.
    const half = tail.length - (tail.lastIndexOf(LF) + 1);
    if (half === 0 || half === tail.length) return { size, sha256: digest(tail) };
    const lines = Buffer.alloc(Math.min(size - half, TAIL));
    disk.read(fd, lines, size - half - lines.length);
    return { size: size - half, sha256: digest(lines) };
  } finally {
    disk.close(fd);
  }
}

/** Whether a log begins with what it was, to the byte. */
export function hasGrownFrom(bytes: Buffer, { size, sha256 }: LogEnd): boolean {
  return bytes.length >= size && digest(bytes.subarray(Math.max(size - TAIL, 0), size)) === sha256;
}

function digest(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
