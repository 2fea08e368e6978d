/** Makes the rows of lists: from the head of task.yaml, else from a short log, else by the way of every other read. */
import { join, sep } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { isOnTrial } from "../../events/trial.ts";
import { readRegular } from "../../files/atomic.ts";
import { LOG_FILE, TASK_FILE } from "../../files/layout.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { foldLog } from "../../fold_log.ts";
import { readOps } from "../../log/read_ops.ts";
import { HEAD_BYTES, readTaskHead } from "../../projections/task_head.ts";
import type { Ref, Subject } from "../../state/entity.ts";
import { listedOf } from "../../state/listed.ts";
import type { Listed } from "../../state/listed.ts";
import type { EngineContext } from "../core/context.ts";
import { subjectOf } from "../entity/entity_on_disk.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { lostEnds, shorterWarnings } from "../entity/log_truncated.ts";
import { readWarnings } from "../entity/read_warnings.ts";
import type { KeyUse } from "../entity/snapshot.ts";
import type { Store } from "../entity/store.ts";
import { logWarnings } from "../entity/writable.ts";
import type { Rows } from "./listed_rows.ts";
import { noteKey, rowOf, rowOfLoaded } from "./row_of_log.ts";
import type { Looking, MadeRow, RowMaker } from "./rows_by_stat.ts";
import { readShortLog } from "./short_log.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** A longer log is read through its entity in memory, which goes on from a snapshot; a shorter one leaves nothing in memory. */
const SHORT_BYTES = 64 * 1024;

/** Where the states of entities come from. */
export interface States {
  /** The present state, and what every read of it says. */
  look(loaded: LoadedEntity, workspace: string): { subject: Subject; warnings: Warning[]; foreign: boolean };
  subjectOf(ref: Ref, workspace: string): Subject | undefined;
}

export interface Look extends Looking {
  context: EngineContext;
  workspace: string;
  /** "head": the log is read, whatever the head of task.yaml tells. */
  past?: "head" | undefined;
}

interface Made {
  row: Listed;
  isOfLog: boolean;
}

type Of = Pick<Rows, "part" | "folder" | "warnings" | "undecided">;

/** Makes the rows of one part. Why one cannot be made, and which are made of a decision that may not last, is noted in `of`. */
export class ListedRowMaker implements RowMaker<Listed, Look> {
  readonly #of: Of;
  readonly #store: Store;
  readonly #states: States;

  constructor(of: Of, { store, states }: { store: Store; states: States }) {
    this.#of = of;
    this.#store = store;
    this.#states = states;
  }

  make(id: string, look: Look, stat: FileStat | undefined): MadeRow<Listed> | undefined {
    const short = stat && this.#unopened(id, stat, look);
    const made = short ? { row: short, isOfLog: true } : this.#opened(id, look);
    if (!made) return undefined;
    const { row, isOfLog } = made;
    // The facts of another program's folder stand in its task.yaml, and a lost end shows there: their logs' stats tell
    // nothing of it.
    const isKept = isOfLog && !row.log_warnings?.includes("LOG_TRUNCATED");
    return { row, stat: isKept ? stat : undefined };
  }

  failed(id: string, e: unknown): undefined {
    if (isTaskfoldError(e) && (e.code === "UNKNOWN_ID" || e.code === "NOT_CHECKED_OUT")) return;
    const { message } = storageError(e, `read ${id}`);
    const recovery = remedy`${TASKFOLD} verify ${id}`;
    this.#of.warnings.set(id, { code: "LOG_DAMAGED", message: `${id} is left out: ${message}`, ...recovery });
  }

  /** Returns the row of an entity that is not in memory, past the store: by its head, else by folding a log that is short. */
  #unopened(id: string, stat: FileStat, { context: { disk }, workspace, past }: Look): Listed | undefined {
    const { part, folder } = this.#of;
    if (part === "tasks" && this.#store.isOpen(id)) return undefined;
    const own = folder + id;
    // The head does not tell what was put away from what was deleted.
    const head = past === "head" || part === "archive" ? undefined : listedHead(disk, own, id, stat);
    return head ?? rowOfShort(disk, own, id, stat, workspace);
  }

  /** The way of every other read: what another program made, and what cannot be read, is told there. */
  #opened(id: string, { context, workspace }: Look): Made | undefined {
    if (this.#of.part === "archive") {
      const loaded = this.#store.findArchived(id);
      if (!loaded?.catchUp() || !loaded.entity) return undefined;
      const row = rowOfLoaded(loaded, loaded.subject(workspace), readWarnings(context.disk, loaded));
      return { row, isOfLog: true };
    }
    const loaded = this.#store.find(id);
    if (!loaded) return undefined;
    const { subject, foreign, warnings } = this.#states.look(loaded, workspace);
    if (foreign) return { row: listedOf(subject), isOfLog: false };
    const { entity, report } = loaded;
    const isOfLog = entity?.revision === report.ops && !isOnTrial(entity);
    if (!isOfLog) this.#of.undecided.add(id);
    return { row: rowOfLoaded(loaded, subject, warnings), isOfLog };
  }
}

function rowOfShort(disk: Disk, folder: string, id: string, stat: FileStat, workspace: string): Listed | undefined {
  if (stat.kind !== "file" || stat.size > SHORT_BYTES) return undefined;
  return readShortLog(disk, join(folder, LOG_FILE), SHORT_BYTES, (source) => {
    const start = (): Map<string, KeyUse> => new Map();
    const folded = foldLog(source, { start, each: (op, _fold, uses) => noteKey(uses, op) });
    const { entity, report, gathered: keys } = folded;
    if (!entity) return undefined;
    const taskYaml = readRegular(disk, join(folder, TASK_FILE))?.toString("utf8");
    const ends = lostEnds({ entity, report, ops: () => readOps(source, { checkHash: false }).ops }, taskYaml);
    const log = { report, keys, subject: subjectOf(id, workspace, entity, report) };
    return rowOf(log, [...logWarnings({ id, report }), ...shorterWarnings({ id }, ends)]);
  });
}

/**
 * Returns the row of an entity by the head of its task.yaml, where that is as good as folding the log (PROJ-18,
 * VIEW-16). One for all: what is read is taken from it before the next one comes.
 */
const buffer = Buffer.allocUnsafe(HEAD_BYTES);

/**
 * Undefined unless the log is a plain file of the length that was folded, and not younger than the file that says so.
 * git, a merge or a hand may have exchanged either of them alone. ctime is left out on purpose: a copy of a folder that keeps mtimes
 * gives each file its own ctime, in no order.
 */
function listedHead(disk: Disk, folder: string, id: string, log: FileStat): Listed | undefined {
  if (log.kind !== "file") return undefined;
  const head = readHead(disk, `${folder}${sep}task.yaml`, log);
  return head?.listed.id === id && head.logBytes === log.size ? head.listed : undefined;
}

function readHead(disk: Disk, path: string, log: FileStat): ReturnType<typeof readTaskHead> {
  try {
    const fd = disk.open(path, "r");
    try {
      const stat = disk.fstat(fd);
      if (stat.kind !== "file" || stat.mtimeMs < log.mtimeMs) return undefined;
      return readTaskHead(buffer.subarray(0, disk.read(fd, buffer, 0)));
    } finally {
      disk.close(fd);
    }
  } catch (e) {
    // Absent, a link, or not to be read: the log tells.
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}
