/** A disk that only reads: its users change nothing, whatever they call. */
import type { Disk } from "./disk.ts";

/** Every call that would change something fails as on a file system that is mounted for reading. */
export function readOnlyDisk(disk: Disk): Disk {
  return {
    open: (path, flags) => (flags === "r" ? disk.open(path, "r") : refuse("open")),
    close: (fd) => disk.close(fd),
    read: (fd, into, position) => disk.read(fd, into, position),
    fstat: (fd) => disk.fstat(fd),
    stat: (path) => disk.stat(path),
    lstat: (path) => disk.lstat(path),
    readFile: (path, most) => disk.readFile(path, most),
    readdir: (path) => disk.readdir(path),
    readFolders: (path) => disk.readFolders(path),
    entries: (path) => disk.entries(path),
    readlink: (path) => disk.readlink(path),
    watch: (path, changed, failed) => disk.watch(path, changed, failed),
    ...(disk.pollFiles && { pollFiles: disk.pollFiles }),
    newName: () => disk.newName(),
    identity: (path) => disk.identity(path),
    outside: disk.outside,
    write: () => refuse("write"),
    truncate: () => refuse("truncate"),
    fdatasyncSync: () => refuse("fdatasync"),
    fdatasync: () => Promise.reject(readOnly("fdatasync")),
    fsync: () => refuse("fsync"),
    copyMode: () => refuse("chmod"),
    syncFolder: () => refuse("fsync"),
    mkdir: () => refuse("mkdir"),
    rename: () => refuse("rename"),
    exchange: () => refuse("rename"),
    unlink: () => refuse("unlink"),
    rmdir: () => refuse("rmdir"),
  };
}

function refuse(syscall: string): never {
  throw readOnly(syscall);
}

function readOnly(syscall: string): Error {
  return Object.assign(new Error(`EROFS: this disk is for reading, ${syscall}`), { code: "EROFS", syscall });
}
