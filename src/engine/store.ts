/** The entities of one open workspace, kept in memory once they have been read. */
import { listFolder } from "../files/folders.ts";
import { idFault } from "../state/ids.ts";
import { LIMITS } from "../state/limits.ts";
import { Handle } from "./handle.ts";
import { Snapshots } from "./snapshot.ts";
import type { World } from "./world.ts";

/** How many logs stay open for appending: a descriptor saves 25 microseconds a write, and there is a limit of them. */
const OPEN_LOGS = 128;
/** A folder may be named by an id and the suffix that a split adds. */
export const FOLDER_CHARACTERS = LIMITS.idCharacters + 8;

export class Store {
  readonly #world: World;
  readonly snapshots: Snapshots;
  readonly #handles = new Map<string, Handle>();
  readonly #archived = new Map<string, Handle>();
  /** Handles that may hold a descriptor, oldest use first. */
  readonly #writers = new Set<Handle>();

  constructor(world: World) {
    this.#world = world;
    this.snapshots = new Snapshots(world);
  }

  /** The handle of an id whose folder is there, caught up with nothing yet; undefined when there is no such folder. */
  find(id: string): Handle | undefined {
    const known = this.#handles.get(id);
    if (known) return known;
    if (idFault(id, FOLDER_CHARACTERS) !== null) return undefined;
    const folder = this.#world.layout.folder(id);
    if (this.#world.disk.lstat(folder)?.kind !== "folder") return undefined;
    return this.add(id);
  }

  add(id: string): Handle {
    const handle = new Handle(this.#world, id, this.#world.layout.folder(id), this.snapshots);
    this.#handles.set(id, handle);
    return handle;
  }

  /** The handle of an entity in the archive, for reading; undefined when there is no such folder. */
  findArchived(id: string): Handle | undefined {
    if (idFault(id, FOLDER_CHARACTERS) !== null) return undefined;
    const folder = this.#world.layout.archived(id);
    if (this.#world.disk.lstat(folder)?.kind !== "folder") return undefined;
    const handle = this.#archived.get(id) ?? new Handle(this.#world, id, folder, this.snapshots);
    this.#archived.set(id, handle);
    return handle;
  }

  drop(id: string): void {
    const handle = this.#handles.get(id);
    handle?.log.close();
    if (handle) this.#writers.delete(handle);
    this.#handles.delete(id);
  }

  /** Ids of all folders under `tasks/`, in no particular order; temporary and foreign names are left out. */
  ids(): string[] {
    return listFolder(this.#world.disk, this.#world.layout.tasks).filter(
      (name) => idFault(name, FOLDER_CHARACTERS) === null,
    );
  }

  archivedIds(): string[] {
    return listFolder(this.#world.disk, this.#world.layout.archive).filter(
      (name) => idFault(name, FOLDER_CHARACTERS) === null,
    );
  }

  /** Notes a use of the log for writing and closes the one unused longest when there are too many. */
  wrote(handle: Handle): void {
    this.#writers.delete(handle);
    this.#writers.add(handle);
    if (this.#writers.size <= OPEN_LOGS) return;
    const oldest = this.#writers.values().next().value!;
    oldest.log.close();
    this.#writers.delete(oldest);
  }

  close(): void {
    for (const handle of this.#handles.values()) {
      this.snapshots.saveIfDue(handle);
      handle.log.close();
    }
    this.#handles.clear();
    this.#archived.clear();
    this.#writers.clear();
  }
}
