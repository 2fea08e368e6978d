/** A disk whose asynchronous syncs wait until they are let go: what happens meanwhile is the test's. */
import type { Disk } from "../../src/disk.ts";

export function heldSyncs(inner: Disk) {
  let told = (): void => undefined;
  let go = (): void => undefined;
  const isSyncing = new Promise<void>((done) => (told = done));
  const gate = new Promise<void>((done) => (go = done));
  const fdatasync = async (fd: number): Promise<void> => {
    told();
    await gate;
    await inner.fdatasync(fd);
  };
  /** `isSyncing`: resolves when the first has begun. `go`: lets all of them, also later ones, go on. */
  return { disk: { ...inner, fdatasync } satisfies Disk, isSyncing, go };
}
