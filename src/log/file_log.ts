/**
 * The file back end of a log: bytes in, bytes out, and what has to be true of them on a disk. It knows
 * nothing of events; order and meaning are the business of the files beside it.
 */
import type { Disk, FileStat } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { same } from "../files/file_sign.ts";
import type { ByteSource } from "./source.ts";
import { bytesSource } from "./source.ts";

/** How the file stands to what was read of it last. */
export type FileChange = "same" | "grown" | "replaced" | "missing";

const ANCHOR_BYTES = 64;
/** New bytes of a log are mostly a few lines, read in one go with the anchor before them. */
const NEWS_BYTES = 64 * 1024;
/** The engine reads new lines back into it, mostly a few. Nothing is kept there. */
const READ_BACK = Buffer.allocUnsafeSlow(16 * 1024);
/** No time of a file. */
const UNKNOWN = -1;
const LF = 0x0a;
/** The file of a log whose lines are all extra. */
const NO_FILE: FileStat = { dev: 0, ino: 0, size: 0, links: 1, mtimeMs: 0, ctimeMs: 0, kind: "file" };

interface LogOptions {
  /** Makes the file at a path one that has no other name; readers need none. */
  unshare?: (path: string) => void;
  /** Whole lines that count as standing behind those of the file, which may be missing: for readers alone. */
  extra?: Buffer | undefined;
}

let append: (log: FileLog, bytes: Buffer, isAlone: boolean) => number | null;

export class FileLog {
  static {
    append = (log, bytes, isAlone) => log.#append(bytes, isAlone);
  }

  readonly path: string;
  readonly #disk: Disk;
  readonly #unshare: (path: string) => void;
  readonly #extra: Buffer | undefined;
  #fd: number | null = null;
  #fdIno: number | null = null;
  /** How many syncs of a descriptor are under way: of a change and of a transaction there may be two. */
  readonly #syncing = new Map<number, number>();
  #sig: FileStat | null = null;
  /** The file at the last reading: what `#sig` becomes when the reader says that it took everything in. */
  #lastRead: FileStat | null = null;
  #unended = false;
  /** The last bytes before the end that was read: they must still be there when the file has grown. */
  #anchor: { offset: number; bytes: Buffer } | null = null;
  /** The end of the file as the last look that said "grown" read it, from the anchor on. */
  #news: { from: number; bytes: Buffer; stat: FileStat } | null = null;

  constructor(disk: Disk, path: string, { unshare = () => undefined, extra }: LogOptions = {}) {
    this.#disk = disk;
    this.path = path;
    this.#unshare = unshare;
    this.#extra = extra;
  }

  /**
   * Looks at the file by path. "grown" promises only that the bytes read so far still end the same way. A file put in
   * place by git has another inode, and an editor that rewrites in place moves or changes that end.
   */
  look(): FileChange {
    const stat = this.#disk.lstat(this.path) ?? (this.#extra && NO_FILE);
    if (!stat) {
      this.forget();
      return "missing";
    }
    if (stat.kind !== "file") {
      throw new TaskfoldError("LOG_UNREADABLE", `Expected events.jsonl to be a regular file, found a ${stat.kind}.`, {
        recovery: "Put the log back from git; nothing was changed.",
      });
    }
    const sig = this.#sig;
    if (!sig || stat.ino !== sig.ino || stat.dev !== sig.dev || stat.size < sig.size) {
      this.forget();
      return "replaced";
    }
    if (stat.size === sig.size) {
      if (same(stat, sig)) return "same";
      // Appended by us and on its way to the disk: whether it is there is for `holds` to say, by the bytes.
      if (sig.mtimeMs === UNKNOWN) return "same";
      return "replaced";
    }
    return this.#grew(stat) ? "grown" : "replaced";
  }

  /** The bytes as they are now. The caller reads, then says with `remember` how far it got. */
  withSource<T>(read: (source: ByteSource, stat: FileStat) => T): T {
    if (this.#extra) return this.#withExtra(this.#extra, read);
    return this.#open((fd) => {
      const news = this.#news;
      const before = news?.stat ?? this.#disk.fstat(fd);
      const bytes = (into: Uint8Array, position: number): number => this.#readAt(fd, into, position);
      const result = read({ size: () => before.size, read: bytes }, before);
      // Stated before reading: what is appended meanwhile shows as growth at the next look.
      this.#lastRead = before;
      return result;
    });
  }

  #withExtra<T>(extra: Buffer, read: (source: ByteSource, stat: FileStat) => T): T {
    const stat = this.#disk.lstat(this.path);
    const file = stat ? this.#disk.readFile(this.path) : Buffer.alloc(0);
    const closing = file.length > 0 && file.at(-1) !== LF ? [Buffer.of(LF)] : [];
    const bytes = Buffer.concat([file, ...closing, extra]);
    const before = stat ?? NO_FILE;
    const result = read(bytesSource(bytes), { ...before, size: bytes.length });
    this.#lastRead = before;
    return result;
  }

  /** The file as it was when it was last read to its end or written. */
  get seen(): FileStat | null {
    return this.#sig;
  }

  /** `offset`: end of the last complete line that was read. */
  remember(offset: number): void {
    // Only here: a reader that just looks something up must not make what it saw count as taken in.
    this.#sig = this.#lastRead;
    if (this.#extra) return;
    const size = this.#sig?.size ?? 0;
    const bytes = Buffer.allocUnsafe(Math.min(ANCHOR_BYTES, offset));
    const last = Buffer.alloc(1);
    this.#open((fd) => {
      this.#unended = size > 0 && this.#readAt(fd, last, size - 1) === 1 && last[0] !== LF;
      if (bytes.length > 0) this.#readAt(fd, bytes, offset - bytes.length);
    });
    this.#anchor = bytes.length > 0 ? { offset, bytes } : null;
    this.#news = null;
  }

  #append(bytes: Buffer, isAlone: boolean): number | null {
    const fd = this.#writerIfThere();
    const sig = this.#sig;
    if (fd === null || this.#fdIno !== sig?.ino) return null;
    const offset = sig.size;
    let wrote = 0;
    try {
      wrote = this.#disk.write(fd, bytes);
      if (wrote !== bytes.length) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
    } catch (e) {
      const part = bytes.subarray(0, wrote);
      const isGone = wrote === 0 || (isAlone && this.#takeBack(fd, part));
      this.forget();
      // Half a line never counts, nor does the LF that ends another one before it.
      throw isGone || !part.includes(LF, 1) ? e : leftBehind(e);
    }
    // The times are filled in by `holds`, which looks at the file anyway.
    this.#sig = { ...sig, size: offset + bytes.length, mtimeMs: UNKNOWN };
    this.#unended = false;
    const end = bytes.subarray(Math.max(0, bytes.length - ANCHOR_BYTES));
    this.#anchor = { offset: offset + bytes.length, bytes: Buffer.from(end) };
    return offset;
  }

  /** Cuts what a short write left, if that is the end of the file. */
  #takeBack(fd: number, part: Uint8Array): boolean {
    try {
      const { size } = this.#disk.fstat(fd);
      const at = size - part.length;
      const back = Buffer.alloc(part.length);
      if (at < 0 || this.#disk.read(fd, back, at) < part.length || !back.equals(part)) return false;
      return this.#shorten(fd, size, at);
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code === undefined) throw e;
      return false;
    }
  }

  /**
   * Cuts the bytes from `offset` on, once `keep` has them. False when the file is not the one that was read last, or another line
   * ends there by now. Call only while holding a lock that keeps out every writer.
   */
  cut(offset: number, keep: (bytes: Buffer) => void): boolean {
    const fd = this.#writerIfThere();
    const sig = this.#sig;
    if (fd === null || !sig || this.#fdIno !== sig.ino) return false;
    const bytes = Buffer.allocUnsafe(sig.size - offset);
    if (this.#disk.read(fd, bytes, offset) < bytes.length || bytes.includes(LF)) return false;
    keep(bytes);
    if (!this.#shorten(fd, sig.size, offset)) return false;
    this.#sig = { ...sig, size: offset, mtimeMs: UNKNOWN };
    this.#unended = false;
    return true;
  }

  /** False where a program that knows no lock of ours has appended meanwhile. */
  #shorten(fd: number, from: number, to: number): boolean {
    if (this.#disk.fstat(fd).size !== from) return false;
    this.#disk.truncate(fd, to);
    return true;
  }

  /** Whether the file that the path names now holds these bytes at that place. */
  holds(offset: number, bytes: Buffer): boolean {
    if (this.#fd === null) return false;
    const byPath = this.#disk.lstat(this.path);
    const own = this.#sig;
    if (!byPath || !own || byPath.ino !== own.ino || byPath.dev !== own.dev) return false;
    const { length } = bytes;
    const back = length <= READ_BACK.length ? READ_BACK : Buffer.allocUnsafe(length);
    if (this.#disk.read(this.#fd, back, offset) < length || back.compare(bytes, 0, length, 0, length) !== 0)
      return false;
    // With others' lines behind ours it stays as it is: the next look says "grown".
    if (byPath.size === own.size) this.#sig = byPath;
    return true;
  }

  syncNow(): void {
    this.#disk.fdatasyncSync(this.#writer());
  }

  /** Whether the file that was synced is still the one that is open. */
  async sync(): Promise<boolean> {
    const fd = this.#writer();
    this.#syncing.set(fd, (this.#syncing.get(fd) ?? 0) + 1);
    try {
      await this.#disk.fdatasync(fd);
    } finally {
      this.#synced(fd);
    }
    return this.#fd === fd;
  }

  /** The last one closes what was let go of meanwhile. */
  #synced(fd: number): void {
    const left = this.#syncing.get(fd)! - 1;
    if (left > 0) this.#syncing.set(fd, left);
    else this.#syncing.delete(fd);
    if (left === 0 && this.#fd !== fd) this.#disk.close(fd);
  }

  /** The way to the file may lead to another one now: the next look says "replaced". */
  doubt(): void {
    this.#sig = null;
  }

  /** Drops what is known of the file; the next look says "replaced". */
  forget(): void {
    this.close();
    this.#sig = null;
    this.#anchor = null;
    this.#news = null;
  }

  close(): void {
    // One that is being synced is closed afterwards: until then its number must not become another file's.
    const fd = this.#fd;
    this.#fd = null;
    this.#fdIno = null;
    if (fd === null || this.#syncing.has(fd)) return;
    try {
      this.#disk.close(fd);
    } catch (e) {
      // A system that refuses has closed it all the same, and loses no more than bytes that no sync has covered.
      if ((e as NodeJS.ErrnoException).code === undefined) throw e;
    }
  }

  get isOpen(): boolean {
    return this.#fd !== null;
  }

  /** True when the last byte is no newline: what is appended next begins with one. */
  get unended(): boolean {
    return this.#unended;
  }

  #writer(): number {
    if (this.#fd === null) {
      // Never makes the file: an empty log in the place of one that was just taken away would look like a lost one.
      this.#fd = this.#disk.open(this.path, "ra");
      const { ino, links } = this.#disk.fstat(this.#fd);
      this.#fdIno = ino;
      if (links > 1) this.#ownFile();
    }
    return this.#fd;
  }

  /**
   * Appended lines would show under the other name too. The next look finds another file, and the caller decides again.
   */
  #ownFile(): void {
    this.close();
    this.#unshare(this.path);
    this.#fd = this.#disk.open(this.path, "ra");
    this.#fdIno = this.#disk.fstat(this.#fd).ino;
  }

  #writerIfThere(): number | null {
    try {
      return this.#writer();
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw e;
    }
  }

  /** Whether what was read last is still there before what is new, and keeps both for the reading that follows. */
  #grew(stat: FileStat): boolean {
    this.#news = null;
    const anchor = this.#anchor;
    if (!anchor) return false;
    const from = anchor.offset - anchor.bytes.length;
    const bytes = Buffer.allocUnsafe(Math.min(stat.size - from, NEWS_BYTES));
    if (this.#open((fd) => this.#disk.read(fd, bytes, from)) !== bytes.length) return false;
    if (bytes.compare(anchor.bytes, 0, anchor.bytes.length, 0, anchor.bytes.length) !== 0) return false;
    if (from + bytes.length === stat.size) this.#news = { from, bytes, stat };
    return true;
  }

  #readAt(fd: number, into: Uint8Array, position: number): number {
    const news = this.#news;
    if (!news || position < news.from) return this.#disk.read(fd, into, position);
    return news.bytes.copy(into, 0, position - news.from);
  }

  #open<T>(work: (fd: number) => T): T {
    const kept = this.#fd;
    const fd = kept ?? this.#disk.open(this.path, "r");
    try {
      return work(fd);
    } finally {
      if (kept === null) this.#disk.close(fd);
    }
  }
}

/**
 * Appends in one write call and gives the offset of the first byte. Null says that the file is another one than the
 * one that was looked at: the caller looks again and decides again. Call only while holding the lock. `isAlone`: it has no
 * other holder. Then a short write is cut back at once, and a full disk leaves a log that ends with a line. Lines of another
 * process behind it stay. This is a function and no method, so that import lines show which file appends: readers hold a log, too.
 */
export function appendTo(log: FileLog, bytes: Buffer, isAlone: boolean): number | null {
  return append(log, bytes, isAlone);
}

function leftBehind(cause: unknown): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_OUTCOME",
    "Expected to take back a write that came out short; the log keeps a part of it, which may hold whole lines.",
    { cause, recovery: "Call again with the same idempotency_key: it is applied once." },
  );
}
