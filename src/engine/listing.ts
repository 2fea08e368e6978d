/**
 * What a list says of every entity, kept by the stat of its log: a log that is as it was costs one look, and one that nothing points at
 * (`ChangeFeed`) costs none. An index in `index/` of the machine's folder spares the next process reading them; it is this machine's only,
 * like a snapshot, and no truth of its own.
 */
import { join, sep } from "node:path";
import type { FileStat } from "../disk.ts";
import { isTaskfoldError } from "../errors.ts";
import type { Warning } from "../errors.ts";
import { Fold } from "../events/fold.ts";
import { isKnownType } from "../events/index.ts";
import { isOnTrial } from "../events/trial.ts";
import { readRegular } from "../files/atomic.ts";
import { listFolder } from "../files/folders.ts";
import { LOG_FILE, TASK_FILE } from "../files/layout.ts";
import { errnoOf, storageError } from "../files/storage_error.ts";
import { sha256 } from "../log/canonical.ts";
import { Replay } from "../log/replay.ts";
import type { LogReport } from "../log/report.ts";
import { bytesSource } from "../log/source.ts";
import type { Op } from "../log/types.ts";
import { isAway } from "../state/archive.ts";
import type { Ref, Subject } from "../state/entity.ts";
import { FOREIGN_ROOT } from "../state/foreign_entity.ts";
import { freeFrom, listedOf } from "../state/listed.ts";
import type { Listed, ListedLog } from "../state/listed.ts";
import { compareIds } from "../state/compare_ids.ts";
import { ChangeFeed } from "./change_feed.ts";
import { subjectOf } from "./entity_on_disk.ts";
import type { Place } from "./entity_on_disk.ts";
import type { Handle } from "./handle.ts";
import type { KeyUse } from "./snapshot.ts";
import { listedHead } from "./listed_head.ts";
import { Roots, Rows } from "./listed_rows.ts";
import { isSigned, ListingIndex, signOf } from "./listing_index.ts";
import type { IndexRow } from "./listing_index.ts";
import { lostEndsIn, shorterWarnings } from "./log_shorter.ts";
import { readWarnings } from "./read_warnings.ts";
import { isFolderName } from "./store.ts";
import type { Store } from "./store.ts";
import { logWarnings } from "./writable.ts";
import type { World } from "./world.ts";

/** Reading so many logs costs as much as the index is worth. */
const WORTH_AN_INDEX = 200;
/** A longer log is read through its handle, which goes on from a snapshot; a shorter one leaves nothing in memory. */
const SHORT_BYTES = 64 * 1024;

/** Rows in natural order of their ids, and what cannot be read and is left out. */
export interface ListedRows {
  rows: readonly Listed[];
  warnings: Warning[];
  /** When every log was looked at last, in milliseconds since 1970; undefined where it was for these rows (FRESH-9). */
  as_of: number | undefined;
}

interface LookHow {
  past?: "head";
}

/** The present state of an entity, and what every read of it says. */
type Look = (handle: Handle, workspace: string) => { subject: Subject; warnings: Warning[]; foreign: boolean };

export class Listing {
  readonly #world: World;
  readonly #store: Store;
  readonly #stateOf: Look;
  readonly #feed: ChangeFeed;
  readonly #index: ListingIndex;
  readonly #roots = new Roots();
  readonly #tasks: Rows;
  readonly #archive: Rows;
  /** Rows by `part/id` that their logs' stats tell to be as they were. */
  #known: Map<string, IndexRow> | null = null;
  /** Those of them that the index lacks. */
  readonly #fresh = new Map<string, IndexRow>();
  /** The feed asks for a look at everything, and has not been told of one. */
  #isLookDue = true;
  /** Calls that are answered from one look, and what was looked at for them. */
  #sharing = 0;
  readonly #shared = new Set<Rows>();

  constructor(world: World, store: Store, look: Look) {
    this.#world = world;
    this.#store = store;
    this.#stateOf = look;
    this.#feed = new ChangeFeed(world);
    this.#index = new ListingIndex(world.disk, () => world.layout.machineFile("index", "listing.index"));
    this.#tasks = new Rows("tasks", world.layout.tasks, this.#roots);
    this.#archive = new Rows("archive", world.layout.archive, this.#roots);
  }

  /** All that is asked within is answered from one look at each part: one answer, however many pages it has. */
  async fromOneLook<T>(ask: () => Promise<T>): Promise<T> {
    this.#sharing++;
    try {
      return await ask();
    } finally {
      if (--this.#sharing === 0) this.#shared.clear();
    }
  }

  /** Every entity under `tasks/`. */
  rows(workspace: string): ListedRows {
    return this.#upToDate(this.#tasks, workspace, ({ sorted }) => sorted.all);
  }

  /** Every task under `tasks/` that has not ended and was not deleted. */
  open(workspace: string): ListedRows {
    return this.#upToDate(this.#tasks, workspace, ({ open }) => open.all);
  }

  /** Every entity under `archive/`. */
  archived(workspace: string): ListedRows {
    return this.#upToDate(this.#archive, workspace, ({ sorted }) => sorted.all);
  }

  /** Names of all folders under `archive/`, in natural order. Costs one look at that folder. */
  archivedNames(): readonly string[] {
    if (this.#sharing === 0) this.#takeNews();
    return (this.#archive.names ??= this.#store.archivedNames().toSorted(compareIds));
  }

  /** What a list says of these entities in the archive; those that cannot be read are left out. */
  archivedRows(ids: readonly string[], workspace: string): Listed[] {
    this.#known ??= this.#index.read();
    return ids.flatMap((id) => this.#look(this.#archive, id, workspace) ?? []);
  }

  /** The row of a reference, as the last answer had it; undefined where its folder has another root by now. */
  rowOf(ref: Ref): Listed | undefined {
    const row = this.#tasks.byId.get(ref.id);
    return row?.root === ref.root ? row : undefined;
  }

  /** The live tasks of a plan. One that cannot be read is left out, as in a list. */
  tasksOfPlan(root: string, workspace: string): Subject[] {
    const { rows } = this.rows(workspace);
    const own = rows.filter((row) => row.kind === "task" && !row.deleted && row.parent?.root === root);
    return own.flatMap((row) => this.subjectOf(row, workspace) ?? []);
  }

  /** The entity of a live row; undefined for one that cannot be read, is gone, or was deleted since. */
  subjectOf({ id }: Listed, workspace: string): Subject | undefined {
    try {
      const handle = this.#store.find(id);
      const subject = handle && this.#stateOf(handle, workspace).subject;
      return subject && !isAway(subject.entity) ? subject : undefined;
    } catch (e) {
      if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
      return undefined;
    }
  }

  /** The entity that a call with this key chose itself, live or archived. */
  chosenWith(key: string, workspace: string): Handle | undefined {
    const digest = keyDigest(key);
    const find = (
      { rows }: ListedRows,
      part: Rows,
      handleOf: (id: string) => Handle | undefined,
    ): Handle | undefined => {
      for (const row of rows) {
        if (!this.#whole(part, row, workspace)?.chosen_by?.includes(digest)) continue;
        const handle = handleOf(row.id);
        if (handle?.catchUp() && handle.keys.has(key)) return handle;
      }
      return undefined;
    };
    return (
      find(this.rows(workspace), this.#tasks, (id) => this.#store.find(id)) ??
      find(this.archived(workspace), this.#archive, (id) => this.#store.findArchived(id))
    );
  }

  /** A row with all that only its log tells: one that the head of task.yaml told is read. Undefined when it cannot be. */
  whole(part: Place["part"], row: Listed, workspace: string): Listed | undefined {
    return row.chosen_by !== undefined
      ? row
      : this.#whole(part === "tasks" ? this.#tasks : this.#archive, row, workspace);
  }

  /** Roots of entities that are in more than one folder, as the last answers had them. */
  get twins(): ReadonlySet<string> {
    return this.#roots.twins;
  }

  /** Leaves an index behind where that is worth it. Failing to is nobody's loss. */
  close(): void {
    if (this.#fresh.size < WORTH_AN_INDEX) return;
    try {
      this.#index.keep(this.#fresh, this.#known!);
      this.#fresh.clear();
    } catch (e) {
      // A full or read-only disk: the next process reads the logs instead.
      if (errnoOf(e) === undefined) throw e;
    }
  }

  #upToDate(part: Rows, workspace: string, rows: (part: Rows) => readonly Listed[]): ListedRows {
    if (this.#shared.has(part)) return { rows: rows(part), warnings: [...part.warnings.values()], as_of: undefined };
    this.#takeNews();
    const as_of = part.stale === "all" ? undefined : part.looked?.at;
    if (part.stale === "all") this.#lookAtAll(part, workspace);
    else for (const id of part.stale) this.#lookAgain(part, id, workspace);
    part.stale = new Set(part.undecided);
    part.undecided.clear();
    if (this.#sharing > 0) this.#shared.add(part);
    return { rows: rows(part), warnings: [...part.warnings.values()], as_of };
  }

  /** Spreads what the feed says to both parts: each is looked at when it is asked for. */
  #takeNews(): void {
    const { changed } = this.#feed.take();
    if (changed === "all") this.#isLookDue = true;
    for (const part of [this.#tasks, this.#archive]) {
      const prefix = `${part.part}/`;
      const ids =
        changed === "all"
          ? "all"
          : [...changed].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
      if (ids.length > 0) part.names = null;
      if (ids === "all") part.stale = "all";
      else if (part.stale !== "all") for (const id of ids) part.stale.add(id);
    }
  }

  #lookAtAll(part: Rows, workspace: string): void {
    const [startedAt, began] = [this.#world.now(), performance.now()];
    const names = listFolder(this.#world.disk, part.folder.slice(0, -sep.length), "readFolders").filter(isFolderName);
    const known = (this.#known ??= names.length < WORTH_AN_INDEX ? new Map<string, IndexRow>() : this.#index.read());
    const prefix = `${part.part}/`;
    const present = new Set(names);
    for (const key of known.keys())
      if (key.startsWith(prefix) && !present.has(key.slice(prefix.length))) known.delete(key);
    part.warnings.clear();
    part.take(inOrder(names, known, prefix).flatMap((id) => this.#look(part, id, workspace) ?? []));
    const ms = performance.now() - began;
    part.looked = { at: startedAt, ms };
    // The other part's look is as old as the one that was due before: it counts for the time, and not as another.
    const parts = [this.#tasks, this.#archive];
    if (this.#isLookDue) {
      const took = parts.reduce((sum, { looked }) => sum + (looked?.ms ?? 0), 0);
      this.#feed.looked(
        startedAt,
        took,
        parts.reduce((sum, { byId }) => sum + byId.size, 0),
      );
    }
    this.#isLookDue = false;
  }

  #lookAgain(part: Rows, id: string, workspace: string): void {
    part.delete(id);
    if (!isFolderName(id) || this.#world.disk.lstat(part.folder + id)?.kind !== "folder") {
      this.#known?.delete(`${part.part}/${id}`);
      return;
    }
    const row = this.#look(part, id, workspace);
    if (row) part.set(row);
  }

  /** Undefined for what cannot be read now. A folder of another program has no log to tell more. */
  #whole(part: Rows, row: Listed, workspace: string): Listed | undefined {
    const latest = part.byId.get(row.id);
    for (const one of [row, latest]) if (one?.chosen_by !== undefined || one?.root.startsWith(FOREIGN_ROOT)) return one;
    this.#known!.delete(`${part.part}/${row.id}`);
    const whole = this.#look(part, row.id, workspace, { past: "head" });
    if (whole) part.set(whole);
    return whole;
  }

  /** Undefined for what is no entity, and for what cannot be read, with a warning. `past` the head of task.yaml the log is read. */
  #look(part: Rows, id: string, workspace: string, how: LookHow = {}): Listed | undefined {
    try {
      return this.#row(part, id, workspace, how);
    } catch (e) {
      if (isTaskfoldError(e) && e.code === "UNKNOWN_ID") return undefined;
      const { message } = storageError(e, `read ${id}`);
      const recovery = `taskfold verify ${id}`;
      part.warnings.set(id, { code: "LOG_DAMAGED", message: `${id} is left out: ${message}`, recovery });
      return undefined;
    }
  }

  #row(part: Rows, id: string, workspace: string, how: LookHow): Listed | undefined {
    const key = `${part.part}/${id}`;
    const stat = this.#world.disk.lstat(`${part.folder}${id}${sep}${LOG_FILE}`);
    const row = this.#known!.get(key);
    if (stat && row && isSigned(row.sign, stat)) return row.listed;
    const short = stat && this.#unopened(part, id, stat, workspace, how);
    const found = short ? { listed: short, isOfLog: true } : this.#opened(part, id, workspace);
    // What another program's folder says stands in its task.yaml, and a lost end shows there: their logs' stats tell nothing of it.
    if (stat && found?.isOfLog && !found.listed.log_warnings?.includes("LOG_SHORTER")) {
      const fresh = { sign: signOf(stat), listed: found.listed };
      this.#known!.set(key, fresh);
      this.#fresh.set(key, fresh);
    }
    return found?.listed;
  }

  /** What nothing in memory is about, past the store: by its head, else by folding a log that is short. */
  #unopened(part: Rows, id: string, stat: FileStat, workspace: string, { past }: LookHow): Listed | undefined {
    if (part.part === "tasks" && this.#store.isOpen(id)) return undefined;
    const folder = part.folder + id;
    // The head does not tell what was put away from what was deleted.
    const head =
      past === "head" || part.part === "archive" ? undefined : listedHead(this.#world.disk, folder, id, stat);
    return head ?? this.#readShort(id, folder, stat, workspace);
  }

  #readShort(id: string, folder: string, stat: FileStat, workspace: string): Listed | undefined {
    const { disk } = this.#world;
    if (stat.kind !== "file" || stat.size > SHORT_BYTES) return undefined;
    const fold = new Fold();
    const keys = new Map<string, KeyUse>();
    const reset = (): void => (keys.clear(), fold.reset());
    const replay = new Replay({ reset, op: (op, place) => (noteKey(keys, op), fold.op(op, place)) }, { isKnownType });
    const bytes = disk.readFile(join(folder, LOG_FILE));
    replay.load(bytesSource(bytes));
    const { entity } = fold;
    if (!entity) return undefined;
    const { report } = replay;
    const taskYaml = readRegular(disk, join(folder, TASK_FILE))?.toString("utf8");
    const shorter = shorterWarnings({ id }, lostEndsIn(bytes, entity, report, taskYaml));
    const log = { report, keys, subject: subjectOf(id, workspace, entity, report) };
    return rowOf(log, [...logWarnings({ id, report }), ...shorter]);
  }

  /** The way of every other read: what another program made, and what cannot be read, is told there. */
  #opened(part: Rows, id: string, workspace: string): { listed: Listed; isOfLog: boolean } | undefined {
    if (part.part === "archive") {
      const handle = this.#store.findArchived(id);
      if (!handle?.catchUp() || !handle.entity) return undefined;
      return {
        listed: rowOfHandle(handle, handle.subject(workspace), readWarnings(this.#world.disk, handle)),
        isOfLog: true,
      };
    }
    const handle = this.#store.find(id);
    if (!handle) return undefined;
    const { subject, foreign, warnings } = this.#stateOf(handle, workspace);
    if (foreign) return { listed: listedOf(subject), isOfLog: false };
    const { entity, report } = handle;
    const isOfLog = entity?.revision === report.ops && !isOnTrial(entity);
    if (!isOfLog) part.undecided.add(id);
    return { listed: rowOfHandle(handle, subject, warnings), isOfLog };
  }
}

/** As the index has them, which is nearly their order; those that it lacks come last. */
function inOrder(names: readonly string[], known: ReadonlyMap<string, IndexRow>, prefix: string): string[] {
  const there = [...known.keys()].flatMap((key) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  return [...there, ...names.filter((id) => !known.has(prefix + id))];
}

function rowOfHandle(handle: Handle, subject: Subject, warnings: readonly Warning[]): Listed {
  return rowOf({ report: handle.report, keys: handle.keys, subject }, warnings);
}

function rowOf(
  { subject, ...log }: { report: LogReport; keys: ReadonlyMap<string, KeyUse>; subject: Subject },
  warnings: readonly Warning[],
): Listed {
  const row = { ...listedOf(subject), ...listedLog(subject, log) };
  if (warnings.length === 0) return row;
  return { ...row, log_warnings: [...new Set(warnings.map(({ code }) => code))] };
}

function listedLog(
  { entity, head }: Subject,
  { report, keys }: { report: LogReport; keys: ReadonlyMap<string, KeyUse> },
): ListedLog {
  return {
    began: report.roots.length === 1 ? Date.parse(report.roots[0]!.ts) : undefined,
    events: report.linear ? report.seq : report.events,
    head,
    free_from: freeFrom(entity),
    chosen_by: [...keys].flatMap(([key, { tool }]) => (CHOOSERS.has(tool) ? [keyDigest(key)] : [])),
  };
}

/** As `chosen_by` has a key. */
export function keyDigest(key: string): string {
  return sha256(key).slice(0, 8);
}

/** Tools whose calls choose entities themselves: a repeated one goes where the first went. Named, so that a reader loads no other tool. */
export const CHOOSERS: ReadonlySet<string> = new Set(["tasks_archive", "tasks_claim_next"]);

function noteKey(keys: Map<string, KeyUse>, op: Op): void {
  const { key, req, tool } = op.events[0]!.op;
  if (key !== undefined && req !== undefined && !keys.has(key)) keys.set(key, { op: op.hash, tool, req });
}
