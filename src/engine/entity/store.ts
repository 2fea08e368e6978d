/** The entities of one open workspace, kept in memory once they have been read. */
import { basename, dirname, join } from "node:path";
import { isHollow, listFolder } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { isFolderName } from "./folder_name.ts";
import { LoadedEntity } from "./loaded_entity.ts";
import { keptDescriptors } from "../core/kept_descriptors.ts";
import { Snapshots } from "./snapshot.ts";
import { WentAway } from "./went_away.ts";
import type { EngineContext } from "../core/context.ts";
import type { LeftOut, Part } from "../core/sparse_checkout.ts";
import { leftOutWarnings, notCheckedOut, PARTS } from "../core/sparse_checkout.ts";
import type { Warning } from "../../errors.ts";
import { compareIds } from "../../state/compare_ids.ts";

export class Store {
  readonly #context: EngineContext;
  readonly snapshots: Snapshots;
  readonly wentAway: WentAway;
  readonly #live = new Map<string, LoadedEntity>();
  readonly #archived = new Map<string, LoadedEntity>();
  /** Loaded entities that may hold a descriptor, oldest use first. */
  readonly #writers = new Set<LoadedEntity>();
  /** The last of them. */
  #latest: LoadedEntity | undefined;

  constructor(context: EngineContext) {
    this.#context = context;
    this.snapshots = new Snapshots(context);
    this.wentAway = new WentAway(context, this);
  }

  /** The loaded entity of an id whose folder is there, caught up with nothing yet; undefined when there is no such folder. */
  find(id: string): LoadedEntity | undefined {
    const known = this.#live.get(id);
    if (known) return this.#used(this.#live, known);
    if (!isFolderName(id)) return undefined;
    return this.#isEntity(this.#context.layout.folder(id)) ? this.add(id) : undefined;
  }

  add(id: string): LoadedEntity {
    const loaded =
      this.#live.get(id) ?? new LoadedEntity(this.#context, id, this.#context.layout.folder(id), this.snapshots);
    this.#live.set(id, loaded);
    return loaded;
  }

  /** Whether an entity is in memory. */
  isOpen(id: string): boolean {
    return this.#live.has(id);
  }

  /** The loaded entity of an id in the archive, for reading; undefined when there is no such folder. */
  findArchived(id: string): LoadedEntity | undefined {
    if (!isFolderName(id)) return undefined;
    const folder = this.#context.layout.archived(id);
    if (!this.#isEntity(folder)) return undefined;
    return this.#used(
      this.#archived,
      this.#archived.get(id) ?? new LoadedEntity(this.#context, id, folder, this.snapshots),
    );
  }

  /** While more than `most` are in memory, those that were not used for longest; archived ones are let go of here. */
  *surplus(most: number): Generator<LoadedEntity> {
    for (const loaded of this.#archived.values()) {
      if (this.#archived.size <= most) break;
      loaded.log.close();
      this.#archived.delete(loaded.id);
    }
    for (const loaded of this.#live.values()) {
      if (this.#live.size <= most) return;
      yield loaded;
    }
  }

  /** Puts it behind all that were used before. */
  #used(known: Map<string, LoadedEntity>, loaded: LoadedEntity): LoadedEntity {
    known.delete(loaded.id);
    known.set(loaded.id, loaded);
    return loaded;
  }

  drop(id: string): void {
    const loaded = this.#live.get(id);
    loaded?.log.close();
    if (loaded) this.#writers.delete(loaded);
    if (loaded === this.#latest) this.#latest = undefined;
    this.#live.delete(id);
  }

  /** Whether something of this name is there now, whatever is remembered, that is not a hollow folder (DIR-30). */
  has(id: string): boolean {
    return isFolderName(id) && !this.#isAbsent(this.#context.layout.folder(id));
  }

  hasArchived(id: string): boolean {
    return isFolderName(id) && !this.#isAbsent(this.#context.layout.archived(id));
  }

  /** Ids of all folders under `tasks/`, in no particular order; temporary and foreign names are left out. */
  ids(): string[] {
    return this.names().filter((id) => this.has(id));
  }

  archivedIds(): string[] {
    return this.archivedNames().filter((id) => this.hasArchived(id));
  }

  /** As `ids`, and folders that hold no file too: spares a look at each, where `find` follows or the name alone matters. */
  names(): string[] {
    return namesIn(this.#context, this.#context.layout.tasks);
  }

  /** As `names`, links and files left out. */
  folders(): string[] {
    return foldersIn(this.#context, this.#context.layout.tasks);
  }

  archivedNames(): string[] {
    return namesIn(this.#context, this.#context.layout.archive);
  }

  /** Whether git has an entity of this id, live or archived, and a sparse checkout leaves it out. */
  isLeftOut(id: string): boolean {
    const left = this.#context.sparse.look();
    return PARTS.some((part) => this.#hides(left, part, id));
  }

  /** NOT_CHECKED_OUT where git has an entity of this id, live or archived, and a sparse checkout leaves it out. */
  refuseLeftOut(id: string): void {
    if (this.isLeftOut(id)) throw notCheckedOut(this.#context.sparse.look(), id);
  }

  /** Ids of those, in natural order, with all that the look said. */
  leftOut(part: Part): { ids: string[]; left: LeftOut } {
    const left = this.#context.sparse.look();
    const ids = [...left[part].ids.keys()].filter((id) => this.#hides(left, part, id));
    return { ids: ids.toSorted(compareIds), left };
  }

  leftOutWarnings(part: Part): Warning[] {
    const { ids, left } = this.leftOut(part);
    return leftOutWarnings(left, part, ids);
  }

  #hides(left: LeftOut, part: Part, id: string): boolean {
    const hasLog = left[part].ids.get(id);
    if (hasLog === undefined || !isFolderName(id)) return false;
    const folder = join(this.#context.layout.coco, part, id);
    if (this.#context.disk.lstat(join(folder, LOG_FILE))) return false;
    // Of a folder that another program keeps, git may leave out files beside task.yaml.
    return hasLog || this.#isAbsent(folder);
  }

  /** A folder, and no link to one, that is not absent. */
  #isEntity(folder: string): boolean {
    if (this.#context.pendingLines?.has(folder)) return true;
    return this.#context.disk.lstat(folder)?.kind === "folder" && !this.#isAbsent(folder);
  }

  /** Nothing of that name, or a folder in which git left nothing but folders. One look where there is a log. */
  #isAbsent(folder: string): boolean {
    const { disk, pendingLines } = this.#context;
    if (pendingLines?.has(folder)) return false;
    try {
      if (disk.lstat(join(folder, LOG_FILE))) return false;
      const kind = disk.lstat(folder)?.kind;
      if (kind === undefined || (kind === "folder" && isHollow(disk, folder))) return true;
      // Files that git left there make no folder of another program.
      const part = dirname(folder) === this.#context.layout.tasks ? "tasks" : "archive";
      return this.#context.sparse.look()[part].ids.get(basename(folder)) === true;
    } catch (e) {
      // One that may not be looked into is there: who asks for it hears why it cannot be read.
      if (errnoOf(e) === undefined) throw e;
      return false;
    }
  }

  /** Notes a use of the log for writing and closes the one unused longest when there are too many. */
  wrote(loaded: LoadedEntity): void {
    if (loaded === this.#latest) return;
    this.#latest = loaded;
    this.#writers.delete(loaded);
    this.#writers.add(loaded);
    if (this.#writers.size <= keptDescriptors(this.#context.disk).logs) return;
    const oldest = this.#writers.values().next().value!;
    oldest.log.close();
    this.#writers.delete(oldest);
  }

  close(): void {
    this.wentAway.close();
    for (const loaded of this.#live.values()) {
      this.snapshots.saveIfDue(loaded);
      loaded.log.close();
    }
    // A repeated call syncs there before it is answered.
    for (const loaded of this.#archived.values()) loaded.log.close();
    this.#live.clear();
    this.#archived.clear();
    this.#writers.clear();
  }
}

function namesIn({ disk, pendingLines }: EngineContext, folder: string): string[] {
  return withAhead(listFolder(disk, folder).filter(isFolderName), folder, pendingLines);
}

/** As `namesIn`, links and files left out. */
export function foldersIn({ disk, pendingLines }: EngineContext, folder: string): string[] {
  return withAhead(listFolder(disk, folder, "readFolders").filter(isFolderName), folder, pendingLines);
}

/** An entity that stands in the journal alone has no folder yet. */
function withAhead(names: string[], folder: string, ahead: EngineContext["pendingLines"]): string[] {
  if (!ahead) return names;
  const own = [...ahead.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path));
  return [...new Set([...names, ...own])];
}
