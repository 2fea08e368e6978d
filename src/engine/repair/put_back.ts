/** Puts back what another program took out of a log, such as `git checkout` or `git stash` in a process of the packet (PACKET-353). */
import { LOG_FILE } from "../../files/layout.ts";
import { linesIn } from "../../log/lines_in.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { logPath, readEntity, relativeFolder, wholeLog } from "../entity/entity_on_disk.ts";
import type { EngineParts } from "../parts.ts";
import { repairEntity } from "./repair_log.ts";
import { rebuildEntities } from "./rebuild.ts";

/** `kept`: the log as it was. How many of its lines were gone; none where the folder has another entity by now. @internal */
export async function putBack(engine: EngineParts, id: string, kept: Buffer): Promise<number> {
  const { context, store } = engine;
  const place: EntityLocation = { id, part: "tasks" };
  const log = wholeLog(context.disk, logPath(context, place)) ?? Buffer.alloc(0);
  if (log.length >= kept.length && log.subarray(0, kept.length).equals(kept)) return 0;
  const there = new Set(linesIn(log).map((line) => line.id));
  const gone = linesIn(kept).filter((line) => !there.has(line.id));
  if (gone.length === 0 || !isSameEntity(log, kept)) return 0;
  const from = `${relativeFolder(place)}/${LOG_FILE}`;
  await repairEntity(engine, place, {
    sides: [],
    lost: { bytes: kept, found: gone.map((line) => ({ hash: line.id, from })) },
    find: () => ({ bytes: Buffer.alloc(0), found: [] }),
    acceptGap: () => false,
    dryRun: false,
  });
  store.find(id)?.forget();
  await rebuildEntities(engine, id);
  return gone.length;
}

/** A log that is gone was this one. */
function isSameEntity(log: Buffer, kept: Buffer): boolean {
  const [now, before] = [log, kept].map((bytes) => readEntity(bytes, () => false).entity?.root);
  return now === undefined || now === before;
}
