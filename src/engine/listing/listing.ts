/**
 * The rows of every entity, kept by the stat of its log. A log that is as it was costs one look, and one that nothing
 * points at (change_feed.ts) costs none. An index in `index/` of the machine's folder spares the next process reading
 * them. It is this machine's only, like a snapshot, and no truth of its own.
 */
import { join, sep } from "node:path";
import type { Disk, FileStat } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { isOnTrial } from "../../events/trial.ts";
import { readRegular } from "../../files/atomic.ts";
import { LOG_FILE, TASK_FILE } from "../../files/layout.ts";
import { errnoOf, isKeptFrom, storageError } from "../../files/storage_error.ts";
import { bytesSource } from "../../log/source.ts";
import { addUp, heldUpBy, NO_STEPS, SHOWN, standing, standingOf } from "../../rules/ready.ts";
import type { Standing } from "../../rules/ready.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { isDone } from "../../state/depends.ts";
import type { Find } from "../../state/depends.ts";
import type { Ref, Subject } from "../../state/entity.ts";
import { FOREIGN_ROOT } from "../../state/foreign_entity.ts";
import { listedOf, plainRow } from "../../state/listed.ts";
import type { Listed } from "../../state/listed.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { FeedReader } from "./change_feed.ts";
import { relativeFolder, subjectOf } from "../entity/entity_on_disk.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { KeyUse } from "../entity/snapshot.ts";
import { Roots, Rows } from "./listed_rows.ts";
import { FreshRow, IndexRows, ListingIndex } from "./listing_index.ts";
import { lostEndsIn, shorterWarnings } from "../entity/log_truncated.ts";
import { readWarnings } from "../entity/read_warnings.ts";
import { keyDigest, noteKey, rowOf, rowOfLoaded } from "./row_of_log.ts";
import { foldersIn } from "../entity/store.ts";
import { isFolderName } from "../entity/folder_name.ts";
import type { Store } from "../entity/store.ts";
import { duplicateRootsIn, duplicateRootsWarning } from "../entity/two_folders.ts";
import { logWarnings } from "../entity/writable.ts";
import type { EngineContext } from "../core/context.ts";
import { foldLog } from "../../fold_log.ts";
import { HEAD_BYTES, readTaskHead } from "../../projections/task_head.ts";

/** Reading so many logs costs as much as the index is worth. */
const WORTH_AN_INDEX = 200;
/** A longer log is read through its entity in memory, which goes on from a snapshot; a shorter one leaves nothing in memory. */
const SHORT_BYTES = 64 * 1024;

/** Rows in natural order of their ids, and what cannot be read and is left out. */
export interface ListedRows {
  rows: readonly Listed[];
  warnings: Warning[];
  /** When every log was looked at last, in milliseconds since 1970; undefined where it was for these rows (FRESH-9). */
  as_of: number | undefined;
}

/** Tasks that have not ended, and what cannot be read and is left out. */
export interface OpenTasks {
  /** Ids of those, of all or of a plan, that a step can be taken up in (LEASE-7), in natural order. */
  ready: (now: string, plan?: string) => Iterable<string>;
  /** How many there are, of all or of a plan, the first of them, and how their steps stand. */
  standing: (now: string, find: Find, plan?: string) => { count: number; first: Subject[]; details: Standing };
  warnings: Warning[];
}

interface LookHow {
  past?: "head";
}

/** Where the states of entities come from. */
export interface States {
  /** The present state, and what every read of it says. */
  look(loaded: LoadedEntity, workspace: string): { subject: Subject; warnings: Warning[]; foreign: boolean };
  subjectOf(ref: Ref, workspace: string): Subject | undefined;
}

export class Listing {
  readonly #context: EngineContext;
  readonly #store: Store;
  readonly #states: States;
  readonly #feed: FeedReader;
  readonly #index: ListingIndex;
  readonly #roots = new Roots(() => [this.#tasks, this.#archive]);
  readonly #tasks: Rows;
  readonly #archive: Rows;
  /** Rows that their logs' stats tell to be as they were. */
  #known: IndexRows | null = null;
  /** Those of them that the index lacks. */
  readonly #fresh = new IndexRows();
  /** The feed asks for a look at everything, and has not been told of one. */
  #isLookDue = true;
  /** Calls that are answered from one look, and what was looked at for them. */
  #sharing = 0;
  readonly #shared = new Set<Rows>();

  constructor(context: EngineContext, { store, states, feed }: { store: Store; states: States; feed: FeedReader }) {
    this.#context = context;
    this.#store = store;
    this.#states = states;
    this.#feed = feed;
    this.#index = new ListingIndex(context.disk, () => context.layout.machineFile("index", "listing.index"));
    this.#tasks = new Rows("tasks", context.layout.tasks, this.#roots);
    this.#archive = new Rows("archive", context.layout.archive, this.#roots);
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
    return this.#rowsOf(this.#tasks, workspace);
  }

  /** The tasks under `tasks/` that have not ended and were not deleted. */
  open(workspace: string): OpenTasks {
    const { warnings } = this.#upToDate(this.#tasks, workspace);
    return {
      ready: (now, plan) => this.#ready(workspace, now, plan),
      standing: (now, find, plan) => this.#standing(workspace, now, find, plan),
      warnings,
    };
  }

  /** Each as it is when it is asked for: others may write in between. */
  *#ready(workspace: string, now: string, plan: string | undefined): Generator<string> {
    const isListed = (ref: Ref): boolean => this.#isListed(ref);
    const isDoneNow = (ref: Ref): boolean => this.#isDone(ref, workspace);
    let after: Listed | undefined;
    for (;;) {
      const { open } = this.#tasks;
      const row = (after = open.next(now, { plan, after }));
      if (!row) return;
      const whole = this.whole("tasks", row, workspace);
      if (!whole) continue;
      const heldUp = heldUpBy(whole, now, isDoneNow);
      if (heldUp) open.defer(whole.id, heldUp, isListed);
      else yield whole.id;
    }
  }

  /** Opens the first ones, and those that another program keeps. */
  #standing(workspace: string, now: string, find: Find, plan: string | undefined): ReturnType<OpenTasks["standing"]> {
    const tasks = this.#tasks.standing;
    for (const row of tasks.of(plan).special.values()) this.whole("tasks", row, workspace);
    const { ids, open, done, special, count } = tasks.of(plan);
    let details: Standing = { ...NO_STEPS, open, done };
    for (const row of special.values()) {
      const waits = row.depends_on.some((ref) => !this.#isDone(ref, workspace));
      const subject = row.chosen_by === undefined ? this.subjectOf(row, workspace) : undefined;
      details = addUp(details, subject ? standing(subject, find, now) : standingOf(row, waits, now));
    }
    const first: Subject[] = [];
    for (let row = ids.after(); row && first.length < SHOWN; row = ids.after(row))
      first.push(...[this.subjectOf(row, workspace)].filter((one) => one !== undefined));
    return { count, first, details };
  }

  #isListed(ref: Ref): boolean {
    return this.rowOf(ref)?.deleted === false;
  }

  /** An open task of this workspace that was deleted, or is in the archive, is no row: the log tells. */
  #isDone(ref: Ref, workspace: string): boolean {
    return this.#isListed(ref) ? this.rowOf(ref)!.status === "DONE" : isDone(this.#states.subjectOf(ref, workspace));
  }

  /** Every entity under `archive/`. */
  archived(workspace: string): ListedRows {
    return this.#rowsOf(this.#archive, workspace);
  }

  /** Ids of all folders under `archive/` that hold a log, in natural order. Of those that the index has, costs one look at `archive/` only. */
  archivedNames(): readonly string[] {
    if (this.#sharing === 0) this.#takeNews();
    return (this.#archive.names ??= this.#namesInArchive());
  }

  /** Returns the rows of these entities in the archive; those that cannot be read are left out. */
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
  subjectOf({ id }: Pick<Listed, "id">, workspace: string): Subject | undefined {
    try {
      const loaded = this.#store.find(id);
      const subject = loaded && this.#states.look(loaded, workspace).subject;
      return subject && !isArchivedOrDeleted(subject.entity) ? subject : undefined;
    } catch (e) {
      if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
      return undefined;
    }
  }

  /** The entity that a call with this key chose itself, live or archived. */
  chosenWith(key: string, workspace: string): LoadedEntity | undefined {
    const digest = keyDigest(key);
    const find = (part: Rows, loadedOf: (id: string) => LoadedEntity | undefined): LoadedEntity | undefined => {
      this.#upToDate(part, workspace);
      for (const id of part.claimKeys.untold) this.#whole(part, part.byId.get(id)!, workspace);
      for (const id of part.claimKeys.with(digest).toSorted(compareIds)) {
        const loaded = loadedOf(id);
        if (loaded?.catchUp() && loaded.keys.has(key)) return loaded;
      }
      return undefined;
    };
    return find(this.#tasks, (id) => this.#store.find(id)) ?? find(this.#archive, (id) => this.#store.findArchived(id));
  }

  /** A row with all that only its log tells: one that the head of task.yaml told is read. Undefined when it cannot be. */
  whole(part: EntityLocation["part"], row: Listed, workspace: string): Listed | undefined {
    return row.chosen_by !== undefined
      ? row
      : this.#whole(part === "tasks" ? this.#tasks : this.#archive, row, workspace);
  }

  /** Why an entity could not be read when it was looked at last. */
  warningsOf(part: EntityLocation["part"], id: string): Warning[] {
    const warning = (part === "tasks" ? this.#tasks : this.#archive).warnings.get(id);
    return warning ? [warning] : [];
  }

  /** Roots of entities that are in more than one folder, as the last answers had them. */
  get duplicateRoots(): ReadonlySet<string> {
    return this.#roots.duplicateRoots;
  }

  /** Leaves an index behind where that is worth it. Failing to do so loses nothing. */
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

  #namesInArchive(): string[] {
    const { folder } = this.#archive;
    const names = this.#foldersOf(this.#archive);
    if (names.length === 0) return [];
    const { archive } = (this.#known ??= this.#index.read());
    const holdsLog = (id: string): boolean =>
      archive.has(id) || this.#isAhead(folder + id) || isOrMayBe(this.#context.disk, `${folder}${id}${sep}${LOG_FILE}`);
    return names.filter(holdsLog).sort(compareIds);
  }

  #foldersOf({ folder }: Rows): string[] {
    return foldersIn(this.#context, folder.slice(0, -sep.length));
  }

  #rowsOf(part: Rows, workspace: string): ListedRows {
    const looked = this.#upToDate(part, workspace);
    const rows = part.sorted.all;
    if (this.duplicateRoots.size === 0) return { rows, ...looked };
    const duplicates = [...this.duplicateRoots].map((root) => duplicateRootsIn(this.#context, this.#placesOf(root)));
    const refused = new Set(duplicates.flatMap((one) => one.refused.map(relativeFolder)));
    // A row alone does not know of another folder.
    const asDuplicate = (row: Listed): Listed =>
      refused.has(relativeFolder({ id: row.id, part: part.part }))
        ? { ...plainRow(row), log_warnings: [...(row.log_warnings ?? []), "LOG_TWO_FOLDERS"] }
        : row;
    return {
      ...looked,
      rows: rows.map(asDuplicate),
      warnings: [...looked.warnings, ...duplicates.map(duplicateRootsWarning)],
    };
  }

  #placesOf(root: string): EntityLocation[] {
    return [this.#tasks, this.#archive].flatMap(({ part, sorted }) =>
      sorted.all.flatMap((row) => (row.root === root ? [{ id: row.id, part }] : [])),
    );
  }

  #upToDate(part: Rows, workspace: string): Omit<ListedRows, "rows"> {
    if (this.#shared.has(part)) return { warnings: this.#warningsOf(part), as_of: undefined };
    this.#takeNews();
    const as_of = part.stale === "all" ? undefined : part.looked?.at;
    if (part.stale === "all") this.#lookAtAll(part, workspace);
    else for (const id of part.stale) this.#lookAgain(part, id, workspace);
    part.stale = new Set(part.undecided);
    part.undecided.clear();
    if (this.#sharing > 0) this.#shared.add(part);
    return { warnings: this.#warningsOf(part), as_of };
  }

  #warningsOf({ part, warnings }: Rows): Warning[] {
    return [...warnings.values(), ...this.#store.leftOutWarnings(part)];
  }

  /** Spreads what the feed says to both parts: each is looked at when it is asked for. */
  #takeNews(): void {
    const taken = this.#feed.take();
    const changed = this.#feed.isFresh() ? taken : "all";
    if (changed === "all") this.#isLookDue = true;
    this.#tasks.tellWaiting(changed);
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
    const [startedAt, began] = [this.#context.now(), this.#context.runtime.uptime()];
    const names = this.#foldersOf(part);
    this.#known ??= names.length < WORTH_AN_INDEX ? new IndexRows() : this.#index.read();
    part.warnings.clear();
    const rows: Listed[] = [];
    for (const id of inOrder(names, this.#known[part.part])) {
      const row = this.#look(part, id, workspace);
      if (row) rows.push(row);
    }
    part.take(rows);
    const ms = this.#context.runtime.uptime() - began;
    part.looked = { at: startedAt, ms };
    // The other part's look is as old as the one that was due before: it counts for the time, and not as another.
    const parts = [this.#tasks, this.#archive];
    if (this.#isLookDue) {
      const took = parts.reduce((sum, { looked }) => sum + (looked?.ms ?? 0), 0);
      this.#feed.looked(
        took,
        parts.reduce((sum, { sorted }) => sum + sorted.all.length, 0),
      );
    }
    this.#isLookDue = false;
  }

  #isAhead(folder: string): boolean {
    return this.#context.pendingLines?.has(folder) === true;
  }

  #lookAgain(part: Rows, id: string, workspace: string): void {
    part.delete(id);
    const folder = part.folder + id;
    if (!isFolderName(id) || (!this.#isAhead(folder) && this.#context.disk.lstat(folder)?.kind !== "folder")) {
      this.#known?.[part.part].delete(id);
      return;
    }
    const row = this.#look(part, id, workspace);
    if (row) part.set(row);
  }

  /** Undefined for what cannot be read now. A folder of another program has no log to tell more. */
  #whole(part: Rows, row: Listed, workspace: string): Listed | undefined {
    const latest = part.byId.get(row.id);
    for (const one of [row, latest]) if (one?.chosen_by !== undefined || one?.root.startsWith(FOREIGN_ROOT)) return one;
    this.#known![part.part].delete(row.id);
    const whole = this.#look(part, row.id, workspace, { past: "head" });
    if (whole) part.set(whole);
    return whole;
  }

  /** Undefined for what is no entity, and for what cannot be read, with a warning. `past` the head of task.yaml the log is read. */
  #look(part: Rows, id: string, workspace: string, how: LookHow = {}): Listed | undefined {
    try {
      return this.#row(part, id, workspace, how);
    } catch (e) {
      if (isTaskfoldError(e) && (e.code === "UNKNOWN_ID" || e.code === "NOT_CHECKED_OUT")) return undefined;
      const { message } = storageError(e, `read ${id}`);
      const recovery = `taskfold verify ${id}`;
      part.warnings.set(id, { code: "LOG_DAMAGED", message: `${id} is left out: ${message}`, recovery });
      return undefined;
    }
  }

  #row(part: Rows, id: string, workspace: string, how: LookHow): Listed | undefined {
    // The stat of a log tells nothing of the lines that it does not have yet.
    const isAhead = this.#isAhead(part.folder + id);
    const stat = isAhead ? undefined : this.#context.disk.lstat(`${part.folder}${id}${sep}${LOG_FILE}`);
    const row = this.#known![part.part].get(id);
    if (stat && row?.isOf(stat)) return row.listed;
    const short = stat && this.#unopened(part, id, stat, workspace, how);
    const found = short ? { listed: short, isOfLog: true } : this.#opened(part, id, workspace);
    // The facts of another program's folder stand in its task.yaml, and a lost end shows there: their logs' stats tell
    // nothing of it.
    if (stat && found?.isOfLog && !found.listed.log_warnings?.includes("LOG_TRUNCATED")) {
      const fresh = new FreshRow(stat, found.listed);
      this.#known![part.part].set(id, fresh);
      this.#fresh[part.part].set(id, fresh);
    }
    return found?.listed;
  }

  /**
   * Returns the row of an entity that is not in memory, past the store: by its head, else by folding a log that is
   * short.
   */
  #unopened(part: Rows, id: string, stat: FileStat, workspace: string, { past }: LookHow): Listed | undefined {
    if (part.part === "tasks" && this.#store.isOpen(id)) return undefined;
    const folder = part.folder + id;
    // The head does not tell what was put away from what was deleted.
    const head =
      past === "head" || part.part === "archive" ? undefined : listedHead(this.#context.disk, folder, id, stat);
    return head ?? this.#readShort(id, folder, stat, workspace);
  }

  #readShort(id: string, folder: string, stat: FileStat, workspace: string): Listed | undefined {
    const { disk } = this.#context;
    if (stat.kind !== "file" || stat.size > SHORT_BYTES) return undefined;
    const bytes = disk.readFile(join(folder, LOG_FILE));
    const {
      entity,
      report,
      gathered: keys,
    } = foldLog(bytesSource(bytes), {
      start: () => new Map<string, KeyUse>(),
      each: (op, _fold, uses) => noteKey(uses, op),
    });
    if (!entity) return undefined;
    const taskYaml = readRegular(disk, join(folder, TASK_FILE))?.toString("utf8");
    const shorter = shorterWarnings({ id }, lostEndsIn(bytes, entity, report, taskYaml));
    const log = { report, keys, subject: subjectOf(id, workspace, entity, report) };
    return rowOf(log, [...logWarnings({ id, report }), ...shorter]);
  }

  /** The way of every other read: what another program made, and what cannot be read, is told there. */
  #opened(part: Rows, id: string, workspace: string): { listed: Listed; isOfLog: boolean } | undefined {
    if (part.part === "archive") {
      const loaded = this.#store.findArchived(id);
      if (!loaded?.catchUp() || !loaded.entity) return undefined;
      return {
        listed: rowOfLoaded(loaded, loaded.subject(workspace), readWarnings(this.#context.disk, loaded)),
        isOfLog: true,
      };
    }
    const loaded = this.#store.find(id);
    if (!loaded) return undefined;
    const { subject, foreign, warnings } = this.#states.look(loaded, workspace);
    if (foreign) return { listed: listedOf(subject), isOfLog: false };
    const { entity, report } = loaded;
    const isOfLog = entity?.revision === report.ops && !isOnTrial(entity);
    if (!isOfLog) part.undecided.add(id);
    return { listed: rowOfLoaded(loaded, subject, warnings), isOfLog };
  }
}

/** A folder that may not be looked into counts: who asks for its row hears why it cannot be read. */
function isOrMayBe(disk: Disk, path: string): boolean {
  try {
    return disk.lstat(path) !== undefined;
  } catch (e) {
    if (!isKeptFrom(e)) throw e;
    return true;
  }
}

/** As the index has them, which is nearly their order; those that it lacks come last. Rows of folders that are gone are forgotten. */
function inOrder(names: readonly string[], known: Map<string, unknown>): string[] {
  const others = new Set(names);
  const there: string[] = [];
  for (const id of known.keys()) {
    if (others.delete(id)) there.push(id);
    else known.delete(id);
  }
  return [...there, ...others];
}

/**
 * Returns the row of an entity by the head of its task.yaml, where that is as good as folding the log (PROJ-18,
 * VIEW-22). One for all: what is read is taken from it before the next one comes.
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
