/**
 * Files that other programs write and that the engine reads (WATCH-8): people's files, task.yaml of Coco's folders, inputs of packets, and
 * `configs/`. A watch gives hints, and a look by the sign of each file tells which plans and tasks are concerned.
 */
import { basename, dirname, join } from "node:path";
import type { Disk, FilesWatch, WatchedFolders } from "../../disk.ts";
import { signOf } from "../../files/file_sign.ts";
import { FolderWatches } from "../../files/folder_watches.ts";
import { listFolder } from "../../files/folders.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { HUMAN_FILES } from "../../state/human_files.ts";
import type { EngineContext } from "../core/context.ts";
import { firstEventIn } from "../entity/two_folders.ts";

/** So many live plans and tasks have hints: each costs the system some watches. Of the others a look finds what changed. */
const MAX_HINTED = 500;
const SHARED = "shared";
const INPUTS = ["inputs", "inputs/attachments"];
const HUMAN_NAMES = HUMAN_FILES.map((file) => basename(file));
const CONFIGS = ["configs/servant", "configs/pipeline"];

interface Known {
  /** Of its files together. */
  sign: string;
  /** Of its task.yaml, which another program writes if there is no log of ours. */
  task: string;
  isForeign: boolean;
  hasInputs: boolean;
}

export class OtherFiles {
  readonly #context: Pick<EngineContext, "disk" | "layout" | "runtime">;
  readonly #names: () => readonly string[];
  readonly #hinted: () => void;
  readonly #polling: boolean;
  #watch: FilesWatch | undefined;
  readonly #known = new Map<string, Known>();
  #configs: string | undefined;
  #isHinted = false;
  #isClosed = false;

  /** `names`: ids of the live plans and tasks. `hinted` is told when a look is worth it. */
  constructor(
    context: Pick<EngineContext, "disk" | "layout" | "runtime">,
    { polling, names }: { polling: boolean; names: () => readonly string[] },
    hinted: () => void,
  ) {
    this.#context = context;
    this.#names = names;
    this.#hinted = hinted;
    this.#polling = polling;
    this.look();
  }

  get isHinted(): boolean {
    return this.#isHinted;
  }

  /** Ids of which such a file is another than at the last look. One that was not there then is known by its log. */
  look(): string[] {
    if (this.#isClosed) return [];
    this.#isHinted = false;
    const ids = this.#names();
    const live = new Set(ids);
    for (const id of this.#known.keys()) if (!live.has(id)) this.#known.delete(id);
    const foreign = new Set(ids.filter((id) => this.#isForeign(id)));
    // Watches begin before the look: what is written after it is told.
    this.#watchFolders(ids, foreign);
    const configs = this.#signsIn(this.#context.layout.root, CONFIGS);
    const isOther = this.#configs !== undefined && this.#configs !== configs;
    this.#configs = configs;
    return ids.filter((id) => {
      const before = this.#known.get(id);
      const now = this.#lookAt(id, foreign.has(id));
      this.#known.set(id, now);
      if (!before) return false;
      const isWritten = before.sign !== now.sign || (now.isForeign && before.task !== now.task);
      return isWritten || (isOther && now.hasInputs);
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
  }

  /** A folder of another program gets a log of ours when it is adopted. */
  #isForeign(id: string): boolean {
    const { disk, layout } = this.#context;
    return this.#known.get(id)?.isForeign !== false && firstEventIn(disk, layout.folder(id)) === undefined;
  }

  #lookAt(id: string, isForeign: boolean): Known {
    const { disk, layout } = this.#context;
    const folder = layout.folder(id);
    const inputs = this.#signsIn(folder, INPUTS);
    const files = HUMAN_FILES.map((file) => signAt(disk, join(folder, file)));
    const task = signAt(disk, join(folder, TASK_FILE));
    return { sign: [...files, inputs].join(), task, isForeign, hasInputs: inputs !== "" };
  }

  /** Signs of these folders and of all that lies in them; empty if none is there. */
  #signsIn(above: string, folders: readonly string[]): string {
    const { disk } = this.#context;
    return folders
      .map((name) => join(above, name))
      .filter((folder) => signAt(disk, folder) !== "")
      .flatMap((folder) => {
        const names = unlessRefused(() => listFolder(disk, folder)) ?? [];
        return [folder, ...names.map((name) => join(folder, name))];
      })
      .map((path) => `${basename(path)} ${signAt(disk, path)}`)
      .join();
  }

  #watchFolders(ids: readonly string[], foreign: ReadonlySet<string>): void {
    if (ids.length === 0 && !this.#watch) return;
    this.#watch ??= this.#begin();
    this.#watch?.set(this.#wanted(ids.slice(-MAX_HINTED), foreign));
  }

  #begin(): FilesWatch | undefined {
    const { disk } = this.#context;
    const hint = (): void => {
      this.#isHinted = true;
      this.#hinted();
    };
    return this.#polling ? disk.pollFiles?.(hint) : new FolderWatches(disk, hint);
  }

  #wanted(ids: readonly string[], foreign: ReadonlySet<string>): WatchedFolders {
    const { layout } = this.#context;
    const wanted = new Map<string, Set<string> | null>();
    for (const path of CONFIGS) this.#want(wanted, join(layout.root, path), null);
    for (const id of ids) {
      const folder = layout.folder(id);
      this.#want(wanted, join(folder, SHARED), HUMAN_NAMES);
      for (const path of INPUTS) this.#want(wanted, join(folder, path), null);
      if (foreign.has(id)) this.#want(wanted, folder, [TASK_FILE]);
    }
    return wanted;
  }

  /** Where the folder is not there, the nearest one above it tells that it came. `names`: null for all. */
  #want(wanted: Map<string, Set<string> | null>, path: string, names: readonly string[] | null): void {
    const { disk, layout } = this.#context;
    let [at, those] = [path, names];
    while (unlessRefused(() => disk.lstat(at))?.kind !== "folder") {
      if (at === layout.root) return;
      [at, those] = [dirname(at), [basename(at)]];
    }
    const before = wanted.get(at);
    wanted.set(at, before === null || those === null ? null : new Set([...(before ?? []), ...those]));
  }
}

function signAt(disk: Disk, path: string): string {
  return signOf(unlessRefused(() => disk.lstat(path)));
}
