/** What a replay tells of a log, and to whom. */
import type { Ancestry } from "./ancestry.ts";
import type { Op } from "./types.ts";

/** How an op lies to the ops told before it. */
export interface Place {
  /** Every op told before is an ancestor of this one. */
  joined: boolean;
  /** Of a log with branches, at this op or elsewhere: how the ops told so far lie to each other, by `index`. */
  ancestry: Ancestry | null;
}

/**
 * Who is told the ops, in replay order. `reset` asks it to forget all of them. An op that it can judge only when it knew
 * from the start that it comes has the answer "again": the log is read anew. It asks so once for each thing it did not know.
 */
export interface Sink {
  reset(): void;
  op(op: Op, place: Place): "again" | undefined | void;
}
