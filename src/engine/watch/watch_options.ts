/** How a watch is asked for, and what it tells besides events (WATCH rules). */
import type { Signal } from "../../global_types.ts";

export interface WatchOptions {
  /** As `tasks_delta` takes it for the whole workspace: what has landed since is given first. */
  since?: string;
  /** Ends the iteration, without an error. */
  signal?: Signal;
  /**
   * Called for each plan or task whose log is another than before, once its events have been read and its files show
   * them. It is also called for logs that git took away or put back to an earlier state, of which no event tells.
   */
  onChange?: (changes: WatchChange[]) => void;
  /**
   * Also tells `onChange` when another program writes a file that the engine reads of a plan or task. These are the two files of people in
   * `shared/`, `task.yaml` of a folder that Coco keeps, inputs of a packet, and files in `configs/` (WATCH-8).
   */
  files?: boolean;
  /** Looks at files once a second in place of waiting for the system: for network and container mounts, of which it tells nothing. */
  polling?: boolean;
}

export interface WatchChange {
  id: string;
  /** `new` and `gone`: its folder came or went; one that is deleted goes from the live ones and comes to the archive. */
  what: "new" | "changed" | "gone";
}
