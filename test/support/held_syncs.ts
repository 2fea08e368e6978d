/** A disk whose asynchronous syncs of logs wait until they are let go: what happens meanwhile is the test's. */
import type { Disk } from "../../src/disk.ts";

export function heldSyncs(inner: Disk) {
  let told = (): void => undefined;
  let go = (): void => undefined;
  const isSyncing = new Promise<void>((done) => (told = done));
  const gate = new Promise<void>((done) => (go = done));
  const logs = new Set<number>();
  const open: Disk["open"] = (path, flags) => {
    const fd = inner.open(path, flags);
    if (path.endsWith("events.jsonl")) logs.add(fd);
    else logs.delete(fd);
    return fd;
  };
  const fdatasync = async (fd: number): Promise<void> => {
    if (!logs.has(fd)) return inner.fdatasync(fd);
    told();
    await gate;
    await inner.fdatasync(fd);
  };
  /** `isSyncing`: resolves when the first has begun. `go`: lets all of them, also later ones, go on. */
  return { disk: { ...inner, open, fdatasync } satisfies Disk, isSyncing, go };
}
