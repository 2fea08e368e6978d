/** How a watch is asked for, and what it tells besides events (WATCH rules). */

export interface WatchOptions {
  /** A cursor that `tasks_delta` gave for the whole workspace: what has landed since is given first. */
  since?: string;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
  /**
   * Called for each plan or task whose log is another than before, once its events have been read and its files show
   * them. It is also called for logs that git took away or put back to an earlier state, of which no event tells.
   */
  onChange?: (changes: WatchChange[]) => void;
}

export interface WatchChange {
  id: string;
  /** `new` and `gone`: its folder came or went; one that is deleted goes from the live ones and comes to the archive. */
  what: "new" | "changed" | "gone";
}
