/**
 * The small file interface: every call the log, the files layer and the engine make on a disk.
 * Synchronous on purpose: asynchronous calls cost 12 to 43 times more for work this small; only
 * `fdatasync` has an asynchronous form, so that the event loop is free while a batch waits.
 *
 * A test double (`test/support/faulty_disk.ts`) fails, cuts short or stops at call N.
 */
import * as fs from "node:fs";
import { createRequire } from "node:module";

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

/**
 * As in fopen(3): "r", "a+" (append and read), "wx" (create, must not exist), "w"; "ra" is "a+" of what has to exist; "nofollow"
 * is "r" that throws ELOOP when the path itself is a link, and waits for nobody when it is a pipe, where the system knows of that.
 */
export type OpenFlags = "r" | "r+" | "a+" | "ra" | "w" | "wx" | "nofollow";

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
  /** fsync of a folder, so that a new or renamed name survives a crash. A no-op where the platform has none. */
  syncFolder(path: string): void;
  readFile(path: string): Buffer;
  readdir(path: string): string[];
  /** Names of the folders in a folder, links to folders not among them. */
  readFolders(path: string): string[];
  /** Where a link leads. */
  readlink(path: string): string;
  /** Creates one folder; throws EEXIST when the name is taken. */
  mkdir(path: string): void;
  rename(from: string, to: string): void;
  /** Exchanges what two names stand for, in one step; throws ENOSYS where nothing here does that. */
  exchange(one: string, other: string): void;
  unlink(path: string): void;
  rmdir(path: string): void;
  realpath(path: string): string;
  /**
   * Tells when an entry of this folder may have changed, by its name, or null for any of them; `failed` when it tells no
   * more. A hint and no more than that. Gives what ends it. Keeps no process alive.
   */
  watch(path: string, changed: (name: string | null) => void, failed: () => void): () => void;
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
 * renameat2 with RENAME_EXCHANGE, by the optional package; null where there is none. On Windows the package moves
 * three times, which leaves a moment without the name, and on macOS nobody tried it here: both do without.
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

/** Flags that node:fs has no word for. Windows has no O_NOFOLLOW, and hardly links or pipes with names. */
const OWN_FLAGS: Partial<Record<OpenFlags, number>> = {
  ra: fs.constants.O_RDWR | fs.constants.O_APPEND,
  nofollow: fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0),
};

/** The real disk, by node:fs. */
export const nodeDisk: Disk = {
  open: (path, flags) => fs.openSync(path, OWN_FLAGS[flags] ?? flags, 0o644),
  close: (fd) => fs.closeSync(fd),
  write: (fd, bytes, position) => fs.writeSync(fd, bytes, 0, bytes.length, position ?? null),
  read: (fd, into, position) => fs.readSync(fd, into, 0, into.length, position),
  truncate: (fd, size) => fs.ftruncateSync(fd, size),
  fstat: (fd) => toStat(fs.fstatSync(fd)),
  stat: (path) => {
    const s = fs.statSync(path, { throwIfNoEntry: false });
    return s && toStat(s);
  },
  lstat: (path) => {
    const s = fs.lstatSync(path, { throwIfNoEntry: false });
    return s && toStat(s);
  },
  fdatasyncSync: (fd) => fs.fdatasyncSync(fd),
  fdatasync: (fd) => new Promise((done, fail) => fs.fdatasync(fd, (e) => (e ? fail(e) : done()))),
  fsync: (fd) => fs.fsyncSync(fd),
  syncFolder: (path) => {
    // Windows cannot open a folder for fsync; there the rename itself is all one can have.
    if (process.platform === "win32") return;
    const fd = fs.openSync(path, "r");
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
  readFile: (path) => fs.readFileSync(path),
  readdir: (path) => fs.readdirSync(path),
  readFolders: (path) => {
    const names: string[] = [];
    for (const entry of fs.readdirSync(path, { withFileTypes: true })) if (entry.isDirectory()) names.push(entry.name);
    return names;
  },
  readlink: (path) => fs.readlinkSync(path),
  mkdir: (path) => fs.mkdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  exchange: (one, other) => {
    if (swap === undefined) swap = loadSwap();
    if (!swap) throw Object.assign(new Error(`ENOSYS: exchange '${one}' with '${other}'`), { code: "ENOSYS" });
    swap(one, other);
  },
  unlink: (path) => fs.unlinkSync(path),
  rmdir: (path) => fs.rmdirSync(path),
  realpath: (path) => fs.realpathSync.native(path),
  watch: (path, changed, failed) => {
    const watcher = fs.watch(path, { persistent: false }, (_type, name) => changed(name));
    watcher.on("error", failed);
    return () => watcher.close();
  },
};

/** Makes a new folder that only this user can enter; its name begins with `prefix` and cannot be guessed. */
export function makePrivateFolder(prefix: string): string {
  return fs.mkdtempSync(prefix);
}

/** Reading by promises, for what works in somebody else's event loop: the guard that stands before an agent's file tools. */
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
