/**
 * A file that grows while a stage runs: it has the suffix `.partial` until it is complete and on disk. Its digest and lines are
 * counted on the way, so that no output is held in memory or read again.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import type { Disk } from "../disk.ts";
import { removeQuietly, writeAll } from "../files/atomic.ts";
import { ensureFolderInside } from "../files/folders.ts";
import type { PacketFile } from "../state/packet.ts";
import { PARTIAL } from "../state/packet.ts";

const LINE_FEED = 0x0a;
const CHUNK = 256 * 1024;

export class OutputFile {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #path: string;
  readonly #at: string;
  readonly #most: number;
  readonly #digest = createHash("sha256");
  #fd: number | undefined;
  #size = 0;
  #came = 0;
  #feeds = 0;
  #last = LINE_FEED;

  /** `path`: from `folder` on, with `/`. Removes the file that an ended run left at the partial name. */
  constructor(disk: Disk, folder: string, path: string, most: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#path = path;
    this.#at = join(folder, path);
    this.#most = most;
    removeQuietly(disk, this.#partial);
    this.#fd = disk.open(this.#partial, "wx");
  }

  get #partial(): string {
    return `${this.#at}${PARTIAL}`;
  }

  /** Bytes that came after the limit. */
  get dropped(): number {
    return this.#came - this.#size;
  }

  get came(): number {
    return this.#came;
  }

  /** Bytes above the limit are counted, not kept. */
  write(bytes: Uint8Array): void {
    this.#came += bytes.length;
    const kept = bytes.subarray(0, this.#most - this.#size);
    if (kept.length === 0 || this.#fd === undefined) return;
    writeAll(this.#disk, this.#fd, kept);
    this.#digest.update(kept);
    this.#size += kept.length;
    for (let at = kept.indexOf(LINE_FEED); at !== -1; at = kept.indexOf(LINE_FEED, at + 1)) this.#feeds++;
    this.#last = kept[kept.length - 1]!;
  }

  writeText(text: string): void {
    this.write(Buffer.from(text));
  }

  /** Puts its bytes on disk; it still has the partial name. */
  async sync(): Promise<void> {
    this.#findAgain();
    if (this.#fd !== undefined && this.#size > 0) await this.#disk.fdatasync(this.#fd);
  }

  /** The servant may have taken the file away while it printed, as `git stash -u` does: what is open still has every byte. */
  #findAgain(): void {
    if (this.#fd === undefined) return;
    const open = this.#disk.fstat(this.#fd);
    const found = this.#disk.lstat(this.#partial);
    if (found?.ino === open.ino && found.dev === open.dev) return;
    ensureFolderInside(this.#disk, this.#folder, dirname(this.#path));
    removeQuietly(this.#disk, this.#partial);
    const again = this.#disk.open(this.#partial, "wx");
    try {
      const chunk = Buffer.allocUnsafe(CHUNK);
      for (let at = 0, n = this.#disk.read(this.#fd, chunk, 0); n > 0; n = this.#disk.read(this.#fd, chunk, at)) {
        writeAll(this.#disk, again, chunk.subarray(0, n));
        at += n;
      }
    } finally {
      this.#disk.close(this.#fd);
      this.#fd = again;
    }
  }

  /** Gives it its name, or `path`, in the place of what stands there. The caller syncs the folder. */
  complete(path = this.#path): PacketFile {
    this.close();
    this.#disk.rename(this.#partial, join(this.#folder, path));
    const lines = this.#feeds + (this.#last === LINE_FEED ? 0 : 1);
    return { path, size: this.#size, sha256: this.#digest.digest("hex"), lines };
  }

  /** Lets go of it without completing it. */
  close(): void {
    if (this.#fd !== undefined) this.#disk.close(this.#fd);
    this.#fd = undefined;
  }
}
