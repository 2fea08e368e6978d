/** Questions about the past of one entity. The engine answers; a method that costs a replay says so. */
import type { Entity } from "../state/entity.ts";
import type { JsonObject } from "../state/schema.ts";
import type { PastOp } from "./history.ts";

export interface Past {
  entity: Entity;
  /** The last ops, or with `whole` all of them. */
  ops: readonly PastOp[];
  /** Hashes of undone ops that can be brought again, the next one last. */
  redo: readonly string[];
  whole: boolean;
  /** The last events, at most so many. Costs those events, not the log. */
  timeline: (most: number) => Timeline;
  /** The entity with every note and every line of its trace, at the price of a replay. */
  everything: () => Entity;
}

/** `whole`: every op since the first, at the price of a replay where memory holds fewer. */
export type PastOf = (whole: boolean) => Past;

/** The end of a log, as far as it was asked for. */
export type Timeline = {
  /** As tools print them, oldest first. */
  events: JsonObject[];
  /** Events before these. */
  earlier: number;
  /** For `tasks_delta` with the same target: everything that comes after. */
  cursor: string;
};
