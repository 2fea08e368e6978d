/** The entities of one open workspace, kept in memory once they have been read. */
import { basename, dirname, join } from "node:path";
import { isHollow, listFolder } from "../../files/folders.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { idFault } from "../../state/ids.ts";
import { LIMITS } from "../../state/limits.ts";
import { LoadedEntity } from "./loaded_entity.ts";
import { keptDescriptors } from "../core/kept_descriptors.ts";
import { Snapshots } from "./snapshot.ts";
import type { EngineContext } from "../core/context.ts";

/** A folder may be named by an id and the suffix that a split adds. */
export const FOLDER_CHARACTERS = LIMITS.idCharacters + 8;

export class Store {
  readonly #world: EngineContext;
  readonly snapshots: Snapshots;
  readonly #handles = new Map<string, LoadedEntity>();
  readonly #archived = new Map<string, LoadedEntity>();
  /** Handles that may hold a descriptor, oldest use first. */
  readonly #writers = new Set<LoadedEntity>();
  /** The last of them. */
  #latest: LoadedEntity | undefined;

  constructor(world: EngineContext) {
    this.#world = world;
    this.snapshots = new Snapshots(world);
  }

  /** The handle of an id whose folder is there, caught up with nothing yet; undefined when there is no such folder. */
  find(id: string): LoadedEntity | undefined {
    const known = this.#handles.get(id);
    if (known) return this.#used(this.#handles, known);
    if (!isFolderName(id)) return undefined;
    return this.#isEntity(this.#world.layout.folder(id)) ? this.add(id) : undefined;
  }

  add(id: string): LoadedEntity {
    const handle =
      this.#handles.get(id) ?? new LoadedEntity(this.#world, id, this.#world.layout.folder(id), this.snapshots);
    this.#handles.set(id, handle);
    return handle;
  }

  /** Whether an entity is in memory. */
  isOpen(id: string): boolean {
    return this.#handles.has(id);
  }

  /** The handle of an entity in the archive, for reading; undefined when there is no such folder. */
  findArchived(id: string): LoadedEntity | undefined {
    if (!isFolderName(id)) return undefined;
    const folder = this.#world.layout.archived(id);
    if (!this.#isEntity(folder)) return undefined;
    return this.#used(
      this.#archived,
      this.#archived.get(id) ?? new LoadedEntity(this.#world, id, folder, this.snapshots),
    );
  }

  /** While more than `most` are in memory, those that were not used for longest; archived ones are let go of here. */
  *surplus(most: number): Generator<LoadedEntity> {
    for (const handle of this.#archived.values()) {
      if (this.#archived.size <= most) break;
      handle.log.close();
      this.#archived.delete(handle.id);
    }
    for (const handle of this.#handles.values()) {
      if (this.#handles.size <= most) return;
      yield handle;
    }
  }

  /** Puts it behind all that were used before. */
  #used(handles: Map<string, LoadedEntity>, handle: LoadedEntity): LoadedEntity {
    handles.delete(handle.id);
    handles.set(handle.id, handle);
    return handle;
  }

  drop(id: string): void {
    const handle = this.#handles.get(id);
    handle?.log.close();
    if (handle) this.#writers.delete(handle);
    if (handle === this.#latest) this.#latest = undefined;
    this.#handles.delete(id);
  }

  /** Whether something of this name is there now, whatever is remembered, that is not a hollow folder (DIR-30). */
  has(id: string): boolean {
    return isFolderName(id) && !this.#isAbsent(this.#world.layout.folder(id));
  }

  hasArchived(id: string): boolean {
    return isFolderName(id) && !this.#isAbsent(this.#world.layout.archived(id));
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
    return namesIn(this.#world, this.#world.layout.tasks);
  }

  /** As `names`, links and files left out. */
  folders(): string[] {
    return foldersIn(this.#world, this.#world.layout.tasks);
  }

  archivedNames(): string[] {
    return namesIn(this.#world, this.#world.layout.archive);
  }

  /** A folder, and no link to one, that is not absent. */
  #isEntity(folder: string): boolean {
    if (this.#world.ahead?.has(folder)) return true;
    return this.#world.disk.lstat(folder)?.kind === "folder" && !this.#isAbsent(folder);
  }

  /** Nothing of that name, or a folder in which git left nothing but folders. One look where there is a log. */
  #isAbsent(folder: string): boolean {
    const { disk, ahead } = this.#world;
    if (ahead?.has(folder)) return false;
    try {
      if (disk.lstat(join(folder, LOG_FILE))) return false;
      const kind = disk.lstat(folder)?.kind;
      return kind === undefined || (kind === "folder" && isHollow(disk, folder));
    } catch (e) {
      // One that may not be looked into is there: who asks for it hears why it cannot be read.
      if (errnoOf(e) === undefined) throw e;
      return false;
    }
  }

  /** Notes a use of the log for writing and closes the one unused longest when there are too many. */
  wrote(handle: LoadedEntity): void {
    if (handle === this.#latest) return;
    this.#latest = handle;
    this.#writers.delete(handle);
    this.#writers.add(handle);
    if (this.#writers.size <= keptDescriptors(this.#world.disk).logs) return;
    const oldest = this.#writers.values().next().value!;
    oldest.log.close();
    this.#writers.delete(oldest);
  }

  close(): void {
    for (const handle of this.#handles.values()) {
      this.snapshots.saveIfDue(handle);
      handle.log.close();
    }
    // A repeated call syncs there before it is answered.
    for (const handle of this.#archived.values()) handle.log.close();
    this.#handles.clear();
    this.#archived.clear();
    this.#writers.clear();
  }
}

function namesIn({ disk, ahead }: EngineContext, folder: string): string[] {
  return withAhead(listFolder(disk, folder).filter(isFolderName), folder, ahead);
}

/** As `namesIn`, links and files left out. */
export function foldersIn({ disk, ahead }: EngineContext, folder: string): string[] {
  return withAhead(listFolder(disk, folder, "readFolders").filter(isFolderName), folder, ahead);
}

/** An entity that stands in the journal alone has no folder yet. */
function withAhead(names: string[], folder: string, ahead: EngineContext["ahead"]): string[] {
  if (!ahead) return names;
  const own = [...ahead.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path));
  return [...new Set([...names, ...own])];
}

/** Whether a folder of an entity may have this name; no path is made of another (ENG-55). */
export function isFolderName(name: string): boolean {
  return idFault(name, FOLDER_CHARACTERS) === null;
}
