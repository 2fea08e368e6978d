/** The two ways a file in view is replaced, on any platform. */
import { renameSync } from "node:fs";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { errnoOf } from "../../src/files/storage_error.ts";

/** The real exchange; where this platform has none, three renames stand in for it: who calls it is what is tested. */
export const exchanging: Disk = {
  ...nodeDisk,
  exchange: (one, other) => {
    try {
      nodeDisk.exchange(one, other);
    } catch (e) {
      if (errnoOf(e) !== "ENOSYS") throw e;
      renameSync(one, `${one}.between`);
      renameSync(other, one);
      renameSync(`${one}.between`, other);
    }
  },
};

/** A disk that exchanges nothing, as most are. */
export function without(errno: string): Disk {
  return {
    ...nodeDisk,
    exchange: () => {
      throw Object.assign(new Error(`${errno}: exchange`), { code: errno });
    },
  };
}

/** Its syncs are left out: what would survive a power cut is counted, not tried. */
export function unsynced(disk: Disk): Disk {
  return {
    ...disk,
    fsync: () => undefined,
    fdatasyncSync: () => undefined,
    fdatasync: () => Promise.resolve(),
    syncFolder: () => undefined,
  };
}

export const WAYS: readonly [string, Disk][] = [
  ["exchange", exchanging],
  ["rename", without("ENOSYS")],
];
