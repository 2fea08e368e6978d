/** Merges the lines of a part that was written behind another end than its log has: all lines then stand in the order of replay. */
import { acquireAll, WORKSPACE_LOCK } from "../core/lock.ts";
import type { EngineContext } from "../core/context.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { Store } from "../entity/store.ts";
import { namesOf } from "../../log/repair.ts";
import { MAX_MOVES, movesOverAndOver, repairEntity } from "../repair/repair_log.ts";
import { placeOf } from "../transaction/part_place.ts";
import { putPart } from "../transaction/roll_forward.ts";
import type { Rolling } from "../transaction/roll_forward.ts";
import { faultOf, homeOf, loadedAt, namesakeOf, rootIn } from "./log_home.ts";
import type { SharedPart } from "./message_codec.ts";

interface MergeParts extends Rolling {
  readonly context: EngineContext;
  readonly store: Store;
}

/** Ids of those whose logs changed. */
export async function mergePart(from: MergeParts, part: SharedPart): Promise<string[]> {
  // Its folder would count as no log of ours, and the lines would take its place.
  const fault = faultOf(from, part);
  if (fault) throw fault;
  for (let attempt = 1; attempt <= MAX_MOVES; attempt++) {
    const ids = await mergeWhereItIs(from, part);
    if (ids) return ids;
  }
  throw movesOverAndOver(part.id);
}

/** Null: another process moved the folder to the archive or back meanwhile. Lines that went to the old place would be lost (SHARED-68). */
async function mergeWhereItIs(from: MergeParts, part: SharedPart): Promise<string[] | null> {
  const { context } = from;
  const home = homeOf(from, part) ?? namesakeOf(from, part);
  if (home) return repairWith(from, home, part);
  for (const name of namesOf(part)) from.dirty.mark(name);
  const names = [WORKSPACE_LOCK, part.id];
  const lock = await acquireAll(context, names);
  try {
    if (homeOf(from, part) ?? namesakeOf(from, part)) return null;
    const place = placeOf(context, { ...part, made: true });
    putPart(from, place);
    return [place.id];
  } finally {
    lock.release();
  }
}

/**
 * Puts the lines into a log, and that in the order of replay. If they are another entity's, the later of the two gets a folder of its own.
 * If all of it is so already, no id is returned, and a call that has the entity in memory keeps it. Null: the log is elsewhere by now.
 */
async function repairWith(from: MergeParts, place: EntityLocation, part: SharedPart): Promise<string[] | null> {
  const { store, dirty } = from;
  const { id } = place;
  // Before logs change: if this process dies, another one writes the files.
  const there = rootIn(loadedAt(store, place));
  for (const name of new Set([...namesOf(part), ...namesOf({ id, root: there ?? part.root })])) dirty.mark(name);
  const { repaired, isElsewhere } = await repairEntity(from, place, {
    // As a side of a merge: nothing was lost here, so no entity keeps the folder for that it has it already.
    sides: [{ bytes: Buffer.concat(part.ops.map((op) => op.bytes)), isBase: false }],
    lost: undefined,
    find: () => ({ bytes: Buffer.alloc(0), found: [] }),
    acceptGap: () => false,
    dryRun: false,
    mustBeThere: true,
  });
  if (isElsewhere) return null;
  if (!repaired) return [];
  for (const id of namesOf({ id: place.id, root: part.root })) {
    store.find(id)?.forget();
    store.findArchived(id)?.forget();
  }
  return [place.id, ...repaired.split.map(({ id }) => id)];
}
