/** The parts that a page of one plan or task has now and at each revision alike. */
import { HISTORY_PAGE, LIST_PAGE } from "../../views/viewer/api.ts";
import type { Available } from "../../views/viewer/api.ts";
import type { PageAround } from "../../views/viewer/entity_answer.ts";
import { isoTime } from "../core/context.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Found } from "../entities/entities.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { MAX_HELD } from "../../log/limits.ts";
import type { BlobFolder } from "./blobs.ts";
import { blobsIn, outputsIn, outputsOf } from "./blobs.ts";

export type Around = Pick<
  PageAround,
  "now" | "find" | "idOf" | "blobOf" | "outputOf" | "source" | "latest" | "available"
>;

export function pageAround(from: ReadModel, { loaded, subject: { workspace }, foreign }: Found): Around {
  const { find, idOf } = from.entities.around(workspace);
  const folder = blobFolderOf(from, loaded);
  return {
    now: isoTime(from.context.now()),
    find,
    idOf,
    blobOf: blobsIn(folder),
    outputOf: outputsIn(folder),
    source: foreign ? "coco" : "log",
    latest: foreign ? { revision: 0, head: "" } : { revision: loaded.report.ops, head: loaded.head },
    available: availableOf(loaded, foreign),
  };
}

export function blobFolderOf(
  { context: { disk, layout, remote } }: ReadModel,
  { id, folder, entity }: LoadedEntity,
): BlobFolder {
  return { disk, id, folder, way: layout.wayTo(folder), outputs: outputsOf(entity?.packet), remote };
}

/** The present of a log is streamed. Its past needs the log whole. */
function availableOf({ log, report, entity }: LoadedEntity, foreign: boolean): Available {
  if (foreign) return { revisions: null, history_pages: 1, evidence_pages: 1, check: true, graph: false };
  const isTooLong = (log.seen?.size ?? 0) > MAX_HELD;
  return {
    revisions: report.ops > 0 && !isTooLong ? { from: 1, to: report.ops } : null,
    history_pages: isTooLong ? 0 : Math.max(1, Math.ceil(report.ops / HISTORY_PAGE)),
    evidence_pages: Math.max(1, Math.ceil((entity?.evidence.length ?? 0) / LIST_PAGE)),
    check: true,
    graph: entity?.kind === "plan",
  };
}
