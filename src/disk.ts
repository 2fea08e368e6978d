/**
 * The small file interface: every call the log, the files layer and the engine make on a disk. Synchronous on purpose:
 * asynchronous calls cost 12 to 43 times more for work this small. Only `fdatasync` has an asynchronous form, so that
 * the event loop is free while a batch waits.
 *
 * A test double (`test/support/faulty_disk.ts`) fails, cuts short or stops at call N.
 */
import type { Bytes } from "./global_types.ts";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { FileTooLargeError, UnsafePathError } from "./disk_errors.ts";
import { nameOf, textOfName } from "./name_bytes.ts";
import { randomHex } from "./random_hex.ts";
import type { FilesWatch } from "./poll_files.ts";
import { pollFiles } from "./poll_files.ts";

export { deniedAt, FileTooLargeError, isDenied, UnsafePathError } from "./disk_errors.ts";
export type { DeniedError } from "./disk_errors.ts";
export type { FilesWatch, WatchedFolders } from "./poll_files.ts";

export interface FileStat {
  dev: number;
  ino: number;
  size: number;
  /** How many names it has. */
  links: number;
  /** Milliseconds with a fraction; compared for equality only. */
  mtimeMs: number;
  ctimeMs: number;
  kind: "file" | "folder" | "link" | "special file";
}

/** A name in a folder, and what it is the name of. */
export interface FolderEntry {
  name: string;
  kind: FileStat["kind"];
}

/**
 * As in fopen(3): "r", "r+", "a+" (append and read), "wx" (create, must not exist); "ra" is "a+" of what has to exist.
 * No flag follows a link in the place of the file (ELOOP), and none waits for the other end of a pipe.
 */
export type OpenFlags = "r" | "r+" | "a+" | "ra" | "wx";

/** The largest file that is read whole, where a reader states no smaller limit. */
export const WHOLE_FILE_BYTES = 256 * 1024 * 1024;

/** The looks outside of the root, each named where it is used: the system's own files, git's index, a file that the user names. */
export interface OutsideReader {
  stat(path: string): FileStat | undefined;
  /** Bytes of a regular file; FileTooLargeError above `most`. */
  readFile(path: string, most: number): Bytes;
  /** The first bytes of a regular file, or all where it has fewer. */
  head(path: string, bytes: number): Bytes;
  /** The path without links, as the file system itself spells it. */
  realpath(path: string): string;
  /** Names in a folder as their bytes, which may be no text. */
  namesIn(path: string): Bytes[];
  /** Whether this user may execute the file. */
  isExecutable(path: string): boolean;
}

export interface Disk {
  open(path: string, flags: OpenFlags): number;
  close(fd: number): void;
  /** One write(2): returns how many bytes went out, which may be fewer than given. */
  write(fd: number, bytes: Uint8Array, position?: number): number;
  /** One pread(2) into `into`; returns how many bytes came. */
  read(fd: number, into: Uint8Array, position: number): number;
  truncate(fd: number, size: number): void;
  fstat(fd: number): FileStat;
  /** Follows links; undefined when there is nothing of that name. */
  stat(path: string): FileStat | undefined;
  /** Does not follow links; undefined when there is nothing of that name. */
  lstat(path: string): FileStat | undefined;
  fdatasyncSync(fd: number): void;
  fdatasync(fd: number): Promise<void>;
  fsync(fd: number): void;
  /** Gives an open file the rights of another. */
  copyMode(from: number, to: number): void;
  /** fsync of a folder, so that a new or renamed name survives a crash. A no-op where the platform has none. */
  syncFolder(path: string): void;
  /** Bytes of a regular file; FileTooLargeError above `most` (default WHOLE_FILE_BYTES). */
  readFile(path: string, most?: number): Bytes;
  readdir(path: string): string[];
  /** Names of the folders in a folder, links to folders not among them. */
  readFolders(path: string): string[];
  /** All that is in a folder. Here alone names are told byte for byte (name_bytes.ts); every call takes such a name. */
  entries(path: string): FolderEntry[];
  /** Where a link leads. */
  readlink(path: string): string;
  /** Creates one folder; throws EEXIST when the name is taken. */
  mkdir(path: string): void;
  rename(from: string, to: string): void;
  /** Exchanges what two names stand for, in one step; throws ENOSYS where nothing here does that. `spare`: a name that nothing else reads. */
  exchange(spare: string, other: string): void;
  unlink(path: string): void;
  rmdir(path: string): void;
  /**
   * Tells when an entry of this folder may have changed, by its name, or null for any of them; `failed` when it tells no
   * more. A hint and no more than that. Gives what ends it. Keeps no process alive.
   */
  watch(path: string, changed: (name: string | null) => void, failed: () => void): () => void;
  /**
   * Tells when a file in some folders may have changed, by looks at files: for mounts of which the system tells nothing. A disk that is none
   * of this machine's has no such watch: then a look finds what changed.
   */
  pollFiles?: (changed: () => void) => FilesWatch;
  /** A name for a new file, which no file had and no program can guess: 32 hexadecimal digits. */
  newName(): string;
  /** Which folder this is, as no other folder of this machine was ever: device, inode and birth; undefined when there is none. */
  identity(path: string): string | undefined;
  readonly outside: OutsideReader;
}

function toStat(s: fs.Stats): FileStat {
  return {
    dev: s.dev,
    ino: s.ino,
    size: s.size,
    links: s.nlink,
    mtimeMs: s.mtimeMs,
    ctimeMs: s.ctimeMs,
    kind: kindOf(s.mode),
  };
}

/** By the mode itself: `isFile` and its siblings, asked in turn, cost as much as the call to the system. */
function kindOf(mode: number): FileStat["kind"] {
  switch (mode & fs.constants.S_IFMT) {
    case fs.constants.S_IFREG:
      return "file";
    case fs.constants.S_IFDIR:
      return "folder";
    case fs.constants.S_IFLNK:
      return "link";
    default:
      return "special file";
  }
}

/**
 * renameat2 with RENAME_EXCHANGE, by the optional package; null where there is none. Windows and macOS do without: on
 * Windows the package moves three times, which leaves a moment without the name, and macOS is untried.
 */
let swap: ((one: string, other: string) => void) | null | undefined;

function loadSwap(): ((one: string, other: string) => void) | null {
  if (process.platform !== "linux") return null;
  try {
    return (createRequire(import.meta.url)("fs-native-extensions") as typeof import("fs-native-extensions").default)
      .swapSync;
  } catch {
    // Not installed, or built for another libc: what is optional is not missed.
    return null;
  }
}

/** No flag waits for a pipe's other end or follows a link. Windows has neither flag, and hardly links or pipes with names. */
const SAFE = (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);
const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL } = fs.constants;
const FLAGS: Record<OpenFlags, number> = {
  r: O_RDONLY | SAFE,
  "r+": O_RDWR | SAFE,
  "a+": O_RDWR | O_APPEND | O_CREAT | SAFE,
  ra: O_RDWR | O_APPEND | SAFE,
  wx: O_RDWR | O_CREAT | O_EXCL | SAFE,
};

/** Opens a regular file; anything else is closed again untouched. */
function openRegular(path: string, flags: OpenFlags): number {
  const fd = openAny(path, flags);
  if (flags !== "wx") sizeOfRegular(fd, path);
  return fd;
}

function openAny(path: string, flags: OpenFlags): number {
  try {
    return fs.openSync(nameOf(path), FLAGS[flags], 0o644);
  } catch (e) {
    throw unsafe(e, path);
  }
}

/** Closes what is no regular file. */
function sizeOfRegular(fd: number, path: string): number {
  const { mode, size } = fs.fstatSync(fd);
  const kind = kindOf(mode);
  if (kind === "file") return size;
  fs.closeSync(fd);
  if (kind === "folder") throw Object.assign(new Error(`EISDIR: open '${path}'`), { code: "EISDIR" });
  throw new UnsafePathError(path, "special file");
}

/** ELOOP is a link; ENXIO a pipe without a reader, a socket, or a device that is not there. */
function unsafe(e: unknown, path: string): unknown {
  const errno = (e as NodeJS.ErrnoException).code;
  if (errno !== "ELOOP" && errno !== "ENXIO") return e;
  const isLink = fs.lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? errno === "ELOOP";
  return new UnsafePathError(path, isLink ? "link" : "special file");
}

/** Room for what a file without a stated size may hold: those of /proc state none, and most have a line or two. */
const UNSTATED_BYTES = 1024;

/** Everything in an open file of a stated size, at most `most` bytes; files of /proc state no size, others may grow meanwhile. */
function readOpen(fd: number, size: number, most: number, shown: string): Buffer {
  if (size > most) throw new FileTooLargeError(shown, most);
  const parts: Buffer[] = [];
  let length = 0;
  // One byte more than stated shows the end without a second call.
  for (let room = Math.min(size > 0 ? size + 1 : UNSTATED_BYTES, most + 1); ; room = 64 * 1024) {
    const part = Buffer.allocUnsafe(room);
    let n = 0;
    // A read that ends at the stated size or behind it has seen the end; where none is stated, only an empty one has.
    for (let got = -1; got !== 0 && n < room && !(size > 0 && length + n >= size); n += got)
      got = fs.readSync(fd, part, n, room - n, null);
    parts.push(part.subarray(0, n));
    length += n;
    if (length > most) throw new FileTooLargeError(shown, most);
    if (n < room) return parts.length === 1 ? parts[0]! : Buffer.concat(parts, length);
  }
}

/** The file at `path`; errors name it `shown`. */
export function readWhole(path: string, most: number, shown = path): Buffer {
  const fd = openAny(path, "r");
  const size = sizeOfRegular(fd, path);
  try {
    return readOpen(fd, size, most, shown);
  } finally {
    fs.closeSync(fd);
  }
}

function lstatOf(path: string): FileStat | undefined {
  try {
    const s = fs.lstatSync(nameOf(path), { throwIfNoEntry: false });
    return s && toStat(s);
  } catch (e) {
    return absent(e);
  }
}

function statOf(path: string): FileStat | undefined {
  try {
    const s = fs.statSync(nameOf(path), { throwIfNoEntry: false });
    return s && toStat(s);
  } catch (e) {
    return absent(e);
  }
}

/** The name before it is no folder: then there is nothing of that name either. */
function absent(e: unknown): undefined {
  if ((e as NodeJS.ErrnoException).code !== "ENOTDIR") throw e;
}

function syncFolderAt(path: string): void {
  // Windows cannot open a folder for fsync; there the rename itself is all one can have.
  if (process.platform === "win32") return;
  const fd = fs.openSync(path, "r");
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

function foldersIn(path: string): string[] {
  const names: string[] = [];
  for (const entry of fs.readdirSync(path, { withFileTypes: true })) if (entry.isDirectory()) names.push(entry.name);
  return names;
}

function entriesIn(path: string): FolderEntry[] {
  const found = fs.readdirSync(nameOf(path), { encoding: "buffer", withFileTypes: true });
  return found.map((entry) => ({ name: textOfName(entry.name), kind: kindOfEntry(entry) }));
}

function kindOfEntry(entry: fs.Dirent<Buffer>): FileStat["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "special file";
}

function exchangeNames(one: string, other: string): void {
  if (swap === undefined) swap = loadSwap();
  if (!swap) throw Object.assign(new Error(`ENOSYS: exchange '${one}' with '${other}'`), { code: "ENOSYS" });
  swap(one, other);
}

function watchFolder(path: string, changed: (name: string | null) => void, failed: () => void): () => void {
  const watcher = fs.watch(path, { persistent: false }, (_type, name) => changed(name));
  watcher.on("error", failed);
  return () => watcher.close();
}

function identityOf(path: string): string | undefined {
  const s = fs.statSync(path, { throwIfNoEntry: false, bigint: true });
  return s && `${s.dev} ${s.ino} ${s.birthtimeNs}`;
}

/** The system's errors in a file that is larger than stated, or none at all, are the reader's to tell. */
const outside: OutsideReader = {
  stat: statOf,
  realpath: (path) => fs.realpathSync.native(path),
  namesIn: (path) => fs.readdirSync(path, { encoding: "buffer" }),
  isExecutable: (path) => {
    try {
      fs.accessSync(nameOf(path), fs.constants.X_OK);
      return true;
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code === undefined) throw e;
      return false;
    }
  },
  readFile: (path, most) => readOutside(path, (fd, size) => readOpen(fd, size, most, path)),
  head: (path, bytes) =>
    readOutside(path, (fd) => {
      const head = Buffer.alloc(bytes);
      return head.subarray(0, fs.readSync(fd, head, 0, bytes, 0));
    }),
};

function readOutside(path: string, read: (fd: number, size: number) => Buffer): Buffer {
  // A user's own link is followed: what it leads to has to be a file all the same.
  const fd = fs.openSync(nameOf(path), O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const { mode, size } = fs.fstatSync(fd);
    if (kindOf(mode) !== "file") throw new UnsafePathError(path, "special file");
    return read(fd, size);
  } finally {
    fs.closeSync(fd);
  }
}

/** The real disk by path: follows links on the way to a name. Everything below a root goes through `RootedDisk` (rooted_disk.ts). */
export const nodeDisk: Disk = {
  open: openRegular,
  close: (fd) => fs.closeSync(fd),
  write: (fd, bytes, position) => fs.writeSync(fd, bytes, 0, bytes.length, position ?? null),
  read: (fd, into, position) => fs.readSync(fd, into, 0, into.length, position),
  truncate: (fd, size) => fs.ftruncateSync(fd, size),
  fstat: (fd) => toStat(fs.fstatSync(fd)),
  stat: statOf,
  lstat: lstatOf,
  fdatasyncSync: (fd) => fs.fdatasyncSync(fd),
  fdatasync: (fd) => new Promise((done, fail) => fs.fdatasync(fd, (e) => (e ? fail(e) : done()))),
  fsync: (fd) => fs.fsyncSync(fd),
  copyMode: (from, to) => fs.fchmodSync(to, fs.fstatSync(from).mode & 0o777),
  syncFolder: syncFolderAt,
  readFile: (path, most = WHOLE_FILE_BYTES) => readWhole(path, most),
  readdir: (path) => fs.readdirSync(nameOf(path)),
  readFolders: foldersIn,
  entries: entriesIn,
  readlink: (path) => fs.readlinkSync(nameOf(path)),
  mkdir: (path) => fs.mkdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  exchange: exchangeNames,
  unlink: (path) => fs.unlinkSync(path),
  rmdir: (path) => fs.rmdirSync(path),
  watch: watchFolder,
  pollFiles,
  newName: () => randomHex(32),
  identity: identityOf,
  outside,
};

/** Linux: names a place in the tree and opens nothing. Elsewhere the value means other things, and is not used. */
const O_PATH = 0o10000000;
const FOLDER = O_PATH | (fs.constants.O_DIRECTORY ?? 0);

/**
 * Calls of the system that `RootedDisk` needs besides: folders as descriptors. Linux with /proc; `works` says whether.
 */
export const folderDescriptors = {
  /** Names in a folder are reached by `${path}${fd}/${name}`. */
  path: "/proc/self/fd/",
  /** A link in the place of the folder is followed only if `follow`. ENOTDIR for a link, as for a file. */
  open: (path: string, { follow = false } = {}): number =>
    fs.openSync(nameOf(path), follow ? FOLDER : FOLDER | (fs.constants.O_NOFOLLOW ?? 0)),
  /** Where an open file or folder is now, as the system tells it. */
  pathOf: (fd: number): string => textOfName(fs.readlinkSync(folderDescriptors.path + fd, "buffer")),
  works: (): boolean => {
    if (process.platform !== "linux") return false;
    try {
      const fd = folderDescriptors.open("/");
      try {
        return folderDescriptors.pathOf(fd) === "/" && fs.statSync(`${folderDescriptors.path}${fd}/`).isDirectory();
      } finally {
        fs.closeSync(fd);
      }
    } catch {
      // /proc is not mounted, or hidden: the slower way serves.
      return false;
    }
  },
};

/** Makes a new folder that only this user can enter; its name begins with `prefix` and cannot be guessed. */
export function makePrivateFolder(prefix: string): string {
  return fs.mkdtempSync(prefix);
}

/** Removes it with all that programs put there. False where a part of it stays, which the system clears with its temporary files. */
export function removePrivateFolder(path: string): boolean {
  try {
    fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    return true;
  } catch {
    return false;
  }
}

/** A script that others start. */
export function makeExecutable(path: string): void {
  fs.chmodSync(path, 0o755);
}

/**
 * Both ends of a pipe with a name (mkfifo). The reader never blocks; the writer does, because a program that gets it expects that.
 * UnsafePathError where something else stands there.
 */
export function openPipe(path: string): { reader: number; writer: number } {
  const reader = fs.openSync(path, O_RDONLY | SAFE);
  try {
    if (!fs.fstatSync(reader).isFIFO()) throw new UnsafePathError(path, "special file");
    return { reader, writer: fs.openSync(path, fs.constants.O_WRONLY | (fs.constants.O_NOFOLLOW ?? 0)) };
  } catch (e) {
    fs.closeSync(reader);
    throw e;
  }
}

/**
 * Reading by promises, for code in the event loop of another program: the guard that stands before an agent's file
 * tools.
 */
export interface PathReader {
  /** Does not follow links; undefined when there is nothing of that name. */
  lstat(path: string): Promise<FileStat | undefined>;
  readlink(path: string): Promise<string>;
  /** As the file system itself spells it; undefined when there is nothing of that name. */
  realpath(path: string): Promise<string | undefined>;
  readdir(path: string): Promise<{ name: string; isFolder: boolean }[]>;
}

/** No such name; or the name before it is no folder. */
function ifThere<T>(wanted: Promise<T>): Promise<T | undefined> {
  return wanted.catch((e: NodeJS.ErrnoException) => {
    if (e.code === "ENOENT" || e.code === "ENOTDIR") return undefined;
    throw e;
  });
}

/** The real disk, by the promises of node:fs. */
export const nodePathReader: PathReader = {
  lstat: (path) => ifThere(fs.promises.lstat(path).then(toStat)),
  readlink: (path) => fs.promises.readlink(path),
  realpath: (path) =>
    ifThere(new Promise((done, fail) => fs.realpath.native(path, (e, real) => (e ? fail(e) : done(real))))),
  readdir: async (path) =>
    (await fs.promises.readdir(path, { withFileTypes: true })).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
    })),
};
