/** The rows of the board in memory, each read again when its log is another: the first look reads every log, later ones their stats. */
import { isBegunTask } from "../../state/plan_status.ts";
import type { Disk } from "../../disk.ts";
import type { Layout } from "../../files/layout.ts";
import { TaskfoldError } from "../../errors.ts";
import { holdsFor } from "../../files/look_again.ts";
import { sha256 } from "../../log/canonical.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { Ref } from "../../state/entity.ts";
import type { ApiWarning, BoardRow } from "../../views/viewer/api.ts";
import type { OwnRow } from "../../views/viewer/board_row.ts";
import { boardRow } from "../../views/viewer/board_row.ts";
import { PART } from "../core/parts_left.ts";
import { folderOf } from "../entity/entity_on_disk.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { lookForDispatcher } from "../entity/packet_holder.ts";
import { isFolderName } from "../entity/folder_name.ts";
import type { Store } from "../entity/store.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { DueLogs } from "./log_hints.ts";
import { RowsThread } from "./rows_thread.ts";
import { Slices } from "./slices.ts";
import { IdGroups } from "../../state/id_groups.ts";
import { countUpTo } from "../../state/sorted_list.ts";
import { byEnd } from "../listing/claim_end.ts";
import type { ClaimEnd } from "../listing/claim_end.ts";
import { RowsByStat } from "../listing/rows_by_stat.ts";
import { FolderMaker, folderOfShort } from "./known_folder.ts";
import type { KnownFolder } from "./known_folder.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

const MAX_FOREIGN = 500;
/** More logs than these are looked at as all are. */
const MAX_NAMED = 100;
/** How what is shown of a plan or task is another than before. */
export interface RowChange {
  id: string;
  what: "new" | "changed" | "gone";
}

/** Findings of the last check of a folder, if there was one. */
export type CheckedOf = (key: string) => { drift: boolean; faults: number } | undefined;

export class BoardRows {
  readonly #from: () => ReadModel;
  readonly #workspace: () => string;
  readonly #parts: Record<EntityLocation["part"], RowsByStat<KnownFolder, ReadModel>>;
  #known = new Map<string, KnownFolder>();
  #looked = Number.NEGATIVE_INFINITY;
  #holdsMs = holdsFor("rows");
  #looking: Promise<void> | null = null;
  #stamp = "";
  #idsByRoot = new Map<string, string>();
  #byId = new Map<string, KnownFolder>();
  #plans = new Map<string, BoardRow["progress"] & { hasBegun: boolean }>();
  /** Ids of those that wait for an entity, by its root. */
  #waiting = new IdGroups();
  /** Claims by their ends, sorted: when one is over, other steps can be taken up. */
  #ends: ClaimEnd[] = [];
  #withoutRow: EntityLocation[] = [];
  /** Folders of other programs, as many as a look each second may cost. */
  #foreign: string[] = [];
  /** Ids with an attempt that a dispatcher began and that has no end. */
  #dispatched: string[] = [];
  /** Ids that are others than when they were told last, and whether they were there then. */
  readonly #news = new Map<string, boolean>();
  #onNews: () => void = () => undefined;

  constructor(from: () => ReadModel, workspace: () => string) {
    this.#from = from;
    this.#workspace = workspace;
    this.#parts = { tasks: this.#rowsOf("tasks"), archive: this.#rowsOf("archive") };
  }

  /** Digest of the ends of all logs. */
  get stamp(): string {
    return this.#stamp;
  }

  /** Live ones in natural order of ids, then those in the archive. */
  get folders(): ReadonlyMap<string, KnownFolder> {
    return this.#known;
  }

  /** Names among them that nothing is shown of: links, files, folders without a log and a task.yaml. */
  get withoutRow(): readonly EntityLocation[] {
    return this.#withoutRow;
  }

  /** How many claims are over: rows are the same until another one is. */
  over(now: string): number {
    return countUpTo(this.#ends, ({ at }) => (at <= now ? 0 : 1));
  }

  /** Ids whose claims ended between these times. */
  ended(from: string, to: string): string[] {
    return [...new Set(this.#ends.slice(this.over(from), this.over(to)).map(({ id }) => id))];
  }

  find(id: string): KnownFolder | undefined {
    return this.#byId.get(id);
  }

  /** Names of their folders, as a look takes them. */
  keysOf(ids: Iterable<string>): string[] {
    return [...ids].flatMap((id) => {
      const folder = this.#byId.get(id);
      return folder ? [keyOf(folder.place)] : [];
    });
  }

  /** Ids of folders that other programs keep. No watch on logs tells of them. */
  get foreign(): readonly string[] {
    return this.#foreign;
  }

  /** Ids whose packet a dispatcher began to run and no process runs now. No log changes when that comes about. */
  lost(): string[] {
    return this.#dispatched.filter((id) => this.#isLost(id));
  }

  /** Looks at every folder unless that was done a moment ago. Callers that come meanwhile wait for the same look. */
  refresh(): Promise<void> {
    if (this.#from().context.runtime.uptime() - this.#looked < this.#holdsMs) return Promise.resolve();
    this.#looking ??= this.#look().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Looks at these logs now, whenever the last look was. */
  async lookAt(due: DueLogs): Promise<void> {
    if (due.length === 0) return;
    // A look that is under way may have passed by them already.
    await this.#looking;
    if (due !== "all" && due.length <= MAX_NAMED && this.#lookAtNamed(due)) return;
    this.#looked = Number.NEGATIVE_INFINITY;
    await this.refresh();
  }

  /** `listener` hears of each change, whether a request or a watch found it. */
  onNews(listener: () => void): void {
    this.#onNews = listener;
  }

  /** Returns the changes since the last call. */
  takeNews(): RowChange[] {
    const news = [...this.#news].flatMap(([id, was]): RowChange[] => {
      const is = this.#byId.has(id);
      if (!was && !is) return [];
      return [{ id, what: was && is ? "changed" : is ? "new" : "gone" }];
    });
    this.#news.clear();
    return news;
  }

  rows(now: string, checkedOf: CheckedOf): BoardRow[] {
    return [...this.#known].flatMap(([key, folder]) => {
      // Git may have left a deleted one in the archive whose id a live one has.
      if (folder.own?.row.deleted && this.#byId.get(folder.place.id) !== folder) return [];
      return this.#row(key, folder, now, checkedOf) ?? [];
    });
  }

  row(id: string, now: string, checkedOf: CheckedOf): BoardRow | undefined {
    const folder = this.#byId.get(id);
    return folder && this.#row(keyOf(folder.place), folder, now, checkedOf);
  }

  warnings(): ApiWarning[] {
    return [...this.#known.values()].flatMap(({ warning }) => warning ?? []);
  }

  #row(key: string, { own }: KnownFolder, now: string, checkedOf: CheckedOf): BoardRow | undefined {
    if (!own) return undefined;
    const idOf = (ref: Ref): string => this.#idsByRoot.get(ref.root) ?? ref.id;
    const isDone = (ref: Ref): boolean => {
      const id = this.#idsByRoot.get(ref.root);
      const row = id === undefined ? undefined : this.#byId.get(id)?.own?.row;
      return row?.status === "DONE" && row.deleted !== true;
    };
    const tasksOf = (root: string) => this.#plans.get(root) ?? { done: 0, total: 0, hasBegun: false };
    const isLost = own.lost !== null && this.#isLost(own.row.id);
    return boardRow(own, { idOf, isDone, tasksOf, now, isLost, checked: checkedOf(key) });
  }

  #isLost(id: string): boolean {
    const dispatcher = lookForDispatcher(this.#from().context, id);
    return dispatcher !== undefined && dispatcher() === undefined;
  }

  async #look(): Promise<void> {
    const from = this.#from();
    const { runtime } = from.context;
    const began = runtime.uptime();
    const { store } = from;
    const slices = new Slices(from.context);
    const known = new Map<string, KnownFolder>();
    const withoutRow: EntityLocation[] = [];
    const { disk, layout } = from.context;
    if (!isWorkspace(store, disk, layout)) throw workspaceGone();
    const archived = disk.lstat(layout.archive)?.kind === "folder" ? store.archivedNames() : [];
    const { tasks, archive } = this.#parts;
    const places = [
      ...placesIn("tasks", tasks.inOrder(store.names())),
      ...placesIn("archive", archive.inOrder(archived)),
    ];
    const found = this.#known.size === 0 ? await this.#firstLook(from, places, slices) : [];
    for (const [i, place] of places.entries()) {
      const key = keyOf(place);
      const folder = found[i] ?? this.#lookAtFolder(from, place);
      if (folder) known.set(key, folder);
      else if (place.part === "tasks" ? store.has(place.id) : store.hasArchived(place.id)) withoutRow.push(place);
      await slices.pause();
    }
    this.#withoutRow = withoutRow;
    this.#looked = began;
    this.#holdsMs = holdsFor("rows", runtime.uptime() - began);
    this.#take(known);
  }

  /** By two threads, if there are very many; by none, if there are few. */
  async #firstLook(from: ReadModel, places: EntityLocation[], slices: Slices): Promise<(KnownFolder | undefined)[]> {
    const { context } = from;
    const thread = RowsThread.start(context, {
      root: context.layout.root,
      workspace: this.#workspace(),
      places,
    });
    if (!thread) return [];
    const found: (KnownFolder | undefined)[] = [];
    try {
      for (const at of thread.parts()) {
        for (let i = at; i < Math.min(at + PART, places.length); i++) found[i] = this.#lookAtFolder(from, places[i]!);
        await slices.pause();
      }
      for (const [i, log] of await thread.logs()) {
        const place = places[i]!;
        if (!context.pendingLines?.has(folderOf(context, place)))
          found[i] = this.#parts[place.part].take(place.id, folderOfShort(place, log));
      }
    } finally {
      thread.end();
    }
    return found;
  }

  /** False if a folder came or went: then the order of all is another. */
  #lookAtNamed(keys: readonly string[]): boolean {
    const from = this.#from();
    const known = new Map(this.#known);
    for (const key of keys) {
      const before = known.get(key);
      const found = before && this.#lookAtFolder(from, before.place);
      if (!found) return false;
      known.set(key, found);
    }
    this.#take(known);
    return true;
  }

  #take(known: Map<string, KnownFolder>): void {
    const before = this.#known;
    const isFirst = this.#stamp === "";
    const others: KnownFolder[] = [];
    for (const [key, folder] of known) if (before.get(key) !== folder) others.push(folder);
    for (const [key, folder] of before) if (!known.has(key)) others.push(folder);
    if (others.length === 0 && !isFirst) return;
    const was = this.#byId;
    this.#known = known;
    this.#changed();
    if (isFirst) return;
    for (const { place } of others) if (isOther(was.get(place.id), this.#byId.get(place.id))) this.#note(place.id, was);
    if (this.#news.size > 0) this.#onNews();
  }

  #note(id: string, was: ReadonlyMap<string, KnownFolder>): void {
    if (!this.#news.has(id)) this.#news.set(id, was.has(id));
  }

  #rowsOf(part: EntityLocation["part"]): RowsByStat<KnownFolder, ReadModel> {
    return new RowsByStat(part, new FolderMaker(part, this.#workspace));
  }

  #lookAtFolder(from: ReadModel, { part, id }: EntityLocation): KnownFolder | undefined {
    return this.#parts[part].look(id, from);
  }

  #changed(): void {
    this.#idsByRoot = new Map();
    this.#byId = new Map();
    this.#plans = new Map();
    this.#waiting = new IdGroups();
    this.#dispatched = [];
    this.#foreign = [];
    const ends: ClaimEnd[] = [];
    const signs: string[] = [];
    for (const folder of this.#known.values()) {
      const { own, place, sign } = folder;
      // A live one has the id, where git left a folder of it in the archive too.
      if (!this.#byId.has(place.id)) this.#byId.set(place.id, folder);
      signs.push(`${keyOf(place)} ${own && own.row.head !== "" ? endOf(own) : sign}`);
      if (!own) continue;
      if (!this.#idsByRoot.has(own.root)) this.#idsByRoot.set(own.root, place.id);
      if (own.lost) this.#dispatched.push(own.row.id);
      if (own.row.source === "coco" && this.#foreign.length < MAX_FOREIGN) this.#foreign.push(place.id);
      for (const { root } of own.depends_on) this.#waiting.add(root, place.id);
      if (own.parent && !own.row.deleted) this.#count(own.parent.root, own.row);
      for (const { expires_at } of own.claims) ends.push({ at: expires_at, id: place.id });
    }
    this.#ends = ends.sort(byEnd);
    this.#stamp = sha256(signs.join("\n")).slice(0, 22);
  }

  #count(root: string, task: OwnRow["row"]): void {
    const progress = this.#plans.get(root) ?? { done: 0, total: 0, hasBegun: false };
    progress.total++;
    if (task.status === "DONE") progress.done++;
    if (isBegunTask(task)) progress.hasBegun = true;
    this.#plans.set(root, progress);
  }

  /** Ids whose rows say something of this one: its plan, and what waits for it. */
  affectedBy(id: string): string[] {
    const own = this.#byId.get(id)?.own;
    if (!own) return [];
    const plan = own.parent && this.#idsByRoot.get(own.parent.root);
    return [...(plan ? [plan] : []), ...this.#waiting.of(own.root)];
  }
}

/**
 * Folders of another program are something to look at, also before the first change binds the root. A checkout of a branch without a
 * workspace leaves folders that hold no file.
 */
function isWorkspace(store: Store, disk: Disk, { workspaceFile }: Layout): boolean {
  return disk.lstat(workspaceFile) !== undefined || store.names().some((id) => store.has(id));
}

function workspaceGone(): TaskfoldError {
  return new TaskfoldError(
    "STORAGE_FAILED",
    "Expected the files of the workspace, found that they are not there any more.",
    remedy`Put them back, or start ${TASKFOLD} view in the folder where they are now.`,
  );
}

export function keyOf({ part, id }: EntityLocation): string {
  return `${part}/${id}`;
}

function placesIn(part: EntityLocation["part"], names: readonly string[]): EntityLocation[] {
  return names
    .filter(isFolderName)
    .sort(compareIds)
    .map((id) => ({ id, part }));
}

/** A file that was only touched is no change. A log line of another program has no head to compare. */
function isOther(before: KnownFolder | undefined, after: KnownFolder | undefined): boolean {
  if (!before?.own || !after?.own || before.place.part !== after.place.part) return true;
  return after.own.row.source === "coco" || endOf(before.own) !== endOf(after.own);
}

/** Conflict markers and lines that wait for others leave the head as it is, and are a change to a reader. */
function endOf({ row: { head, warnings } }: OwnRow): string {
  return [head, ...warnings].join(" ");
}
