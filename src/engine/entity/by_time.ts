/** The order in which ops of several logs are told: each log in its own replay order, the logs merged by time. */
import type { Op } from "../../log/types.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import type { OpsSince } from "./ops_since.ts";

/** An op in its place among those of all entities. */
export interface Placed {
  root: string;
  loaded: LoadedEntity;
  op: Op;
  /** The largest time of the op and of those before it in its own log: what a merge by the next op's time sorts by. */
  time: string;
  index: number;
}

export function inPlace(root: string, loaded: LoadedEntity, { ops }: OpsSince): Placed[] {
  let time = "";
  return ops.map((op, index) => {
    const { ts } = op.events[0]!;
    if (ts > time) time = ts;
    return { root, loaded, op, time, index };
  });
}

/** By the time of each entity's next op, ties by id. */
export function byTime(a: Placed, b: Placed): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  if (a.root === b.root) return a.index - b.index;
  return compareIds(a.loaded.id, b.loaded.id) || (a.root < b.root ? -1 : 1);
}
