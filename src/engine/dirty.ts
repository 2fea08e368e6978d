/**
 * Which projections a crash may have left behind their logs: one file per open workspace in `registry/dirty`, named by
 * process, one synced line per entity written. The first write after an open takes over the files of processes that
 * are gone and heals what they name.
 */
import { dirname } from "node:path";
import { readIfThere, removeQuietly } from "../files/atomic.ts";
import { ensureDurableFolder, listFolder } from "../files/folders.ts";
import type { World } from "./world.ts";

/** Files of this process: in a container every process may have the same number. */
const OWN = new Set<string>();

export class DirtyMarks {
  readonly #world: World;
  readonly #name: string;
  readonly #marked = new Set<string>();
  readonly #stale: string[] = [];
  #fd: number | null = null;

  constructor(world: World) {
    this.#world = world;
    this.#name = `${process.pid}-${world.newId().slice(0, 8)}`;
    OWN.add(this.#name);
  }

  /** Notes that `id` is about to be written. Costs a sync the first time, nothing after. */
  mark(id: string): void {
    if (this.#marked.has(id)) return;
    const inherited = this.#fd === null ? this.#inherit() : null;
    for (const one of new Set([id, ...(inherited?.ids ?? [])])) this.#write(one);
    // Only now that this process's own file names them.
    for (const name of inherited?.files ?? []) removeQuietly(this.#world.disk, this.#path(name));
    this.#stale.push(...(inherited?.ids ?? []));
  }

  /** Ids that a process now gone left stale; each is given once. */
  takeStale(): string[] {
    return this.#stale.splice(0);
  }

  /** Ids marked since the last `clear`. */
  ids(): string[] {
    return [...this.#marked];
  }

  /** Everything this process wrote has been projected. */
  clear(): void {
    if (this.#fd === null) return;
    this.#world.disk.close(this.#fd);
    this.#fd = null;
    this.#marked.clear();
    removeQuietly(this.#world.disk, this.#path(this.#name));
    OWN.delete(this.#name);
  }

  #write(id: string): void {
    const { disk } = this.#world;
    if (this.#fd === null) {
      ensureDurableFolder(disk, dirname(this.#path(this.#name)));
      this.#fd = disk.open(this.#path(this.#name), "a+");
      if (this.#world.durability !== "os") disk.syncFolder(dirname(this.#path(this.#name)));
    }
    disk.write(this.#fd, Buffer.from(`${id}\n`));
    if (this.#world.durability !== "os") disk.fdatasyncSync(this.#fd);
    this.#marked.add(id);
  }

  #inherit(): { ids: string[]; files: string[] } {
    const { disk, layout } = this.#world;
    const files = listFolder(disk, dirname(layout.registryFile("dirty", "x"))).filter(isOrphan);
    const ids = files.flatMap((name) => readIfThere(disk, this.#path(name))?.toString("utf8").split("\n") ?? []);
    return { ids: [...new Set(ids.filter((id) => id !== ""))], files };
  }

  #path(name: string): string {
    return this.#world.layout.registryFile("dirty", name);
  }
}

function isOrphan(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1]);
  return Number.isInteger(pid) && (pid === process.pid ? !OWN.has(name) : !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    // EPERM: it is there and belongs to somebody else.
    return e instanceof Error && "code" in e && e.code === "EPERM";
  }
}
