/**
 * Replaces files that others read all the time, for a tenth of what temporary file and rename cost. The new text goes
 * into a file in the machine's own registry (temp_file_pool.ts), and the two names are exchanged. A reader finds the old text
 * or the new. An edit that arrived after the caller looked comes out of the folder and is handed over. Where names
 * cannot be exchanged, temporary file and rename serve (spec/decisions/0005).
 */
import type { Disk, FileStat } from "../disk.ts";
import { writeAtomic } from "./atomic.ts";
import { sameExceptCtime } from "./file_sign.ts";
import type { TempFile, TempFilePool } from "./temp_file_pool.ts";
import { errnoOf } from "./storage_error.ts";

/** No exchange on this platform, on this file system, or between these two. */
const NO_EXCHANGE = new Set(["ENOSYS", "EINVAL", "EXDEV", "ENOTSUP", "EOPNOTSUPP"]);

/**
 * The file that the caller found at the name. `own`: it put that there itself, and no other program has touched it
 * since.
 */
export interface KnownFile {
  stat: FileStat | undefined;
  own: boolean;
}

/** A file that is about to leave its name, as far as it can be kept: nothing of a pipe, a socket or a device. */
export interface ReplacedFile {
  kind: "file" | "link" | "special file";
  /** Of a file; of a link, where it leads. */
  bytes: Buffer;
}

export function replacedFileAt(disk: Disk, path: string, kind: ReplacedFile["kind"]): ReplacedFile {
  if (kind === "link") return { kind, bytes: Buffer.from(disk.readlink(path)) };
  return { kind, bytes: kind === "file" ? disk.readFile(path) : Buffer.alloc(0) };
}

/** One per open workspace: it finds out once whether names can be exchanged here. */
export class Replacer {
  readonly #disk: Disk;
  readonly #tempFiles: TempFilePool;
  #exchanges = true;

  constructor(disk: Disk, tempFiles: TempFilePool) {
    this.#disk = disk;
    this.#tempFiles = tempFiles;
  }

  /**
   * Puts `text` at `path` and gives what the file is now. A file that came there after the caller looked goes to `late`
   * before it is removed. Throws what the disk says, or `late`; then `path` is as it was.
   */
  replace(path: string, text: string, seen: KnownFile, late: (replaced: ReplacedFile) => void): FileStat | undefined {
    // Nothing to exchange with where nothing stands; if the place holds no file, the rename replaces it or is refused.
    const put = this.#exchanges && seen.stat?.kind === "file" && this.#exchange(path, text, seen, late);
    if (put) return put;
    writeAtomic(this.#disk, path, text);
    return this.#disk.lstat(path);
  }

  /** Undefined: not this time, or never here; nothing has changed. */
  #exchange(path: string, text: string, seen: KnownFile, late: (replaced: ReplacedFile) => void): FileStat | undefined {
    const temp = this.#tempFiles.take(text);
    if (!temp) return undefined;
    try {
      this.#disk.exchange(temp.path, path);
    } catch (e) {
      this.#tempFiles.drop(temp);
      const errno = errnoOf(e) ?? "";
      if (NO_EXCHANGE.has(errno)) this.#exchanges = false;
      else if (errno !== "ENOENT") throw e;
      return undefined;
    }
    const is = this.#disk.fstat(temp.fd);
    this.#takeOut(temp, path, seen, late);
    return is;
  }

  /** The file at the temporary name now was in view until a moment ago. */
  #takeOut(temp: TempFile, path: string, seen: KnownFile, late: (replaced: ReplacedFile) => void): void {
    const disk = this.#disk;
    const out = disk.lstat(temp.path);
    try {
      if (out?.kind === "folder") throw Object.assign(new Error(`EISDIR: replace '${path}'`), { code: "EISDIR" });
      if (out?.kind === "file" && seen.stat && sameExceptCtime(out, seen.stat)) {
        // A second name that it got just before keeps its text.
        if (seen.own && out.links === 1) return this.#tempFiles.rest(temp, out);
      } else if (out) late(replacedFileAt(disk, temp.path, out.kind));
    } catch (e) {
      disk.exchange(temp.path, path);
      this.#tempFiles.drop(temp);
      throw e;
    }
    this.#tempFiles.drop(temp);
  }
}
