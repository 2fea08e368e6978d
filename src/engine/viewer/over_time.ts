/** Keeps the past of every log by the stat of its file, for the lanes of agents and the growth of logs. */
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { folderOf } from "../entity/entity_on_disk.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { LogOverTime } from "./log_past.ts";
import { logOverTime } from "./log_past.ts";
import type { KnownFolder } from "./known_folder.ts";
import { Slices } from "./slices.ts";

export interface FolderOverTime extends LogOverTime {
  folder: KnownFolder;
}

export class OverTime {
  readonly #from: () => ReadModel;
  /** A folder is another one after every change of its log. */
  readonly #known = new WeakMap<KnownFolder, LogOverTime | "unreadable">();
  #folders: ReadonlyMap<string, KnownFolder> | null = null;
  #reading: Promise<FolderOverTime[]> = Promise.resolve([]);

  constructor(from: () => ReadModel) {
    this.#from = from;
  }

  /** Of all of these that have a log of ours; those that cannot be read are left out. */
  all(folders: ReadonlyMap<string, KnownFolder>): Promise<FolderOverTime[]> {
    if (this.#folders !== folders) {
      this.#folders = folders;
      // One reading after the other: the next one finds what the one before has read.
      const before = this.#reading;
      this.#reading = before.catch(() => []).then(() => this.#read(folders));
      // A caller who asks again after a failure reads again.
      this.#reading.catch(() => (this.#folders = null));
    }
    return this.#reading;
  }

  /** The same for who comes later. If it fails, that one reads again, and hears of it. */
  begin(folders: ReadonlyMap<string, KnownFolder>): void {
    this.all(folders).catch(() => (this.#folders = null));
  }

  async #read(folders: ReadonlyMap<string, KnownFolder>): Promise<FolderOverTime[]> {
    const from = this.#from();
    const slices = new Slices(from.context);
    const found: FolderOverTime[] = [];
    for (const folder of folders.values()) {
      if (folder.own?.row.source !== "log") continue;
      let known = this.#known.get(folder);
      if (known === undefined) {
        known = readable(from, folder) ?? "unreadable";
        this.#known.set(folder, known);
        await slices.pause();
      }
      if (known !== "unreadable") found.push({ ...known, folder });
    }
    return found;
  }
}

function readable({ context }: ReadModel, { place }: KnownFolder): LogOverTime | undefined {
  try {
    return logOverTime(new LoadedEntity(context, place.id, folderOf(context, place)));
  } catch (e) {
    // The board and the check of its folder say what is wrong with it.
    if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
    return undefined;
  }
}
