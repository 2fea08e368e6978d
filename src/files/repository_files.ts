/** Files beside `.coco` that a person asks to have changed. No link is followed on the way to them. */
import { dirname, join, resolve } from "node:path";
import { FileTooLargeError } from "../disk.ts";
import type { Disk } from "../disk.ts";
import type { Disks, HeldDisk } from "../disks.ts";
import { TaskfoldError } from "../errors.ts";
import { readIfThere, writeAtomic } from "./atomic.ts";
import { ensureFolderInside } from "./folders.ts";

const MAX_BYTES = 1024 * 1024;

export class RepositoryFiles {
  readonly #root: string;
  readonly #held: HeldDisk;
  readonly #disk: Disk;

  constructor(disks: Disks, root: string) {
    this.#root = resolve(root);
    this.#held = disks.below(this.#root);
    this.#disk = this.#held.disk;
  }

  isThere(path: string): boolean {
    return this.#kind(path) !== undefined;
  }

  /** Whether the file, or a folder on the way to it, is a link. */
  isLinked(path: string): boolean {
    const names = path.split("/");
    return names.some((_, i) => this.#kind(names.slice(0, i + 1).join("/")) === "link");
  }

  /** Undefined where there is none. Throws PATH_UNSAFE, CONTENT_TOO_LARGE, and INVALID_INPUT for what is no UTF-8. */
  read(path: string): string | undefined {
    this.#refuseOther(path);
    try {
      const bytes = readIfThere(this.#disk, this.#at(path), MAX_BYTES);
      return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch (e) {
      if (e instanceof FileTooLargeError) throw refused("CONTENT_TOO_LARGE", path, `at most ${MAX_BYTES} bytes`);
      if (e instanceof TypeError) throw refused("INVALID_INPUT", path, "UTF-8 text");
      throw e;
    }
  }

  /** Makes the folders that are missing; a file that was there keeps its rights. */
  write(path: string, text: string): void {
    this.#refuseOther(path);
    if (path.includes("/")) ensureFolderInside(this.#disk, this.#root, dirname(path));
    const at = this.#at(path);
    const like = this.#kind(path) === undefined ? undefined : this.#disk.open(at, "r");
    try {
      writeAtomic(this.#disk, at, text, { sync: true, ...(like === undefined ? {} : { like }) });
    } finally {
      if (like !== undefined) this.#disk.close(like);
    }
  }

  /** Takes the file away, and its folder where nothing else is in it. */
  remove(path: string): void {
    this.#refuseOther(path);
    this.#disk.unlink(this.#at(path));
    const folder = dirname(path);
    if (folder !== "." && this.#disk.readdir(this.#at(folder)).length === 0) this.#disk.rmdir(this.#at(folder));
  }

  close(): void {
    this.#held.release();
  }

  #at(path: string): string {
    return join(this.#root, path);
  }

  #kind(path: string): string | undefined {
    return this.#disk.lstat(this.#at(path))?.kind;
  }

  #refuseOther(path: string): void {
    const kind = this.#kind(path);
    if (this.isLinked(path)) {
      throw new TaskfoldError("PATH_UNSAFE", `Expected ${path} to be reached without a link, found one on the way.`, {
        recovery: "Put the file itself in the place of the link, or leave that client out with --client.",
      });
    }
    if (kind !== undefined && kind !== "file") throw refused("INVALID_INPUT", path, `a file (this is a ${kind})`);
  }
}

function refused(code: "CONTENT_TOO_LARGE" | "INVALID_INPUT", path: string, expected: string): TaskfoldError {
  return new TaskfoldError(code, `Expected ${path} to be ${expected}; nothing was changed.`, {
    recovery: "Correct the file, or leave that client out with --client.",
  });
}
