/** The files of one entity as a reader of all of them sees them. */
import { sep } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import { UnsafePathError } from "../../disk.ts";
import { readIfThere } from "../../files/atomic.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Finding } from "../core/finding.ts";
import { wholeFile } from "../core/finding.ts";

/** Where the files of one entity are: on disk, and relative to the root for what is printed. Each is looked at once. */
export class EntityFiles {
  readonly disk: Disk;
  readonly folder: string;
  readonly relative: string;
  readonly #kinds = new Map<string, FileStat["kind"] | undefined>();
  readonly #found = new Map<string, Buffer | Finding | undefined>();

  constructor(disk: Disk, folder: string, relative: string) {
    this.disk = disk;
    this.folder = folder;
    this.relative = relative;
  }

  /** The kind of file at a name (with `/`); undefined when nothing stands there. A folder above it may be a link. */
  kindOf(name: string): FileStat["kind"] | undefined {
    if (!this.#kinds.has(name))
      this.#kinds.set(name, this.disk.lstat(name === "" ? this.folder : `${this.folder}${sep}${name}`)?.kind);
    return this.#kinds.get(name);
  }

  /** The same, "unsafe" where no folder leads to it. */
  fileAt(name: string): FileStat["kind"] | "unsafe" | undefined {
    for (let end = name.indexOf("/"); end > 0; end = name.indexOf("/", end + 1)) {
      const kind = this.kindOf(name.slice(0, end));
      if (kind === undefined) return undefined;
      if (kind !== "folder") return "unsafe";
    }
    return this.kindOf(name);
  }

  /** Bytes of a regular file to which no link leads, why there are none, or undefined when nothing stands there. */
  regularFile(name: string): Buffer | Finding | undefined {
    if (!this.#found.has(name)) this.#found.set(name, this.#read(name));
    return this.#found.get(name);
  }

  /** A file that is read tells that folders lead to it, and that saves a look at each. */
  #read(name: string): Buffer | Finding | undefined {
    const file = `${this.relative}/${name}`;
    try {
      const bytes = readIfThere(this.disk, `${this.folder}${sep}${name}`);
      if (bytes) this.#leadsTo(name);
      return bytes ?? (this.fileAt(name) === "unsafe" ? inTheWay(file) : undefined);
    } catch (e) {
      const kind = e instanceof UnsafePathError ? "unsafe" : this.fileAt(name);
      return kind === "file" || kind === undefined ? unreadable(file, e) : inTheWay(file);
    }
  }

  #leadsTo(name: string): void {
    for (let end = name.indexOf("/"); end > 0; end = name.indexOf("/", end + 1))
      this.#kinds.set(name.slice(0, end), "folder");
    this.#kinds.set(name, "file");
  }
}

function inTheWay(file: string): Finding {
  return wholeFile("PATH_UNSAFE", file, "Expected a regular file, found something else at this place or above it.");
}

/** A finding on one file, with the error of the system; the others of the folder are looked at all the same. */
export function unreadable(file: string, e: unknown): Finding {
  const errno = errnoOf(e);
  if (errno === undefined) throw e;
  return wholeFile("FILE_UNREADABLE", file, `Expected a file that can be read; the system said ${errno}.`);
}
