/** One entity read from its folder alone, past everything this process has in memory: for verify and history. */
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import { FileTooLargeError } from "../../disk.ts";
import type { NoEffect } from "../../events/fold.ts";
import { withPending } from "../../events/foreign.adopted.ts";
import { readIfThere } from "../../files/atomic.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { headDigest } from "../../log/canonical.ts";
import { MAX_HELD, refuseAboveHeld } from "../../log/limits.ts";
import type { LogReport } from "../../log/report.ts";
import { bytesSource } from "../../log/source.ts";
import type { Event, TxnStamp } from "../../log/types.ts";
import type { Entity, Folded } from "../../state/entity.ts";
import type { EngineContext } from "../core/context.ts";
import { foldLog } from "../../fold_log.ts";

/** Where an entity lives: its folder's name, and the part of `.coco` it stands in. */
export interface EntityLocation {
  id: string;
  part: "tasks" | "archive";
}

/** Where a folder may be. The live ones come twice: it may be brought back from the archive between the first two looks. */
export const PARTS: readonly EntityLocation["part"][] = ["tasks", "archive", "tasks"];

export interface EntityOnDisk {
  bytes: Buffer;
  report: LogReport;
  entity: Entity | null;
  noEffect: NoEffect[];
  /** Events of the wanted types that are in effect, in replay order. */
  events: Event[];
  /** Of which transactions the ops in effect are parts. */
  txns: TxnStamp[];
}

/** Folder of an entity relative to the workspace root, with `/`. @internal */
export function relativeFolder({ id, part }: EntityLocation): string {
  return `.coco/${part}/${id}`;
}

/** @internal */
export function folderOf({ layout }: Pick<EngineContext, "layout">, { id, part }: EntityLocation): string {
  return part === "tasks" ? layout.folder(id) : layout.archived(id);
}

/** @internal */
export function logPath(context: Pick<EngineContext, "layout">, place: EntityLocation): string {
  return join(folderOf(context, place), LOG_FILE);
}

/**
 * The bytes of a log at once. Undefined when there is no such file; LOG_UNREADABLE when it is above what is held of a log. @internal
 */
export function wholeLog(disk: Disk, path: string): Buffer | undefined {
  try {
    return readIfThere(disk, path, MAX_HELD);
  } catch (e) {
    if (e instanceof FileTooLargeError) refuseAboveHeld(MAX_HELD + 1);
    throw e;
  }
}

/** Replays a log's bytes, every line written out anew to prove its hash and its bytes (LOG-4). @internal */
export function readEntity(bytes: Buffer, wanted: (type: string) => boolean): EntityOnDisk {
  const { fold, entity, report, gathered } = foldLog(bytesSource(bytes), {
    checkHash: "canonical",
    start: (): Pick<EntityOnDisk, "events" | "txns"> => ({ events: [], txns: [] }),
    each: (op, _fold, { events, txns }) => {
      const { txn } = op.events[0]!.op;
      if (txn) txns.push(txn);
      for (const event of op.events) if (wanted(event.type)) events.push(event);
    },
  });
  return { bytes, report, entity, noEffect: fold.noEffect, ...gathered };
}

/** @internal */
export function subjectOf(id: string, workspace: string, entity: Entity, report: LogReport): Folded {
  const { foreign, heads, bytes } = report;
  return { id, workspace, entity: withPending(entity, foreign), head: headDigest(heads), bytes };
}

/** Of `part/id`. @internal */
export function placeOf(key: string): EntityLocation {
  const [part, id] = key.split("/") as [EntityLocation["part"], string];
  return { part, id };
}
