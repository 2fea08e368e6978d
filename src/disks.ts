/** The disks of a workspace: that of its root, and those of the places outside that a caller names. A host that gives a disk gives all of them. */
import type { Disk } from "./disk.ts";
import { nodeDisk } from "./disk.ts";
import { RootedDisk } from "./rooted_disk.ts";

/** A disk of everything below one folder. */
export interface HeldDisk {
  disk: Disk;
  /** Lets go of the folders that it holds. The next call opens them anew. */
  release: () => void;
}

export interface Disks {
  /** By path: what lies outside of the root. Links on the way are followed, for a caller chose the path. */
  anywhere: Disk;
  /** Below that folder, absolute, no link is followed. */
  below: (folder: string) => HeldDisk;
  /** Whether a thread of its own, which opens the root for itself, sees the same files. */
  inThreads: boolean;
}

/** Those of the system. `clock` (milliseconds) says how long ago a folder was found in place. */
export function nodeDisks(clock?: () => number): Disks {
  return {
    anywhere: nodeDisk,
    below: (folder) => {
      const disk = new RootedDisk(folder, clock ? { now: clock } : {});
      return { disk, release: () => disk.release() };
    },
    inThreads: true,
  };
}

/** Those of a host: the disk that it gave has every path in it. Those of the system where it gave none. */
export function disksOf(given: Disk | undefined, clock?: () => number): Disks {
  if (!given) return nodeDisks(clock);
  return { anywhere: given, below: () => ({ disk: given, release: () => {} }), inThreads: false };
}
