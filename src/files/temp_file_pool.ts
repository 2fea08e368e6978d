/**
 * Files that stand in no reviewed folder. One is about to be exchanged with a file in view; others came out of view and
 * rest until they are written again. Making a file and removing it cost ten times what writing one does. Any of them
 * may be taken away, or be something else by now: then a new one is made.
 */
import { join } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { removeQuietly, writeAll } from "./atomic.ts";
import { same } from "./file_sign.ts";
import { ensureFolder, listFolder } from "./folders.ts";
import { errnoOf } from "./storage_error.ts";

/** How long a file rests that was in view: who opened it then may be reading still, and has to find the text of then. */
export const REST_MS = 25;
/** The space that resting files may take of the disk, each at least a block. */
const MAX_BYTES = 8 * 1024 * 1024;
const BLOCK = 4096;

export interface TempFile {
  path: string;
  fd: number;
}

/** `stat`: as it came to rest. */
interface Resting {
  path: string;
  stat: FileStat;
  since: number;
}

export class TempFilePool {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #name: string;
  readonly #now: () => number;
  readonly #resting: Resting[] = [];
  #bytes = 0;
  #count = 0;

  /**
   * `folder`: made when it is missing. `name`: what names in it begin with, this process's alone. `now`: milliseconds
   * that are never set back.
   */
  constructor(disk: Disk, folder: string, name: string, now: () => number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#name = name;
    this.#now = now;
  }

  /** A file with this text and no name in view, still open; undefined when none can be made there. */
  take(text: string): TempFile | undefined {
    const bytes = Buffer.from(text);
    const temp = this.#rested(bytes.length) ?? this.#made();
    if (!temp) return undefined;
    try {
      writeAll(this.#disk, temp.fd, bytes, 0);
      return temp;
    } catch (e) {
      this.drop(temp);
      throw e;
    }
  }

  /** Takes back a file that is not needed, with the file that stands at its name now. */
  drop({ path, fd }: TempFile): void {
    this.#disk.close(fd);
    removeQuietly(this.#disk, path);
  }

  /** Takes in the file that came out of view, `stat` as it is now. If another process may have it open, call `drop`. */
  rest({ path, fd }: TempFile, stat: FileStat): void {
    this.#bytes += sizeOf(stat);
    if (this.#bytes > MAX_BYTES) {
      this.#bytes -= sizeOf(stat);
      return this.drop({ path, fd });
    }
    this.#disk.close(fd);
    this.#resting.push({ path, stat, since: this.#now() });
  }

  /** Removes what processes left there that are gone. */
  sweep(isGone: (name: string) => boolean): void {
    for (const name of listFolder(this.#disk, this.#folder).filter(isGone))
      removeQuietly(this.#disk, join(this.#folder, name));
  }

  close(): void {
    for (const { path } of this.#resting.splice(0)) removeQuietly(this.#disk, path);
    this.#bytes = 0;
  }

  /** The one that rested longest, cut to `size`, if it is still the file that came to rest. */
  #rested(size: number): TempFile | undefined {
    const first = this.#resting[0];
    if (!first || this.#now() - first.since < REST_MS) return undefined;
    this.#resting.shift();
    this.#bytes -= sizeOf(first.stat);
    const fd = this.#open(first.path, "r+");
    if (fd === null) return undefined;
    // A link at the name, a second name, other rights, a word in it: its sign tells.
    const now = this.#disk.fstat(fd);
    if (!same(now, first.stat)) {
      this.drop({ path: first.path, fd });
      return undefined;
    }
    if (now.size > size) this.#disk.truncate(fd, size);
    return { path: first.path, fd };
  }

  #made(): TempFile | undefined {
    const path = join(this.#folder, `${this.#name}-${this.#count++}`);
    const fd = this.#open(path, "wx") ?? this.#open(path, "wx", () => ensureFolder(this.#disk, this.#folder));
    return fd === null ? undefined : { path, fd };
  }

  /** null: something else stands there, or nothing does. */
  #open(path: string, flags: "r+" | "wx", before = (): unknown => undefined): number | null {
    try {
      before();
      return this.#disk.open(path, flags);
    } catch (e) {
      if (errnoOf(e) === undefined) throw e;
      return null;
    }
  }
}

function sizeOf({ size }: FileStat): number {
  return Math.max(BLOCK, size);
}
