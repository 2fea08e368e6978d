/** Puts back what another program took out of a log, such as `git checkout` or `git stash` in a process of the packet (PACKET-353). */
import { LOG_FILE } from "../../files/layout.ts";
import { linesIn } from "../../log/lines_in.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { logPath, PARTS, readEntity, relativeFolder, wholeLog } from "../entity/entity_on_disk.ts";
import type { EngineParts } from "../parts.ts";
import { MAX_MOVES, movesOverAndOver, repairEntity } from "./repair_log.ts";
import { rebuildEntities } from "./rebuild.ts";

/** `kept`: the log as it was. How many of its lines were gone; none where the folder has another entity by now. @internal */
export async function restoreLines(engine: EngineParts, id: string, kept: Buffer): Promise<number> {
  for (let attempt = 1; attempt <= MAX_MOVES; attempt++) {
    const count = await putBackWhereItIs(engine, id, kept);
    if (count !== null) return count;
  }
  throw movesOverAndOver(id);
}

/** Null: another process moved the folder meanwhile. One that deleted the task keeps it in the archive. */
async function putBackWhereItIs(engine: EngineParts, id: string, kept: Buffer): Promise<number | null> {
  const { context, store } = engine;
  const part = PARTS.find((one) => context.disk.lstat(logPath(context, { id, part: one })) !== undefined);
  const place: EntityLocation = { id, part: part ?? "tasks" };
  const log = wholeLog(context.disk, logPath(context, place)) ?? Buffer.alloc(0);
  if (log.length >= kept.length && log.subarray(0, kept.length).equals(kept)) return 0;
  const there = new Set(linesIn(log).map((line) => line.id));
  const gone = linesIn(kept).filter((line) => !there.has(line.id));
  if (gone.length === 0 || !isSameEntity(log, kept)) return 0;
  const from = `${relativeFolder(place)}/${LOG_FILE}`;
  const { isElsewhere } = await repairEntity(engine, place, {
    sides: [],
    lost: { bytes: kept, found: gone.map((line) => ({ hash: line.id, from })) },
    find: () => ({ bytes: Buffer.alloc(0), found: [] }),
    acceptGap: () => false,
    dryRun: false,
    ...(part === undefined ? {} : { mustBeThere: true }),
  });
  if (isElsewhere) return null;
  for (const loaded of [store.find(id), store.findArchived(id)]) loaded?.forget();
  await rebuildEntities(engine, id);
  return gone.length;
}

/** A log that is gone was this one. */
function isSameEntity(log: Buffer, kept: Buffer): boolean {
  const [now, before] = [log, kept].map((bytes) => readEntity(bytes, () => false).entity?.root);
  return now === undefined || now === before;
}
