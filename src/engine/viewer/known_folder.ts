/** The folder of a plan or task as the board knows it. */
import { join } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import { signOf } from "../../files/file_sign.ts";
import { LOG_FILE, TASK_FILE } from "../../files/layout.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type { ApiWarning } from "../../views/viewer/api.ts";
import type { OwnRow } from "../../views/viewer/board_row.ts";
import { ownRow } from "../../views/viewer/board_row.ts";
import { foreignSubject } from "../entities/foreign_folder.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { folderOf } from "../entity/entity_on_disk.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { MadeRow, RowMaker } from "../listing/rows_by_stat.ts";
import { codesOf, readShortRow } from "./short_row.ts";
import type { ShortRow } from "./short_row.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface KnownFolder {
  place: EntityLocation;
  /** Of the file that it is read from: another one after every change. */
  sign: string;
  /** Bytes of the log; 0 where there is none. */
  bytes: number;
  /** Null where it cannot be read, or holds no entity. */
  own: OwnRow | null;
  warning: ApiWarning | null;
}

/** Makes it again when its log, or the task.yaml of another program, is another. */
export class FolderMaker implements RowMaker<KnownFolder, ReadModel> {
  readonly #part: EntityLocation["part"];
  readonly #workspace: () => string;

  constructor(part: EntityLocation["part"], workspace: () => string) {
    this.#part = part;
    this.#workspace = workspace;
  }

  /** To look at the file before it is opened would be one more call. */
  first(id: string, { context }: ReadModel): MadeRow<KnownFolder> | undefined {
    const place = { id, part: this.#part };
    const folder = folderOf(context, place);
    if (context.pendingLines?.has(folder)) return undefined;
    const log = readShortRow(context.disk, folder, id, this.#workspace());
    return log && folderOfShort(place, log);
  }

  make(
    id: string,
    from: ReadModel,
    log: FileStat | undefined,
    before: KnownFolder | undefined,
  ): MadeRow<KnownFolder> | undefined {
    const place = { id, part: this.#part };
    const { disk, pendingLines } = from.context;
    const folder = folderOf(from.context, place);
    const pending = pendingLines?.get(folder)?.length;
    const there = pending === undefined ? log : disk.lstat(join(folder, LOG_FILE));
    const file = there ?? disk.lstat(join(folder, TASK_FILE));
    if (!file && pending === undefined) return undefined;
    const sign = logSign(file, pending);
    if (before && before.sign === this.#signFor(before.own, sign, disk, folder))
      return { row: before, stat: undefined };
    const short = before && this.first(id, from);
    if (short) return short;
    const own = this.#read(from, place, folder);
    const warning = own === null && (there?.size ?? 0) > 0 ? nothingRead(place.id) : null;
    const row = { place, sign: this.#signFor(own, sign, disk, folder), bytes: there?.size ?? 0, own, warning };
    // task.yaml tells the row of another program's folder, whatever the log says.
    return { row, stat: own?.row.source === "coco" || pending !== undefined ? undefined : log };
  }

  /** A folder of Coco has a log of Coco's own, and is shown from its task.yaml. */
  #signFor(own: OwnRow | null, sign: string, disk: Disk, folder: string): string {
    if (own?.row.source !== "coco") return sign;
    return `${sign} ${signOf(disk.lstat(join(folder, TASK_FILE)))}`;
  }

  /** Past the store: nothing of ten thousand entities stays in memory but their rows. */
  #read(from: ReadModel, place: EntityLocation, folder: string): OwnRow | null {
    const loaded = new LoadedEntity(from.context, place.id, folder);
    if (loaded.catchUp() && loaded.entity) return ownRow(loaded.subject(this.#workspace()), "log", codesOf(loaded));
    if (place.part === "archive" || loaded.report.roots.length > 0) return null;
    const foreign = foreignSubject(from.context, loaded, this.#workspace());
    return foreign ? ownRow(foreign, "coco", ["NO_OWN_LOG"]) : null;
  }

  /** The same as before if it cannot be read for the same reason. */
  failed(id: string, e: unknown, before: KnownFolder | undefined): KnownFolder {
    if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
    const { message, code } = storageError(e, `read ${id}`);
    if (before?.warning?.message === `${id}: ${message}`) return before;
    const warning = { code, message: `${id}: ${message}`, ...remedy`${TASKFOLD} verify ${id}` };
    return { place: { id, part: this.#part }, sign: "", bytes: 0, own: null, warning };
  }
}

/** The same of a short log that was read. */
export function folderOfShort(place: EntityLocation, { own, stat }: ShortRow): MadeRow<KnownFolder> {
  return { row: { place, sign: logSign(stat), bytes: stat.size, own, warning: null }, stat };
}

/** A log with lines of which none makes a plan or task: damaged, or with conflict markers alone. */
function nothingRead(id: string): ApiWarning {
  const message = `${id}: Expected a log that begins with a plan or task, found none in its lines.`;
  return { code: "LOG_UNREADABLE", message, ...remedy`${TASKFOLD} verify ${id}` };
}

/** `pending`: bytes of accepted transactions that the file lacks. */
function logSign(stat: FileStat | undefined, pending = 0): string {
  return `${signOf(stat)}+${pending}`;
}
