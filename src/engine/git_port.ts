/** What `resolve` may ask of git. A host implements it: the engine starts no processes. Paths are relative to the workspace root, with `/`. */
export interface GitPort {
  /** Files that a stopped merge, rebase or cherry-pick left open. */
  unmerged: () => string[];
  /**
   * Versions of a log that must all be in the merged one: the sides of an open file, and what the commits merged last (or
   * just now) had at this path, where they differ. None where nothing was merged.
   */
  versions: (path: string) => Buffer[];
  /** Files below a folder that differ from the index, are gone or are new; ignored ones are left out. */
  changed: (folder: string) => string[];
  /** Stages files as they are now; one that is gone is staged as gone. */
  add: (paths: string[]) => void;
}
