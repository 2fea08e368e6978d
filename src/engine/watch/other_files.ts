/**
 * Files that other programs write and that the engine reads (WATCH-12): people's files, task.yaml of Coco's folders, inputs of packets, and
 * `configs/`. A watch gives hints, and a look by the sign of each file tells which plans and tasks are concerned.
 */
import { join } from "node:path";
import type { Disk, FilesWatch } from "../../disk.ts";
import { signOf } from "../../files/file_sign.ts";
import { listFolder } from "../../files/folders.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { HUMAN_FILES } from "../../state/human_files.ts";
import type { EngineContext } from "../core/context.ts";
import { firstEventIn } from "../entity/two_folders.ts";

/** So many live plans and tasks have hints: each costs the system some watches. Of the others a look finds what changed. */
const MAX_HINTED = 500;
const MAX_INPUTS = 100;
const INPUTS = "inputs";
const CONFIGS = ["configs/servant", "configs/pipeline"];
/** chokidar tells no second change within 50 ms of another: a look follows. */
const AGAIN_MS = 150;

interface Known {
  /** Of its files together. */
  sign: string;
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
  #cancel = (): void => undefined;

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
    const { disk, layout } = this.#context;
    this.#isHinted = false;
    const ids = this.#names();
    const live = new Set(ids);
    for (const id of this.#known.keys()) if (!live.has(id)) this.#known.delete(id);
    const configs = CONFIGS.map((path) => filesIn(disk, join(layout.root, path))).join();
    const isOther = this.#configs !== undefined && this.#configs !== configs;
    this.#configs = configs;
    const changed = ids.filter((id) => {
      const before = this.#known.get(id);
      const now = this.#lookAt(id, before);
      this.#known.set(id, now);
      return before !== undefined && (before.sign !== now.sign || (isOther && now.hasInputs));
    });
    if (ids.length > 0) this.#watch ??= disk.watchFiles?.({ polling: this.#polling }, () => this.#hint());
    this.#watch?.set(this.#paths(ids));
    if (changed.length > 0) this.#again();
    return changed;
  }

  close(): void {
    this.#cancel();
    this.#watch?.close();
  }

  #hint(): void {
    this.#isHinted = true;
    this.#hinted();
  }

  #again(): void {
    this.#cancel();
    this.#cancel = this.#context.runtime.after(AGAIN_MS, () => this.#hint(), "idle");
  }

  #lookAt(id: string, before: Known | undefined): Known {
    const { disk, layout } = this.#context;
    const folder = layout.folder(id);
    const isForeign = before?.isForeign ?? firstEventIn(disk, folder) === undefined;
    const inputs = filesIn(disk, join(folder, INPUTS));
    const files = [...HUMAN_FILES, ...(isForeign ? [TASK_FILE] : [])].map((file) => signAt(disk, join(folder, file)));
    return { sign: [...files, inputs].join(), isForeign, hasInputs: inputs !== "" };
  }

  *#paths(ids: readonly string[]): Generator<string> {
    const { layout } = this.#context;
    for (const path of CONFIGS) yield join(layout.root, path);
    for (const id of ids.slice(-MAX_HINTED)) {
      const folder = layout.folder(id);
      const { isForeign, hasInputs } = this.#known.get(id)!;
      for (const file of HUMAN_FILES) yield join(folder, file);
      if (isForeign) yield join(folder, TASK_FILE);
      if (hasInputs) yield join(folder, INPUTS);
    }
  }
}

/** Signs of a folder and its first files; empty if there is no folder. */
function filesIn(disk: Disk, folder: string): string {
  const own = signAt(disk, folder);
  if (own === "") return own;
  const names = unlessRefused(() => listFolder(disk, folder)) ?? [];
  return [own, ...names.slice(0, MAX_INPUTS).map((name) => signAt(disk, join(folder, name)))].join();
}

function signAt(disk: Disk, path: string): string {
  return signOf(unlessRefused(() => disk.lstat(path)));
}

/** A file that may not be looked at counts as absent. */
function unlessRefused<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return undefined;
  }
}
