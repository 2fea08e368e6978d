/**
 * Projections that a crash may have left behind their logs. There is one file per open workspace in `dirty/` of the
 * machine's folder, named by process (number, start, token). It has one synced line per entity written. The first write
 * after an open takes over the files of dead processes, and those left by workspaces that could not write everything.
 * It repairs the projections that they name.
 */
import { readCache, removeQuietly, writeAll } from "../../files/atomic.ts";
import { ensureFolder, ensureSyncedFolder, listFolder } from "../../files/folders.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { isOrphan } from "../locks/process_files.ts";
import { idFault } from "../../state/ids.ts";
import { FOLDER_CHARACTERS } from "../entity/folder_name.ts";
import type { EngineContext } from "../core/context.ts";

const LEFT = "left-";
/** A line an entity: more than a workspace of a hundred thousand has. */
const MAX_BYTES = 16 * 1024 * 1024;

export class DirtyMarks {
  readonly #context: EngineContext;
  readonly #name: string;
  readonly #marked = new Set<string>();
  /** Of those, whose files could not be written when that was tried last. */
  readonly #failed = new Set<string>();
  readonly #stale: string[] = [];
  readonly #makeLast: (id: string) => void;
  #fd: number | null = null;

  /** `name`: of this open workspace (process_files.ts). `makeLast`: syncs the log of an entity that another process may have left unsynced. */
  constructor(context: EngineContext, name: string, makeLast: (id: string) => void) {
    this.#context = context;
    this.#name = name;
    this.#makeLast = makeLast;
  }

  /** Notes that `id` is about to be written, behind what a process may have left that died since. Costs a sync the first time, nothing after. */
  mark(id: string): void {
    if (this.#marked.has(id)) return;
    if (this.#fd === null) this.takeOver();
    else if (this.#inherit().ids.includes(id)) this.#makeLast(id);
    if (!this.#marked.has(id)) this.#write(id);
  }

  /** Takes the marks of dead processes over, once in an open workspace. */
  takeOver(): void {
    if (this.#fd !== null) return;
    const { ids, files } = this.#inherit();
    for (const id of ids) this.#makeLast(id);
    for (const id of ids) this.#write(id);
    // Only now that this process's own file names them.
    for (const name of files) removeQuietly(this.#context.disk, this.#path(name));
    this.#stale.push(...ids);
  }

  /** Ids that a process now gone left stale; each is given once. */
  takeStale(): string[] {
    return this.#stale.splice(0);
  }

  /** Whether the files of an entity may be older than its log: a process died after it wrote there, or could not write the files. */
  mayBeBehind(id: string): boolean {
    return this.#failed.has(id) || this.#stale.includes(id) || this.#inherit().ids.includes(id);
  }

  /** Ids that any process wrote and has not finished with: their files may be about to follow their logs. */
  markedByAny(): string[] {
    return this.#idsIn(listFolder(this.#context.disk, this.#context.layout.machineFolder("dirty")));
  }

  /** Ids marked since the last `clear`. */
  ids(): string[] {
    return [...this.#marked];
  }

  /** The files of an entity were written, or could not be. */
  projected(id: string, done: boolean): void {
    if (done) this.#failed.delete(id);
    else this.#failed.add(id);
  }

  /** This workspace writes no more. Projections that it could not write are left to the next one. */
  clear(): void {
    if (this.#fd === null) return;
    const { disk } = this.#context;
    disk.close(this.#fd);
    this.#fd = null;
    const path = this.#path(this.#name);
    if (this.#failed.size === 0) removeQuietly(disk, path);
    else this.#leave(path);
    this.#marked.clear();
    this.#failed.clear();
  }

  /** Under a name of no process, or it would wait for the end of this process. */
  #leave(path: string): void {
    try {
      this.#context.disk.rename(path, this.#path(`${LEFT}${this.#name}`));
    } catch (e) {
      // The disk that takes no files: then this process's end is waited for.
      if (errnoOf(e) === undefined) throw e;
    }
  }

  #write(id: string): void {
    const { disk, layout, durability } = this.#context;
    if (this.#fd === null) {
      const folder = layout.machineFolder("dirty");
      // A process that was killed may have made it, and synced no name on its way (DUR-113).
      if (durability === "os") ensureFolder(disk, folder);
      else ensureSyncedFolder(disk, layout.coco, folder);
      this.#fd = disk.open(this.#path(this.#name), "a+");
      if (durability !== "os") disk.syncFolder(folder);
    }
    // Half a name may stand before it, if the disk was full (DUR-8).
    writeAll(disk, this.#fd, Buffer.from(`\n${id}\n`));
    if (durability !== "os") disk.fdatasyncSync(this.#fd);
    this.#marked.add(id);
  }

  #inherit(): { ids: string[]; files: string[] } {
    const { disk, layout } = this.#context;
    const files = listFolder(disk, layout.machineFolder("dirty")).filter(
      (name) => name.startsWith(LEFT) || isOrphan(this.#context, name),
    );
    return { ids: this.#idsIn(files), files };
  }

  #idsIn(files: readonly string[]): string[] {
    const { disk } = this.#context;
    const ids = files.flatMap(
      (name) => readCache(disk, this.#path(name), MAX_BYTES)?.toString("utf8").split("\n") ?? [],
    );
    return [...new Set(ids.filter((id) => idFault(id, FOLDER_CHARACTERS) === null))];
  }

  #path(name: string): string {
    return this.#context.layout.machineFile("dirty", name);
  }
}
