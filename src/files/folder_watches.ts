/**
 * Tells when a file in one of some folders may have changed, by a watch on each folder. That watch goes on when a file is replaced, or
 * goes and comes back. A hint, as every watch gives (log_watcher.ts).
 */
import { basename } from "node:path";
import type { Disk, FileStat, FilesWatch, WatchedFolders } from "../disk.ts";
import { errnoOf } from "./storage_error.ts";

interface Watched {
  /** As it was when the watch began: another one may have come in its place. */
  folder: FileStat;
  end: () => void;
}

export class FolderWatches implements FilesWatch {
  readonly #disk: Pick<Disk, "lstat" | "watch">;
  readonly #changed: () => void;
  readonly #watches = new Map<string, Watched>();
  #wanted: WatchedFolders = new Map();
  #isClosed = false;

  constructor(disk: Pick<Disk, "lstat" | "watch">, changed: () => void) {
    this.#disk = disk;
    this.#changed = changed;
  }

  /** Begins anew on a folder that was replaced, or whose watch failed. */
  set(wanted: WatchedFolders): void {
    if (this.#isClosed) return;
    this.#wanted = wanted;
    for (const path of this.#watches.keys()) if (!wanted.has(path)) this.#end(path);
    for (const path of wanted.keys()) {
      try {
        this.#watch(path);
      } catch (e) {
        if (errnoOf(e) === undefined) throw e;
        // Gone again, or not to be read: the look tells. Anything else is a limit of the system, and the next look tries anew.
        if (!["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"].includes(errnoOf(e)!)) return;
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const path of this.#watches.keys()) this.#end(path);
  }

  #watch(path: string): void {
    const folder = this.#disk.lstat(path);
    const before = this.#watches.get(path)?.folder;
    if (before && before.ino === folder?.ino && before.dev === folder.dev) return;
    this.#end(path);
    if (folder?.kind !== "folder") return;
    const onEntry = (name: string | null): void => this.#entryChanged(path, name);
    this.#watches.set(path, { folder, end: this.#disk.watch(path, onEntry, () => this.#end(path)) });
  }

  #end(path: string): void {
    this.#watches.get(path)?.end();
    this.#watches.delete(path);
  }

  #entryChanged(path: string, name: string | null): void {
    const names = this.#wanted.get(path);
    if (name === basename(path)) {
      // A folder that goes away is told by its own name. The number of its inode may be given to the next one.
      this.#end(path);
    } else if (name !== null && names?.has(name) === false) return;
    this.#changed();
  }
}
