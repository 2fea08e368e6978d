/** Tells when one file may have changed, by a watch on its folder. A hint, as every watch gives (log_watcher.ts). */
import { basename, dirname } from "node:path";
import type { Disk, FileStat } from "../disk.ts";
import { errnoOf } from "./storage_error.ts";

export class FileWatcher {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #name: string;
  readonly #changed: () => void;
  /** The folder when the watch began: another one may have come in its place. */
  #watched: FileStat | undefined;
  #end: (() => void) | null = null;

  constructor(disk: Disk, path: string, changed: () => void) {
    this.#disk = disk;
    this.#folder = dirname(path);
    this.#name = basename(path);
    this.#changed = changed;
  }

  /** Watches the folder that is there now. */
  look(): void {
    const stat = this.#disk.lstat(this.#folder);
    if (this.#end && stat?.ino === this.#watched?.ino && stat?.dev === this.#watched?.dev) return;
    this.close();
    if (stat?.kind !== "folder") return;
    this.#watched = stat;
    try {
      this.#end = this.#disk.watch(
        this.#folder,
        (name) => this.#entryChanged(name),
        () => this.close(),
      );
    } catch (e) {
      // The system has no more watches to give, or the folder is gone again: the next look tries anew.
      if (errnoOf(e) === undefined) throw e;
    }
  }

  close(): void {
    this.#end?.();
    this.#end = null;
  }

  #entryChanged(name: string | null): void {
    // A folder that goes away is told by its own name.
    if (name === basename(this.#folder)) this.close();
    else if (name !== null && name !== this.#name) return;
    this.#changed();
  }
}
