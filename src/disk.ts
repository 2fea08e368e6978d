/**
 * The small file interface: every call the log, the files layer and the engine make on a disk.
 * Synchronous on purpose: asynchronous calls cost 12 to 43 times more for work this small; only
 * `fdatasync` has an asynchronous form, so that the event loop is free while a batch waits.
 *
 * A test double (`test/support/faulty_disk.ts`) fails, cuts short or stops at call N.
 */
import * as fs from "node:fs";

export interface FileStat {
  dev: number;
  ino: number;
  size: number;
  /** Milliseconds with a fraction; compared for equality only. */
  mtimeMs: number;
  ctimeMs: number;
  kind: "file" | "folder" | "link" | "other";
}

export interface Disk {
  /** `flags` as in open(2): "r", "a+" (append and read), "wx" (create, must not exist), "w". */
  open(path: string, flags: "r" | "r+" | "a+" | "w" | "wx"): number;
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
  /** Creates one folder; throws EEXIST when the name is taken. */
  mkdir(path: string): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  rmdir(path: string): void;
  realpath(path: string): string;
}

function toStat(s: fs.Stats): FileStat {
  const kind = s.isFile() ? "file" : s.isDirectory() ? "folder" : s.isSymbolicLink() ? "link" : "other";
  return { dev: s.dev, ino: s.ino, size: s.size, mtimeMs: s.mtimeMs, ctimeMs: s.ctimeMs, kind };
}

/** The real disk, by node:fs. */
export const nodeDisk: Disk = {
  open: (path, flags) => fs.openSync(path, flags, 0o644),
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
  mkdir: (path) => fs.mkdirSync(path),
  rename: (from, to) => fs.renameSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  rmdir: (path) => fs.rmdirSync(path),
  realpath: (path) => fs.realpathSync.native(path),
};
