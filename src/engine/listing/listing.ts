/**
 * The rows of every entity, kept by the stat of its log. A log that is as it was costs one look, and one that nothing
 * points at (change_feed.ts) costs none. An index in `index/` of the machine's folder spares the next process reading
 * them. It is this machine's only, like a snapshot, and no truth of its own.
 */
import { sep } from "node:path";
import type { Disk } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf, isKeptFrom } from "../../files/storage_error.ts";
import { addUp, heldUpBy, NO_STEPS, SHOWN, stepCounts, stepCountsOf } from "../../rules/ready.ts";
import type { StepCounts } from "../../rules/ready.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { isDone } from "../../state/depends.ts";
import type { Find } from "../../state/depends.ts";
import type { Ref, Subject } from "../../state/entity.ts";
import { FOREIGN_ROOT } from "../../state/foreign_entity.ts";
import { changedRow } from "../../state/listed.ts";
import type { Listed } from "../../state/listed.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { FeedReader } from "./change_feed.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { Roots, Rows } from "./listed_rows.ts";
import { IndexRows, ListingIndex } from "./listing_index.ts";
import { keyDigest } from "./row_of_log.ts";
import { foldersIn } from "../entity/store.ts";
import { isFolderName } from "../entity/folder_name.ts";
import type { Store } from "../entity/store.ts";
import { duplicateRootsIn, duplicateRootsWarning } from "../entity/two_folders.ts";
import type { EngineContext } from "../core/context.ts";
import { ListedRowMaker } from "./listed_row_maker.ts";
import type { Look, States } from "./listed_row_maker.ts";
import { RowsByStat } from "./rows_by_stat.ts";

/** Reading so many logs costs as much as the index is worth. */
const WORTH_AN_INDEX = 200;

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
  openCounts: (now: string, find: Find, plan?: string) => { count: number; first: Subject[]; details: StepCounts };
  warnings: Warning[];
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
  readonly #looks: Record<EntityLocation["part"], RowsByStat<Listed, Look>>;
  /** Rows that the index lacks. */
  readonly #fresh = new IndexRows();
  /** The rows of the index are known, or not worth reading. */
  #isIndexKnown = false;
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
    const looks = (rows: Rows): RowsByStat<Listed, Look> =>
      new RowsByStat(rows.part, new ListedRowMaker(rows, { store, states }), (id, row) =>
        this.#fresh[rows.part].set(id, row),
      );
    this.#looks = { tasks: looks(this.#tasks), archive: looks(this.#archive) };
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
      openCounts: (now, find, plan) => this.#openCounts(workspace, now, find, plan),
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
  #openCounts(
    workspace: string,
    now: string,
    find: Find,
    plan: string | undefined,
  ): ReturnType<OpenTasks["openCounts"]> {
    const tasks = this.#tasks.openCounts;
    for (const row of tasks.of(plan).special.values()) this.whole("tasks", row, workspace);
    const { ids, open, done, without_steps, special, count } = tasks.of(plan);
    let details: StepCounts = { ...NO_STEPS, open, done, without_steps };
    for (const row of special.values()) {
      const waits = row.depends_on.some((ref) => !this.#isDone(ref, workspace));
      const subject = row.chosen_by === undefined ? this.subjectOf(row, workspace) : undefined;
      details = addUp(details, subject ? stepCounts(subject, find, now) : stepCountsOf(row, waits, now));
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
    this.#readIndex();
    return ids.flatMap((id) => this.#look(this.#archive, id, { workspace }) ?? []);
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
      for (const id of part.claimKeys.onlyInLog) this.#whole(part, part.byId.get(id)!, workspace);
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
      const { tasks, archive } = this.#looks;
      this.#index.keep(this.#fresh, new IndexRows(tasks.kept, archive.kept));
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
    this.#readIndex();
    const { kept } = this.#looks.archive;
    const holdsLog = (id: string): boolean =>
      kept.has(id) || this.#isAhead(folder + id) || isOrMayBe(this.#context.disk, `${folder}${id}${sep}${LOG_FILE}`);
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
        ? changedRow(row, { log_warnings: [...(row.log_warnings ?? []), "LOG_TWO_FOLDERS"] })
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
    if (names.length < WORTH_AN_INDEX) this.#isIndexKnown = true;
    this.#readIndex();
    part.warnings.clear();
    const rows: Listed[] = [];
    // As the index has them, which is nearly their order.
    for (const id of this.#looks[part.part].inOrder(names)) {
      const row = this.#look(part, id, { workspace });
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
      this.#looks[part.part].forget(id);
      return;
    }
    const row = this.#look(part, id, { workspace });
    if (row) part.set(row);
  }

  /** Undefined for what cannot be read now. A folder of another program has no log to tell more. */
  #whole(part: Rows, row: Listed, workspace: string): Listed | undefined {
    const latest = part.byId.get(row.id);
    for (const one of [row, latest]) if (one?.chosen_by !== undefined || one?.root.startsWith(FOREIGN_ROOT)) return one;
    this.#looks[part.part].forget(row.id);
    const whole = this.#look(part, row.id, { workspace, past: "head" });
    if (whole) part.set(whole);
    return whole;
  }

  #look(part: Rows, id: string, { workspace, past }: Pick<Look, "workspace" | "past">): Listed | undefined {
    return this.#looks[part.part].look(id, { context: this.#context, workspace, past });
  }

  /** Once: rows that were read since are newer than those of the index. */
  #readIndex(): void {
    if (this.#isIndexKnown) return;
    this.#isIndexKnown = true;
    const { tasks, archive } = this.#index.read();
    this.#looks.tasks.kept = tasks;
    this.#looks.archive.kept = archive;
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
