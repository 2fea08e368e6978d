/**
 * Whole-file writes by temporary file and rename. Readers see the old text or the new one, never half of it. Programs
 * that share the folder fail on a half-written task.yaml with their whole task list. The cost: the inode changes, and a
 * link at the name is replaced by a file. Each write is two name changes (about 300 microseconds on ext4). Without
 * `sync` the text may be lost in a crash of the machine: right for what is folded from the log, wrong for everything
 * else.
 */
import { basename, dirname, join } from "node:path";
import type { Disk } from "../disk.ts";
import { FileTooLargeError, UnsafePathError } from "../disk.ts";
import { errnoOf, unlessRefused } from "./storage_error.ts";

/** Prefix of temporary names: git-ignored, and skipped by code that lists a folder. */
export const TEMP_PREFIX = ".tf-tmp-";

/** `like`: an open file whose rights the new one gets. */
export function writeAtomic(
  disk: Disk,
  path: string,
  text: string | Uint8Array,
  options: { sync?: boolean; like?: number } = {},
): void {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const file = made(disk, path, (fd) => {
    writeAll(disk, fd, bytes);
    if (options.like !== undefined) disk.copyMode(options.like, fd);
    if (options.sync) disk.fsync(fd);
  });
  giveName(disk, file, path);
  if (options.sync) disk.syncFolder(dirname(path));
}

/**
 * Writes a file whose bytes are on disk before it gets its name: after a power cut it is whole or not there. Many of them at once
 * share what a sync costs.
 */
export async function writeWhole(disk: Disk, path: string, text: string): Promise<void> {
  const file = made(disk, path, (fd) => writeAll(disk, fd, Buffer.from(text)));
  try {
    await disk.fdatasync(file.fd);
  } catch (e) {
    discard(disk, file);
    throw e;
  }
  giveName(disk, file, path);
}

/** Makes a file and its name last that another program wrote: its syncs are not ours to know, and a killed process made none. */
export function syncFile(disk: Disk, path: string): void {
  syncBytes(disk, path);
  disk.syncFolder(dirname(path));
}

/** The bytes alone, also of a file that its program made read-only. */
export function syncBytes(disk: Disk, path: string): void {
  const fd = openToSync(disk, path);
  try {
    disk.fsync(fd);
  } finally {
    disk.close(fd);
  }
}

function openToSync(disk: Disk, path: string): number {
  try {
    // Windows syncs no file that was opened to be read.
    return disk.open(path, "r+");
  } catch (e) {
    if (errnoOf(e) !== "EACCES") throw e;
    return disk.open(path, "r");
  }
}

const CHUNK = 1024 * 1024;

/** Puts a copy, synced, in the place of a file that has a second name: what is written later shows under this one alone. */
export function unshare(disk: Disk, path: string): void {
  const from = disk.open(path, "r");
  try {
    const file = made(disk, path, (to) => {
      const chunk = Buffer.allocUnsafe(CHUNK);
      let at = 0;
      for (let n = disk.read(from, chunk, 0); n > 0; n = disk.read(from, chunk, at)) {
        writeAll(disk, to, chunk.subarray(0, n));
        at += n;
      }
      disk.copyMode(from, to);
      disk.fsync(to);
    });
    giveName(disk, file, path);
  } finally {
    disk.close(from);
  }
  disk.syncFolder(dirname(path));
}

/** A file under a temporary name, open for writing. */
interface Temporary {
  temp: string;
  fd: number;
}

/** A file beside `of` that `write` has filled; none is left where that fails. */
function made(disk: Disk, of: string, write: (fd: number) => void): Temporary {
  const temp = join(dirname(of), tempName(disk, basename(of)));
  const file = { temp, fd: disk.open(temp, "wx") };
  try {
    write(file.fd);
  } catch (e) {
    discard(disk, file);
    throw e;
  }
  return file;
}

function giveName(disk: Disk, { temp, fd }: Temporary, path: string): void {
  try {
    disk.close(fd);
    disk.rename(temp, path);
  } catch (e) {
    removeQuietly(disk, temp);
    throw e;
  }
}

function discard(disk: Disk, { temp, fd }: Temporary): void {
  disk.close(fd);
  removeQuietly(disk, temp);
}

/** A name that cannot be guessed, so that no link waits there. */
function tempName(disk: Disk, of: string): string {
  return `${TEMP_PREFIX}${disk.newName()}-${of.slice(0, 100)}`;
}

/** Writes everything or throws: a short write is a full disk. */
export function writeAll(disk: Disk, fd: number, bytes: Uint8Array, position?: number): void {
  const wrote = disk.write(fd, bytes, position);
  if (wrote !== bytes.length) {
    throw Object.assign(new Error(`wrote ${wrote} of ${bytes.length} bytes`), { code: "ENOSPC" });
  }
}

/** Removes a file that may be gone already; a failure here must not hide the one that led to it. */
export function removeQuietly(disk: Disk, path: string): void {
  try {
    disk.unlink(path);
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
  }
}

/** Bytes of a regular file, or undefined when there is none, or something else, or more than `most` bytes. */
export function readRegular(disk: Disk, path: string, most?: number): Buffer | undefined {
  try {
    return disk.lstat(path)?.kind === "file" ? readIfThere(disk, path, most) : undefined;
  } catch (e) {
    if (e instanceof UnsafePathError || e instanceof FileTooLargeError) return undefined;
    throw e;
  }
}

/** As `readRegular`, and undefined as well where the system refuses: for what is kept for speed, and is as good as absent then. */
export function readCache(disk: Disk, path: string, most: number): Buffer | undefined {
  return unlessRefused(() => readRegular(disk, path, most));
}

/** Bytes of a file, or undefined when there is none. */
export function readIfThere(disk: Disk, path: string, most?: number): Buffer | undefined {
  try {
    return disk.readFile(path, most);
  } catch (e) {
    if (errnoOf(e) === "ENOENT") return undefined;
    throw e;
  }
}
