/** What goes wrong with the n-th call to a disk, or from it on: the faults that a sweep takes in turn. */
import { CHANGES } from "./disk_calls.ts";
import type { Kind } from "./disk_calls.ts";
import type { FaultyDisk } from "./faulty_disk.ts";

const LOOKS: readonly Kind[] = [
  "open",
  "read",
  "fstat",
  "stat",
  "lstat",
  "readFile",
  "readdir",
  "readFolders",
  "entries",
];

export interface DiskFault {
  kinds: readonly Kind[];
  spoil: (disk: FaultyDisk, n: number) => void;
}

export const FAULTS: Record<string, DiskFault> = {
  "one change fails": { kinds: CHANGES, spoil: (disk, n) => disk.fail({ kind: CHANGES }, "EIO", { after: n }) },
  "no change works from then on": {
    kinds: CHANGES,
    spoil: (disk, n) => disk.fail({ kind: CHANGES }, "ENOSPC", { after: n, times: Infinity }),
  },
  "one look fails": { kinds: LOOKS, spoil: (disk, n) => disk.fail({ kind: LOOKS }, "EIO", { after: n }) },
  "no look works from then on": {
    kinds: LOOKS,
    spoil: (disk, n) => disk.fail({ kind: LOOKS }, "EIO", { after: n, times: Infinity }),
  },
  "one write is cut short": { kinds: ["write"], spoil: (disk, n) => disk.cut({}, 400, { after: n }) },
};

/** A call with a key that says which it is. */
export interface KeyedCall {
  tool: string;
  input: Record<string, unknown>;
}

/** The n-th of the calls behind the first `before` that such a fault is about. */
export function spoiltCall(disk: FaultyDisk, { kinds }: DiskFault, before: number, n: number) {
  return disk.calls.slice(before).filter(({ kind }) => kinds.includes(kind))[n];
}
