/** A disk that tells of each sync. Opened only with a telemetry, so that a workspace without one has no step more. */
import type { Disk } from "../../../disk.ts";
import type { SyncOf, SyncOutcome, TelemetryPort } from "./telemetry.ts";

export function observedDisk(disk: Disk, telemetry: TelemetryPort): Disk {
  const observed = (of: SyncOf, sync: () => void): void => {
    const tell = telemetry.sync(of);
    let outcome: SyncOutcome = "failed";
    try {
      sync();
      outcome = "synced";
    } finally {
      tell(outcome);
    }
  };
  return {
    fdatasyncSync: (fd) => observed("data", () => disk.fdatasyncSync(fd)),
    fsync: (fd) => observed("file", () => disk.fsync(fd)),
    syncFolder: (path) => observed("folder", () => disk.syncFolder(path)),
    fdatasync: async (fd) => {
      const tell = telemetry.sync("data");
      let outcome: SyncOutcome = "failed";
      try {
        await disk.fdatasync(fd);
        outcome = "synced";
      } finally {
        tell(outcome);
      }
    },
    open: (path, flags) => disk.open(path, flags),
    close: (fd) => disk.close(fd),
    write: (fd, bytes, position) => disk.write(fd, bytes, position),
    read: (fd, into, position) => disk.read(fd, into, position),
    truncate: (fd, size) => disk.truncate(fd, size),
    fstat: (fd) => disk.fstat(fd),
    stat: (path) => disk.stat(path),
    lstat: (path) => disk.lstat(path),
    copyMode: (from, to) => disk.copyMode(from, to),
    readFile: (path, most) => disk.readFile(path, most),
    readdir: (path) => disk.readdir(path),
    readFolders: (path) => disk.readFolders(path),
    entries: (path) => disk.entries(path),
    readlink: (path) => disk.readlink(path),
    mkdir: (path) => disk.mkdir(path),
    rename: (from, to) => disk.rename(from, to),
    exchange: (spare, other) => disk.exchange(spare, other),
    unlink: (path) => disk.unlink(path),
    rmdir: (path) => disk.rmdir(path),
    watch: (path, changed, failed) => disk.watch(path, changed, failed),
    ...(disk.pollFiles && { pollFiles: disk.pollFiles }),
    newName: () => disk.newName(),
    identity: (path) => disk.identity(path),
    outside: disk.outside,
  };
}
